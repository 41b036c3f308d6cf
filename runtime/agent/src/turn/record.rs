//! The records of a turn.

use serde::{Deserialize, Serialize};

use super::{Outcome, Plan, Purpose, Review};
use crate::compaction::RetainedFacts;
use crate::exposure::ExposedTools;
use crate::journal::is_default;
use helve_core::sandbox::FolderAccess;
use helve_core::transcript::{CallKey, Cost, Note, Totals};
use helve_model::Reply;
use helve_permission::Decision;

/// An event of a turn. It is on disk before it is applied.
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
    /// A side step was requested before the next reply.
    Wanted {
        /// The purpose, once before each reply.
        purpose: Purpose,
    },
    /// The model is being called.
    ModelStarted {
        /// The round that the reply will begin, or that the side step precedes, from 1.
        round: u32,
        /// The purpose.
        purpose: Purpose,
    },
    /// The model replied.
    ModelDone {
        /// The round.
        round: u32,
        /// The purpose.
        #[serde(default, skip_serializing_if = "is_default")]
        purpose: Purpose,
        /// The cost of the reply at the current prices: later changes of prices do not affect the turn.
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
    /// The model call failed, and will not be retried. If a side step fails, the turn continues without it.
    ModelFailed {
        /// The round.
        round: u32,
        /// The purpose.
        #[serde(default, skip_serializing_if = "is_default")]
        purpose: Purpose,
        /// The error.
        error: String,
    },
    /// A call was planned. The plan depends on function pointers and configuration, so it is recorded, because it may
    /// differ later.
    Planned {
        /// The call.
        call: CallKey,
        /// The plan.
        plan: Plan,
    },
    /// The questions about these calls are being asked. The record is on disk before any question is asked, so that the
    /// answers can be given to any process that has loaded the turn.
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
    /// The approver changed the arguments of a call, which was planned again with these arguments: `arguments` of the plan.
    /// The arguments of the model are in its reply.
    Edited {
        /// The call.
        call: CallKey,
        /// The new plan.
        plan: Plan,
    },
    /// These calls are being started, here or by a delegate. The record is on disk before they start, so that calls
    /// that never started and interrupted calls can be distinguished after a crash.
    Started {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// These calls are being submitted for external execution. The record is on disk before they are submitted.
    Submitted {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// A call has its outcome: the call ran, here or elsewhere, or it was answered without running because it cannot
    /// run (an unknown tool, invalid arguments). In the latter case it is finished instead of planned.
    Finished {
        /// The call.
        call: CallKey,
        /// The outcome.
        outcome: Outcome,
    },
    /// A command wants to connect to a host after untrusted text was read, or to a host that no rule allows, and the
    /// connection needs approval. The record is on disk before the approver is asked.
    ConnectionAsked {
        /// The call that started a command most recently.
        call: CallKey,
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// The reason why the connection needs approval.
        reason: String,
        /// Whether no rule of the sandbox allows the host; the connection may also need approval because untrusted text
        /// was read.
        #[serde(default, skip_serializing_if = "is_default")]
        unlisted: bool,
    },
    /// The question about a connection was answered; the answer applies to the rest of the turn, or to the command alone
    /// if no rule allows the host. The record is on disk before the connection is made.
    ConnectionAnswered {
        /// The call that had started a command most recently when the question was asked.
        call: CallKey,
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// The answer.
        decision: Decision,
    },
    /// A command failed because its sandbox does not let it use a folder, and is run again if the folder is allowed. The
    /// record is on disk before the approver is asked.
    FolderAsked {
        /// The call that runs the command.
        call: CallKey,
        /// The folder.
        folder: FolderAccess,
        /// The reason for the question.
        reason: String,
    },
    /// The question about a folder was answered. The record is on disk before the command is run again.
    FolderAnswered {
        /// The call that runs the command.
        call: CallKey,
        /// The folder.
        folder: FolderAccess,
        /// The answer.
        decision: Decision,
    },
    /// The tools that are exposed to the model change. The record is on disk before the model is called with the new
    /// tools.
    Offered {
        /// The new state of tool exposure.
        offered: ExposedTools,
    },
    /// A summary replaced the earlier messages. The record follows the reply that contains the summary.
    Compacted {
        /// The next round.
        round: u32,
        /// The text that replaces the messages: the summary, and the facts that helve retains.
        text: String,
        /// The retained facts as data, for the next compaction.
        #[serde(default)]
        kept: Box<RetainedFacts>,
        /// The approximate number of tokens before the compaction.
        before: u64,
        /// The approximate number of tokens after the compaction.
        after: u64,
    },
    /// The compaction failed, and the conversation is unchanged.
    NotCompacted {
        /// The next round.
        round: u32,
        /// The reason.
        why: String,
    },
    /// Notes for the model, which it reads with its next call. A turn has each id once.
    Noted {
        /// The notes, in order.
        notes: Vec<Note>,
    },
    /// A guard has decided about the prompt or the last reply.
    Reviewed {
        /// The round of the reply; 0 for the prompt.
        round: u32,
        /// The name of the guard.
        by: String,
        /// The decision.
        review: Review,
        /// What the guards of this review consumed of models.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<Box<Totals>>,
    },
    /// The driver worked on the turn for some time.
    Elapsed {
        /// The time since the last such record, in milliseconds.
        milliseconds: u64,
    },
    /// The turn was interrupted.
    Interrupt,
    /// The process that ran the turn has ended, and another process continues the turn. Work in flight was interrupted;
    /// open questions and submitted calls remain open.
    Resumed,
}

/// A record is late, a duplicate, or out of order. The turn is unchanged.
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
    /// Creates the record of a reply to the conversation that costs nothing, or whose cost is unknown.
    #[must_use]
    pub const fn model_done(round: u32, reply: Reply) -> Self {
        Self::ModelDone {
            round,
            purpose: Purpose::Reply,
            cost: Cost::ZERO,
            reply,
        }
    }

    /// Returns the type of the record, as in JSON.
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
            Self::Edited { .. } => "edited",
            Self::Started { .. } => "started",
            Self::Submitted { .. } => "submitted",
            Self::Finished { .. } => "finished",
            Self::ConnectionAsked { .. } => "connection_asked",
            Self::ConnectionAnswered { .. } => "connection_answered",
            Self::FolderAsked { .. } => "folder_asked",
            Self::FolderAnswered { .. } => "folder_answered",
            Self::Offered { .. } => "offered",
            Self::Compacted { .. } => "compacted",
            Self::NotCompacted { .. } => "not_compacted",
            Self::Noted { .. } => "noted",
            Self::Reviewed { .. } => "reviewed",
            Self::Elapsed { .. } => "elapsed",
            Self::Interrupt => "interrupt",
            Self::Resumed => "resumed",
        }
    }

    /// Returns the calls that the record refers to, in order.
    #[must_use]
    pub fn calls(&self) -> &[CallKey] {
        match self {
            Self::Planned { call, .. }
            | Self::Answered { call, .. }
            | Self::Edited { call, .. }
            | Self::ConnectionAsked { call, .. }
            | Self::ConnectionAnswered { call, .. }
            | Self::FolderAsked { call, .. }
            | Self::FolderAnswered { call, .. }
            | Self::Finished { call, .. } => std::slice::from_ref(call),
            Self::Asked { calls } | Self::Started { calls } | Self::Submitted { calls } => calls,
            _ => &[],
        }
    }

    /// Returns the model call that the record refers to.
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
