//! One question to the client, and its answer.
#![expect(
    deprecated,
    reason = "sampling, roots and logging are deprecated by the protocol of 2026-07-28, and spoken before it"
)]

use rmcp::model::{CreateMessageResult, ElicitResult, InputRequest, ListRootsResult};
use serde_json::Value;
use tokio::sync::oneshot;

/// A question that a call waits for the answer of.
pub(crate) struct Ask {
    pub(crate) request: InputRequest,
    /// The key that the tool gave it.
    key: Option<String>,
    answer: oneshot::Sender<Result<Answer, AskError>>,
}

/// The answer of a client.
pub(crate) enum Answer {
    /// What the person did.
    Elicited(ElicitResult),
    /// What the model wrote.
    Sampled(Box<CreateMessageResult>),
    /// Where the program may work.
    Roots(ListRootsResult),
}

/// Says why a client gave no answer; written for the tool, and with it for the model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum AskError {
    /// It says that it cannot, or will not.
    #[error("the client refused: {0}")]
    Refused(String),
    /// It took too long.
    #[error("the client did not answer in time")]
    TimedOut,
    /// It has gone.
    #[error("the client is gone")]
    Gone,
    /// What it said is no answer to this question.
    #[error("the client's answer is none to this question: {0}")]
    Malformed(String),
}

impl Ask {
    /// Makes a question, and what its answer comes out of.
    pub(super) fn new(
        request: InputRequest,
        key: Option<String>,
    ) -> (Self, oneshot::Receiver<Result<Answer, AskError>>) {
        let (answer, answered) = oneshot::channel();
        let ask = Self {
            request,
            key,
            answer,
        };
        (ask, answered)
    }

    /// Returns the key that the tool gave the question.
    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Reports whether the call still waits for the answer.
    pub(crate) fn is_open(&self) -> bool {
        !self.answer.is_closed()
    }

    /// Hands the answer to the call.
    pub(super) fn answer(self, answer: Result<Answer, AskError>) {
        // A call that no longer waits has ended, or asked for something else meanwhile.
        let _ = self.answer.send(answer);
    }

    /// Hands an answer to the call that came as JSON, beside a request.
    pub(crate) fn answer_with(self, value: Value) {
        let answer = match &self.request {
            InputRequest::Elicitation(_) => serde_json::from_value(value).map(Answer::Elicited),
            InputRequest::CreateMessage(_) => serde_json::from_value(value).map(Answer::Sampled),
            InputRequest::ListRoots(_) => serde_json::from_value(value).map(Answer::Roots),
            _ => {
                return self.answer(Err(AskError::Malformed(
                    "nobody knows what was asked".to_owned(),
                )));
            }
        };
        self.answer(answer.map_err(|error| AskError::Malformed(error.to_string())));
    }
}
