//! A call within its turn.

use serde::{Deserialize, Serialize};

use super::{Bounds, CallQuestion, Cover, Execution, Outcome, not_run};
use helve_core::transcript::ToolCall;

/// A call of the current round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CallSlot {
    pub(super) call: ToolCall,
    pub(super) state: SlotState,
    /// Whether it runs alone. Until it is planned, nothing says that it need not.
    pub(super) exclusive: bool,
    pub(super) idempotent: bool,
    pub(super) execution: Execution,
    /// Whether it says what it would do instead of doing it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) dry_run: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) approved: bool,
    /// Whether it was started, which a crash does not undo.
    pub(super) began: bool,
    /// The message of the approver for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<Box<str>>,
    /// What a delegate that is running was given, so that no other call is given it.
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

    /// Gives the call its outcome, with the message of the approver.
    pub(super) fn close(&mut self, outcome: Outcome, cause: Cause) {
        let outcome = match self.note.take() {
            Some(note) if cause == Cause::Reported => not_run::with_note(outcome, &note),
            _ => outcome,
        };
        self.granted = None;
        self.state = SlotState::Done { outcome, cause };
    }
}

/// How far a call has come, with what is needed to go on.
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

/// Where an outcome came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cause {
    /// The driver reported it.
    Reported,
    /// A policy denied the call, or a person rejected it.
    Denied,
    /// The turn gave it, since the call does not run.
    Closed,
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallState {
    /// The call is not planned yet.
    Unplanned,
    /// The call needs approval, or was asked about and is not decided.
    Asking,
    /// It may run.
    Allowed,
    /// It runs, or ran when the process died.
    Running,
    /// It was submitted for external execution.
    Submitted,
    /// It has its outcome.
    Finished,
}

impl CallState {
    /// Returns the name, as in the JSON.
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

    /// Takes the next call and says whether it may start.
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
