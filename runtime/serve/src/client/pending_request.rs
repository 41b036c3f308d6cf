//! A request for input that waits for the client's result.
#![expect(
    deprecated,
    reason = "sampling, roots and logging are deprecated by the protocol of 2026-07-28, and spoken before it"
)]

use rmcp::model::{CreateMessageResult, ElicitResult, InputRequest, ListRootsResult};
use serde_json::Value;
use tokio::sync::oneshot;

/// A request for input that waits for the client's result.
pub(crate) struct PendingRequest {
    pub(crate) request: InputRequest,
    /// The key that the tool has given the request.
    key: Option<String>,
    result: oneshot::Sender<Result<InputResult, InputError>>,
}

pub(super) enum InputResult {
    Elicitation(ElicitResult),
    Sampling(Box<CreateMessageResult>),
    Roots(ListRootsResult),
}

/// An error of a request for input; the tool reads it, and through the tool the model.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    #[error("the client refused: {0}")]
    Refused(String),
    #[error("the client did not answer in time")]
    TimedOut,
    #[error("the client is gone")]
    Disconnected,
    /// The client's result does not belong to the request.
    #[error("the client's answer is none to this question: {0}")]
    Malformed(String),
}

impl InputError {
    /// Returns the error of a result that is of another kind than its request.
    pub(super) fn mismatched() -> Self {
        Self::Malformed("it answers another one".to_owned())
    }

    /// Returns the error of a request of a kind that this version does not support.
    pub(super) fn unknown_request() -> Self {
        Self::Malformed("the kind of the question is not known".to_owned())
    }
}

impl PendingRequest {
    /// Returns the request, and the receiver of its result.
    pub(super) fn new(
        request: InputRequest,
        key: Option<String>,
    ) -> (Self, oneshot::Receiver<Result<InputResult, InputError>>) {
        let (sender, receiver) = oneshot::channel();
        let pending = Self {
            request,
            key,
            result: sender,
        };
        (pending, receiver)
    }

    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns whether the call still waits for the result.
    pub(crate) fn is_open(&self) -> bool {
        !self.result.is_closed()
    }

    /// Hands a result to the call.
    pub(super) fn resolve(self, result: Result<InputResult, InputError>) {
        // The receiver is dropped if the call no longer waits.
        let _ = self.result.send(result);
    }

    /// Parses a result that the client has sent as JSON, and hands it to the call.
    pub(crate) fn resolve_json(self, value: Value) {
        let result = match &self.request {
            InputRequest::Elicitation(_) => {
                serde_json::from_value(value).map(InputResult::Elicitation)
            }
            InputRequest::CreateMessage(_) => {
                serde_json::from_value(value).map(InputResult::Sampling)
            }
            InputRequest::ListRoots(_) => serde_json::from_value(value).map(InputResult::Roots),
            _ => return self.resolve(Err(InputError::unknown_request())),
        };
        self.resolve(result.map_err(|error| InputError::Malformed(error.to_string())));
    }
}
