//! What another process sends to a session: answers to its questions, and results of its external requests.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::permission::Decision;
use crate::transcript::CallAddress;

/// What another process sends to a session, about one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Posting {
    /// The answer to a question.
    Answer {
        /// The call that the question is about.
        call: CallAddress,
        /// The answer.
        decision: Decision,
    },
    /// The result of a call that somebody else runs.
    Result {
        /// The call.
        call: CallAddress,
        /// The result; the driver checks that it fits the tool's output schema.
        result: Value,
    },
}

impl Posting {
    /// Returns the call that it is about.
    #[must_use]
    pub fn call(&self) -> &CallAddress {
        match self {
            Self::Answer { call, .. } | Self::Result { call, .. } => call,
        }
    }
}

/// A posting that was picked up, and stays where it is until its record is written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Posted {
    /// What came.
    pub posting: Posting,
    /// Where the store keeps it.
    pub place: String,
}

impl Posted {
    /// Makes one that a store keeps somewhere.
    pub fn new(posting: Posting, place: impl Into<String>) -> Self {
        Self {
            posting,
            place: place.into(),
        }
    }
}
