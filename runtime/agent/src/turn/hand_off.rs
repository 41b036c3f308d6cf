//! The end of a turn whose prompt another agent goes on with.

use serde::Deserialize;

use super::call::{CallSlot, Cause, SlotState};
use super::{Bounds, EndReason, Execution, Turn};
use helve_core::transcript::{AgentId, TurnId};

/// A hand-off: another agent goes on with the prompt of a turn that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandOff {
    /// The agent that handed off.
    pub from: AgentId,
    /// The turn of that agent.
    pub turn: TurnId,
    /// The agent that goes on.
    pub to: AgentId,
    /// What the agent that goes on has to know.
    pub brief: String,
    /// The bounds that are left for the prompt. Each hand-off uses up one of the [depth](Bounds::depth), so that hand-offs
    /// end.
    pub bounds: Bounds,
}

#[derive(Deserialize)]
struct Brief {
    #[serde(default)]
    brief: String,
}

impl Turn {
    /// Returns the hand-off with which the turn ended, if it ended with one.
    #[must_use]
    pub fn hand_off(&self) -> Option<HandOff> {
        if self.end() != Some(EndReason::HandedOff) {
            return None;
        }
        let (slot, to) = self.calls.iter().find_map(|slot| {
            let to = handed_to(slot)?;
            Some((slot, to))
        })?;
        let arguments = serde_json::from_str::<Brief>(&slot.call.arguments);
        let rest = self.remaining();
        Some(HandOff {
            from: self.origin.agent.clone(),
            turn: self.origin.turn.clone(),
            to: to.clone(),
            brief: arguments.map_or_else(|_| String::new(), |arguments| arguments.brief),
            bounds: Bounds {
                depth: rest.depth.saturating_sub(1),
                ..rest
            },
        })
    }

    /// Returns the reason why no other agent can go on with the prompt, if there is one.
    pub(crate) fn refused_hand_off(&self) -> Option<String> {
        let bound = match self.bounds.depth {
            0 => "hand-offs and delegation (depth)",
            _ => self.remaining().exhausted_bound()?,
        };
        Some(format!(
            "nothing of the bound on {bound} is left for another agent: answer yourself"
        ))
    }

    /// Reports whether the result of a call hands the prompt off.
    pub(super) fn is_handed_off_by(&self, index: usize) -> bool {
        self.bounds.depth > 0 && handed_to(&self.calls[index]).is_some()
    }
}

/// Returns the agent to which a call that has its result handed the prompt off.
fn handed_to(slot: &CallSlot) -> Option<&AgentId> {
    match (&slot.execution, &slot.state) {
        (
            Execution::HandOff { agent },
            SlotState::Done {
                outcome,
                cause: Cause::Reported,
            },
        ) if !outcome.is_error => Some(agent),
        _ => None,
    }
}
