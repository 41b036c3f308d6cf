//! The person at the client, who agrees to everything.

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use helve::capability::{
    BackendError, ClientBackend, Elicitation, ElicitationRequest, ElicitationResult, Root,
    SamplingRequest, SamplingResult,
};
use helve::mcp::LoginRequest;
use helve::transcript::ContentBlock;
use serde_json::{Map, Value};

use crate::arguments;

/// Answers forms with their defaults, and has a model that says always the same.
#[derive(Debug)]
pub(crate) struct Person;

/// Logs in, as a browser would whose user is known there: it goes where it is sent.
pub(crate) fn log_in(request: &LoginRequest) {
    let url = request.url.clone();
    tokio::spawn(async move {
        if let Err(error) = reqwest::get(url).await {
            eprintln!("the browser: {error}");
        }
    });
}

impl ClientBackend for Person {
    fn elicit<'a>(
        &'a self,
        elicitation: &'a Elicitation,
    ) -> BoxFuture<'a, Result<ElicitationResult, BackendError>> {
        let values = match &elicitation.request {
            ElicitationRequest::Form { schema } => fill(schema),
            _ => Map::new(),
        };
        ready(Ok(ElicitationResult::Accept(values))).boxed()
    }

    fn sample<'a>(
        &'a self,
        _: &'a SamplingRequest,
    ) -> BoxFuture<'a, Result<SamplingResult, BackendError>> {
        let said = vec![ContentBlock::text(
            "The model of the suite's client says so.",
        )];
        ready(Ok(SamplingResult::new("none", said))).boxed()
    }

    fn roots(&self) -> BoxFuture<'_, Result<Vec<Root>, BackendError>> {
        ready(Ok(vec![Root::new("file:///work", None)])).boxed()
    }
}

fn fill(schema: &Value) -> Map<String, Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, property)| (name.clone(), arguments::value(property)))
        .collect()
}
