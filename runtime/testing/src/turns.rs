//! What happens in a case, step by step.

use helve_agent::Delivery;
use helve_core::transcript::{Note, NoteSource};
use serde::Deserialize;
use serde_json::Value;

use crate::answers::CaseDecision;

/// A step of a case.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CaseTurn {
    /// The user says something, and a turn runs.
    Say(String),
    /// Another process answers the question about a call.
    Answer {
        /// The address of the call, such as `t1/1.0`.
        call: String,
        /// The answer.
        decision: CaseDecision,
        /// Whether the session refuses the answer.
        #[serde(default)]
        is_refused: bool,
    },
    /// Another process posts the result of a call.
    Result {
        /// The address of the call.
        call: String,
        /// The result.
        value: Value,
        /// Whether the session refuses the result.
        #[serde(default)]
        is_refused: bool,
    },
    /// A note is queued.
    Note(CaseNote),
    /// A note is revoked.
    Revoke(String),
    /// Another process loads the session, and continues the turn that is open.
    Resume,
    /// Another process loads the session, and interrupts the turn that is open.
    Interrupt,
    /// Another process loads the session.
    Reload,
}

/// A note that is queued while a turn runs, or before it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CaseNote {
    /// The id.
    pub id: String,
    /// The text.
    pub text: String,
    /// Whether the model reads the note with the next prompt, and not with its next call.
    #[serde(default)]
    pub after: bool,
    /// Whether the queue refuses the note.
    #[serde(default)]
    pub is_refused: bool,
}

impl CaseNote {
    pub(crate) fn note(&self) -> Note {
        Note::new(NoteSource::User, self.id.clone(), self.text.clone())
    }

    pub(crate) fn delivery(&self) -> Delivery {
        match self.after {
            true => Delivery::After,
            false => Delivery::Now,
        }
    }
}

/// An action at an event. Each trigger acts once.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CaseTrigger {
    /// The event, which may have further keys.
    pub on: Value,
    /// The action.
    #[serde(rename = "do")]
    pub action: CaseAction,
}

/// What happens at an event.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CaseAction {
    /// The user interrupts the turn.
    Interrupt,
    /// A note is queued.
    Note(CaseNote),
    /// A note is revoked.
    Revoke(String),
}
