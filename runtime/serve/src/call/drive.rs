//! Drives a call until its request can be answered.

use std::time::Duration;

use rmcp::model::{ErrorData, InputResponses};
use tokio_util::sync::CancellationToken;

use super::{Call, Step};
use crate::client::{ClientChannel, ClientFeatures, PendingRequest, RequestContext};
use crate::response::RequestResult;

/// The context of a request that waits for a call.
pub(crate) struct RequestCx {
    channel: ClientChannel,
    /// Cancelled when the client cancels the request.
    cancellation: CancellationToken,
    /// How long the request waits before the call becomes a task; `None` if it never does.
    pub(crate) task_delay: Option<Duration>,
}

impl RequestCx {
    /// Returns the context of a request; the client may take `input_timeout` to answer a request for input.
    pub(crate) fn new(
        context: RequestContext,
        features: ClientFeatures,
        input_timeout: Duration,
        task_delay: Option<Duration>,
    ) -> Self {
        let progress_token = context.meta.get_progress_token();
        Self {
            channel: ClientChannel::new(context.peer, progress_token, features, input_timeout),
            cancellation: context.ct,
            task_delay,
        }
    }
}

/// The outcome of a call, as far as its request waits for it.
pub(crate) enum Outcome {
    Finished(Box<RequestResult>),
    /// The call waits for input that the client has to send in another request.
    Suspended(Box<Call>, Vec<PendingRequest>),
    /// The call has run for `task_delay`, and goes on.
    Long(Box<Call>),
}

/// Drives a call until its request can be answered.
///
/// `early` has the responses that the client has sent before they were requested, by the keys that tools give their
/// requests.
///
/// # Errors
///
/// Fails if the client cancels the request.
pub(crate) async fn drive(
    mut call: Box<Call>,
    cx: &RequestCx,
    early: &mut InputResponses,
) -> Result<Outcome, ErrorData> {
    if cx.task_delay.is_some_and(|delay| delay.is_zero()) {
        return Ok(Outcome::Long(call));
    }
    let delay = async {
        match cx.task_delay {
            Some(delay) => tokio::time::sleep(delay).await,
            None => std::future::pending().await,
        }
    };
    let mut delay = std::pin::pin!(delay);
    loop {
        let step = tokio::select! {
            biased;
            step = call.step(&cx.channel) => step,
            () = cx.cancellation.cancelled() => return Err(cancelled()),
            () = &mut delay => return Ok(Outcome::Long(call)),
        };
        match step {
            Step::Finished(result) => return Ok(Outcome::Finished(result)),
            Step::InputRequired(requests) => {
                let open = resolve_early(requests, early);
                if !open.is_empty() {
                    return Ok(Outcome::Suspended(call, open));
                }
            }
        }
    }
}

/// Resolves the requests that the client has answered before, and returns the others.
fn resolve_early(requests: Vec<PendingRequest>, early: &mut InputResponses) -> Vec<PendingRequest> {
    let mut open = Vec::new();
    for request in requests {
        let response = request.key().and_then(|key| early.remove(key));
        match response.filter(serde_json::Value::is_object) {
            Some(response) => request.resolve_json(response),
            None => open.push(request),
        }
    }
    open
}

/// Returns the error of a cancelled request, which clients do not wait for as a rule.
fn cancelled() -> ErrorData {
    ErrorData::internal_error("the call was cancelled", None)
}
