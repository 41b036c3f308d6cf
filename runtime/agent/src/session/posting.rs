//! Postings: the messages of other processes to a session (answers to its questions, and results of its external
//! calls).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use helve_core::transcript::{CallAddress, Label};
use helve_permission::Decision;

/// A message of another process to a session, about one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Posting {
    /// The answer to a question.
    Answer {
        /// The call that the question refers to.
        call: CallAddress,
        /// The answer.
        decision: Decision,
    },
    /// The result of a call that is executed externally.
    Result {
        /// The call.
        call: CallAddress,
        /// The result; the driver checks it against the output schema of the tool.
        result: Value,
        /// The label of the sources of the result besides the tool; by default that of the user's own text.
        #[serde(default, skip_serializing_if = "Label::is_user")]
        label: Label,
    },
}

impl Posting {
    /// Creates the posting of an answer. Only a person's answer may be posted: the text of an agent or of another
    /// session must not answer a question.
    #[must_use]
    pub const fn answer(call: CallAddress, decision: Decision) -> Self {
        Self::Answer { call, decision }
    }

    /// Creates the posting of a result.
    #[must_use]
    pub fn result(call: CallAddress, result: Value) -> Self {
        Self::Result {
            call,
            result,
            label: Label::user(),
        }
    }

    /// Adds the label of the sources of a result. A program that posts the output of another session or agent adds the
    /// label of [the report](crate::TurnReport::label), and the session that takes the result is bound by the label. An
    /// answer has no label.
    #[must_use]
    pub fn with_label(mut self, from: &Label) -> Self {
        if let Self::Result { label, .. } = &mut self {
            label.join(from);
        }
        self
    }

    /// Returns the call that the posting refers to.
    #[must_use]
    pub fn call(&self) -> &CallAddress {
        match self {
            Self::Answer { call, .. } | Self::Result { call, .. } => call,
        }
    }
}

/// A posting that was read; the store keeps the posting until its record is written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReceivedPosting {
    /// The posting.
    pub posting: Posting,
    /// The location of the posting in the store.
    pub location: String,
}

impl ReceivedPosting {
    /// Creates a received posting with its location in the store.
    pub fn new(posting: Posting, place: impl Into<String>) -> Self {
        Self {
            posting,
            location: place.into(),
        }
    }
}
