//! What happened: the alphabet of the fold.

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::model::Reply;
use crate::permission::{Decision, Verdict};
use crate::transcript::CallKey;

/// Something that happened in a turn. It is on disk before it is applied.
///
/// ```
/// use helve_runtime::agent::turn::{Plan, Record};
/// use helve_runtime::permission::Verdict;
/// use helve_runtime::transcript::CallKey;
///
/// let plan = Plan { verdict: Verdict::Allow, exclusive: true, idempotent: false };
/// let record = Record::Planned { call: CallKey::new(1, 0), plan };
/// assert_eq!(
///     serde_json::to_string(&record)?,
///     r#"{"type":"planned","call":"1.0","plan":{"verdict":{"type":"allow"},"exclusive":true,"idempotent":false}}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Record {
    /// The model is being called.
    ModelStarted {
        /// The round that the reply will begin, from one.
        round: u32,
        /// What for.
        purpose: Purpose,
    },
    /// The model replied.
    ModelDone {
        /// The round.
        round: u32,
        /// The reply.
        #[serde(flatten)]
        reply: Reply,
    },
    /// The model could not reply, and no further attempt will be made.
    ModelFailed {
        /// The round.
        round: u32,
        /// Why.
        error: String,
    },
    /// A call was looked at. What comes of function pointers and configuration is recorded, for it may differ later.
    Planned {
        /// The call.
        call: CallKey,
        /// What was found.
        plan: Plan,
    },
    /// The question about a call was answered.
    Answered {
        /// The call.
        call: CallKey,
        /// The answer.
        decision: Decision,
    },
    /// These calls are being run. It is on disk before they are, so that after a crash a call that never began and
    /// one in the middle can be told apart.
    Started {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// A call has its outcome: it ran, or it was answered without running because it cannot run (an unknown tool,
    /// arguments that do not fit) and is then finished instead of planned.
    Finished {
        /// The call.
        call: CallKey,
        /// What came of it.
        outcome: Outcome,
    },
    /// Somebody interrupted the turn.
    Interrupt,
    /// The process that ran the turn is gone, and another one goes on. What was in flight is cut off.
    Resumed,
}

/// What was found when a call was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Whether it may run.
    pub verdict: Verdict,
    /// Whether it runs alone and in its place.
    pub exclusive: bool,
    /// Whether it may run again where a crash cut it off.
    pub idempotent: bool,
}

/// What the model is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// To reply to the conversation.
    Reply,
}

/// A record came late, twice, or out of place. The turn is as it was before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("stale record `{record}`: {why}")]
pub struct Stale {
    /// The type of the record.
    record: &'static str,
    why: String,
}

impl Stale {
    pub(super) fn new(record: &Record, why: impl Into<String>) -> Self {
        Self {
            record: record.name(),
            why: why.into(),
        }
    }
}

impl Record {
    /// Returns the record's type, as in its JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ModelStarted { .. } => "model_started",
            Self::ModelDone { .. } => "model_done",
            Self::ModelFailed { .. } => "model_failed",
            Self::Planned { .. } => "planned",
            Self::Answered { .. } => "answered",
            Self::Started { .. } => "started",
            Self::Finished { .. } => "finished",
            Self::Interrupt => "interrupt",
            Self::Resumed => "resumed",
        }
    }
}
