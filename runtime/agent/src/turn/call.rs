//! The calls of a turn and their states.

use serde::{Deserialize, Serialize};

use super::call_question::CallQuestion;
use super::{Bounds, Cover, Execution, Outcome, not_run};
use helve_core::transcript::ToolCall;

/// A call of the current round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CallSlot {
    pub(super) call: ToolCall,
    pub(super) state: SlotState,
    /// Whether the call runs alone. True until the call is planned, because it may turn out exclusive.
    pub(super) exclusive: bool,
    pub(super) idempotent: bool,
    pub(super) execution: Execution,
    /// Whether the call is a dry run, which describes its effects instead of performing them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) dry_run: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) approved: bool,
    /// Whether the approver changed the arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) edited: bool,
    /// Whether the call was started; a crash does not reset this.
    pub(super) began: bool,
    /// The message of the approver for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<Box<str>>,
    /// The bounds that were granted to a running delegate, so that they are not granted to another call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) granted: Option<Box<Bounds>>,
}

impl CallSlot {
    pub(super) fn new(call: ToolCall) -> Self {
        Self {
            call,
            state: SlotState::Unplanned,
            exclusive: true,
            idempotent: false,
            execution: Execution::Local,
            dry_run: false,
            approved: false,
            edited: false,
            began: false,
            note: None,
            granted: None,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, SlotState::Done { .. })
    }

    pub(super) fn is_running(&self) -> bool {
        self.state == SlotState::Running
    }

    pub(super) fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            SlotState::Done { outcome, .. } => Some(outcome),
            _ => None,
        }
    }

    /// Sets the outcome of the call, with the message of the approver.
    pub(super) fn close(&mut self, outcome: Outcome, cause: Cause) {
        let outcome = match self.note.take() {
            Some(note) if cause == Cause::Reported => not_run::with_note(outcome, &note),
            _ => outcome,
        };
        let outcome = match self.edited {
            true => not_run::with_edited_arguments(outcome, &self.call.arguments),
            false => outcome,
        };
        self.granted = None;
        self.state = SlotState::Done { outcome, cause };
    }
}

/// The state of a call, with the data that is needed to continue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SlotState {
    Unplanned,
    Asking(Box<OpenQuestion>),
    Allowed,
    Running,
    Submitted,
    Done { outcome: Outcome, cause: Cause },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct OpenQuestion {
    pub(super) question: CallQuestion,
    pub(super) covered_by: Vec<Cover>,
    pub(super) out: bool,
}

/// The origin of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cause {
    /// The driver reported it.
    Reported,
    /// A policy denied the call, or the approver rejected it.
    Denied,
    /// The turn created the outcome, because the call does not run.
    Closed,
}

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallState {
    /// The call is not planned yet.
    Unplanned,
    /// The call needs approval; the question may have been asked already.
    Asking,
    /// The call may run.
    Allowed,
    /// The call is running, or was running when the process died.
    Running,
    /// The call was submitted for external execution.
    Submitted,
    /// The call has its outcome.
    Finished,
}

impl CallState {
    /// Returns the name of the state, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unplanned => "unplanned",
            Self::Asking => "asking",
            Self::Allowed => "allowed",
            Self::Running => "running",
            Self::Submitted => "submitted",
            Self::Finished => "finished",
        }
    }
}

impl From<&SlotState> for CallState {
    fn from(state: &SlotState) -> Self {
        match state {
            SlotState::Unplanned => Self::Unplanned,
            SlotState::Asking(_) => Self::Asking,
            SlotState::Allowed => Self::Allowed,
            SlotState::Running => Self::Running,
            SlotState::Submitted => Self::Submitted,
            SlotState::Done { .. } => Self::Finished,
        }
    }
}

/// Determines which calls may start, in their order.
///
/// A call starts when all earlier ones are done; or, if it is parallel-safe, when all earlier exclusive ones are done
/// and all earlier ones are planned, since an unplanned one may turn out exclusive.
#[derive(Debug, Clone)]
pub(super) struct StartOrder {
    all_done: bool,
    allows_parallel: bool,
}

impl StartOrder {
    pub(super) fn new() -> Self {
        Self {
            all_done: true,
            allows_parallel: true,
        }
    }

    /// Takes the next call, and returns whether the call may start.
    pub(super) fn admits(&mut self, slot: &CallSlot) -> bool {
        let done = slot.is_done();
        let admitted = matches!(slot.state, SlotState::Allowed)
            && if slot.exclusive {
                self.all_done
            } else {
                self.allows_parallel
            };
        self.all_done &= done;
        // An unplanned call counts as exclusive.
        self.allows_parallel &= done || !slot.exclusive;
        admitted
    }
}
