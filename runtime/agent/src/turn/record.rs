//! The records of a turn.

use serde::{Deserialize, Serialize};

use super::{Outcome, Plan, Purpose};
use crate::compaction::RetainedFacts;
use crate::exposure::ExposedTools;
use crate::journal::is_default;
use helve_core::transcript::{CallKey, Cost};
use helve_model::Reply;
use helve_permission::Decision;

/// Something that happened in a turn. It is on disk before it is applied.
///
/// ```
/// use helve::agent::turn::{Plan, Record};
/// use helve::permission::Verdict;
/// use helve::transcript::CallKey;
///
/// let record = Record::Planned { call: CallKey::new(1, 0), plan: Plan::new(Verdict::Allow) };
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
    /// A side step is to be made before the next reply.
    Wanted {
        /// What for; once before each reply.
        purpose: Purpose,
    },
    /// The model is being called.
    ModelStarted {
        /// The round that the reply will begin, or that the side step precedes, from one.
        round: u32,
        /// What for.
        purpose: Purpose,
    },
    /// The model replied.
    ModelDone {
        /// The round.
        round: u32,
        /// What for.
        #[serde(default, skip_serializing_if = "is_default")]
        purpose: Purpose,
        /// What the reply cost, by the prices of the day: a price that changes later changes no turn.
        #[serde(
            default,
            rename = "cost_micro_usd",
            skip_serializing_if = "Cost::is_zero"
        )]
        cost: Cost,
        /// The reply.
        #[serde(flatten)]
        reply: Reply,
    },
    /// The model could not reply, and no further attempt will be made. A side step that fails is done without.
    ModelFailed {
        /// The round.
        round: u32,
        /// What for.
        #[serde(default, skip_serializing_if = "is_default")]
        purpose: Purpose,
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
    /// The questions about these calls are going out. It is on disk before anybody is asked, so that the answer can be
    /// given to any process that has loaded the turn.
    Asked {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// The question about a call was answered.
    Answered {
        /// The call.
        call: CallKey,
        /// The answer.
        decision: Decision,
    },
    /// These calls are being run, here or by a delegate. It is on disk before they are, so that after a crash a call
    /// that never began and one in the middle can be told apart.
    Started {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// These calls are being submitted for external execution. It is on disk before they are.
    Submitted {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// A call has its outcome: it ran, here or elsewhere; or it was answered without running because it cannot run (an
    /// unknown tool, arguments that do not fit) and is then finished instead of planned.
    Finished {
        /// The call.
        call: CallKey,
        /// What came of it.
        outcome: Outcome,
    },
    /// A command wants to connect to a host after untrusted text was read, and the connection needs approval. It is on
    /// disk before they are.
    ConnectionAsked {
        /// The call that started a command last.
        call: CallKey,
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// Why it is asked about.
        reason: String,
    },
    /// The question about a connection was answered; the answer holds for the rest of the turn. It is on disk before the
    /// connection is made.
    ConnectionAnswered {
        /// The call that started a command last when it was asked.
        call: CallKey,
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// The answer.
        decision: Decision,
    },
    /// What the model is shown of its tools is another from now on. It is on disk before the model is called with it.
    Offered {
        /// Where the switches stand.
        offered: ExposedTools,
    },
    /// A summary took the place of what was said before. It follows the reply that is the summary.
    Compacted {
        /// The round that comes next.
        round: u32,
        /// What stands there now: the summary, and what helve itself knows to be worth keeping.
        text: String,
        /// The same as data, for the next one.
        #[serde(default)]
        kept: Box<RetainedFacts>,
        /// About how many tokens the conversation had.
        before: u64,
        /// About how many it has now.
        after: u64,
    },
    /// The conversation could not be made shorter, and stays as it was.
    NotCompacted {
        /// The round that comes next.
        round: u32,
        /// Why.
        why: String,
    },
    /// Time went by in which the driver was at work on the turn.
    Elapsed {
        /// How much since the last such record.
        milliseconds: u64,
    },
    /// The turn was interrupted.
    Interrupt,
    /// The process that ran the turn is gone, and another one goes on. What was in flight is cut off; what was asked and
    /// what was handed out is still out.
    Resumed,
}

/// A record came late, twice, or out of place. The turn is as it was before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("stale record `{record}`: {why}")]
pub struct StaleRecord {
    record: &'static str,
    why: String,
}

impl StaleRecord {
    pub(super) fn new(record: &Record, why: String) -> Self {
        let record = record.name();
        Self { record, why }
    }
}

impl Record {
    /// Creates the record of a reply to the conversation that cost nothing, or whose price is unknown.
    #[must_use]
    pub const fn model_done(round: u32, reply: Reply) -> Self {
        Self::ModelDone {
            round,
            purpose: Purpose::Reply,
            cost: Cost::ZERO,
            reply,
        }
    }

    /// Returns the record's type, as in its JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Wanted { .. } => "wanted",
            Self::ModelStarted { .. } => "model_started",
            Self::ModelDone { .. } => "model_done",
            Self::ModelFailed { .. } => "model_failed",
            Self::Planned { .. } => "planned",
            Self::Asked { .. } => "asked",
            Self::Answered { .. } => "answered",
            Self::Started { .. } => "started",
            Self::Submitted { .. } => "submitted",
            Self::Finished { .. } => "finished",
            Self::ConnectionAsked { .. } => "connection_asked",
            Self::ConnectionAnswered { .. } => "connection_answered",
            Self::Offered { .. } => "offered",
            Self::Compacted { .. } => "compacted",
            Self::NotCompacted { .. } => "not_compacted",
            Self::Elapsed { .. } => "elapsed",
            Self::Interrupt => "interrupt",
            Self::Resumed => "resumed",
        }
    }

    /// Returns the calls that the record is about, in order.
    #[must_use]
    pub fn calls(&self) -> &[CallKey] {
        match self {
            Self::Planned { call, .. }
            | Self::Answered { call, .. }
            | Self::ConnectionAsked { call, .. }
            | Self::ConnectionAnswered { call, .. }
            | Self::Finished { call, .. } => std::slice::from_ref(call),
            Self::Asked { calls } | Self::Started { calls } | Self::Submitted { calls } => calls,
            _ => &[],
        }
    }

    /// Returns the model call that the record is about.
    #[must_use]
    pub fn model_call(&self) -> Option<(u32, Purpose)> {
        match self {
            Self::ModelStarted { round, purpose }
            | Self::ModelDone { round, purpose, .. }
            | Self::ModelFailed { round, purpose, .. } => Some((*round, *purpose)),
            _ => None,
        }
    }
}
