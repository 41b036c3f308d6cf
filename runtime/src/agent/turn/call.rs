//! A call within its turn.

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::transcript::ToolCall;

/// A call of the current round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Slot {
    pub(super) call: ToolCall,
    pub(super) state: CallState,
    /// Whether it runs alone. Until it is planned, nothing says that it need not.
    pub(super) exclusive: bool,
    pub(super) idempotent: bool,
}

impl Slot {
    pub(super) fn new(call: ToolCall) -> Self {
        Self {
            call,
            state: CallState::Unplanned,
            exclusive: true,
            idempotent: false,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, CallState::Done(_))
    }
}

/// How far a call has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CallState {
    /// Nobody has looked at it.
    Unplanned,
    /// Somebody has to be asked.
    Asking { reason: String },
    /// It may run.
    Allowed,
    /// It runs, or ran when the process died.
    Running,
    /// It has its outcome.
    Done(Outcome),
}

impl CallState {
    /// Names the state, for an error.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Unplanned => "not planned yet",
            Self::Asking { .. } => "waiting for an answer",
            Self::Allowed => "allowed and not started",
            Self::Running => "running",
            Self::Done(_) => "done",
        }
    }
}

/// Says which calls may start, walking over them in order.
///
/// A call starts when all earlier ones are done; or, if it is parallel-safe, when all earlier exclusive ones are done
/// and all earlier ones are planned, since an unplanned one may turn out exclusive.
#[derive(Debug)]
pub(super) struct Gate {
    all_done: bool,
    open: bool,
}

impl Gate {
    pub(super) fn new() -> Self {
        Self {
            all_done: true,
            open: true,
        }
    }

    /// Takes the next call and says whether it may start.
    pub(super) fn admits(&mut self, slot: &Slot) -> bool {
        let done = slot.is_done();
        let admitted = slot.state == CallState::Allowed
            && if slot.exclusive {
                self.all_done
            } else {
                self.open
            };
        self.all_done &= done;
        // An unplanned call counts as exclusive.
        self.open &= done || !slot.exclusive;
        admitted
    }
}
