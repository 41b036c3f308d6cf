//! What answers a request other than `tools/call`, and may ask the client before.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::model::{ErrorData, InputResponses};
use rmcp::service::{RequestContext, RoleServer};

use super::Server;
use super::call::{Call, Way, drive};
use super::client::Undeclared;
use super::parked::{self, Back};
use super::reply::{Answered, Reply};
use super::session::Session;
use crate::tool::{ToolContext, ToolError};
use crate::transcript::{CallId, ToolCall};

/// A request, as far as its state and its answers go.
pub(super) struct Asking {
    /// What it is, in words that no tool is called by: its method and what it names.
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) state: Option<String>,
    pub(super) answers: Option<InputResponses>,
}

/// Answers a request by work that may ask the client before it is done.
pub(super) async fn answer(
    server: &Server,
    session: &Arc<Session>,
    asking: Asking,
    context: RequestContext<RoleServer>,
    work: impl FnOnce(ToolContext) -> BoxFuture<'static, Result<Reply, ToolError>>,
) -> Result<Answered, ErrorData> {
    let way = Way {
        delay: None,
        context,
    };
    let answers = asking.answers.unwrap_or_default();
    if let Some(state) = &asking.state {
        let back = Back {
            name: &asking.name,
            arguments: &asking.arguments,
            state,
            answers,
        };
        return parked::go_on(server, session, back, way).await;
    }
    let id = CallId::from(way.context.id.to_string());
    let made = ToolCall::new(id.clone(), asking.name.as_str(), asking.arguments);
    let call = Call::of(server, session, made, &way.context, |client, stop| {
        let required = client.features.required;
        let mut grants = session.context.grants().clone();
        grants.client = Some(client);
        let context = session.context.derive().call(id).grants(grants);
        let work = work(context.cancellation(stop).build());
        let work = async move {
            match work.await {
                Ok(reply) => reply,
                Err(error) => Reply::Failed(failed(&error, required)),
            }
        };
        (work.boxed(), Arc::<AtomicBool>::default())
    })?;
    drive(server, session, call, answers, way).await
}

/// Writes the error of what is no tool in the protocol's words.
pub(super) fn failed(error: &ToolError, required: bool) -> ErrorData {
    if let Some(undeclared) = Undeclared::in_failure(error).filter(|_| required) {
        return undeclared;
    }
    match error {
        ToolError::InvalidArguments(_) => ErrorData::invalid_params(error.to_string(), None),
        _ => ErrorData::internal_error(error.to_string(), None),
    }
}
