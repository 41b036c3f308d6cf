//! What came of a call, whether it ran or not.

use serde::{Deserialize, Serialize};

use crate::permission::Decision;
use crate::transcript::{Content, Cost};

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// What the model reads.
    pub content: Content,
    /// Whether the call failed, or never ran.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
    /// Whether the failure ends the turn.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fatal: bool,
    /// What the call cost.
    #[serde(
        default,
        rename = "cost_micro_usd",
        skip_serializing_if = "Cost::is_zero"
    )]
    pub cost: Cost,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Outcome {
    /// Makes the outcome of a call that succeeded.
    #[must_use]
    pub fn ok(content: impl Into<Content>) -> Self {
        Self {
            content: content.into(),
            is_error: false,
            fatal: false,
            cost: Cost::ZERO,
        }
    }

    /// Makes the outcome of a call that failed.
    #[must_use]
    pub fn error(content: impl Into<Content>) -> Self {
        Self {
            is_error: true,
            ..Self::ok(content)
        }
    }

    /// Makes the outcome of a call whose failure ends the turn.
    #[must_use]
    pub fn fatal(content: impl Into<Content>) -> Self {
        Self {
            fatal: true,
            ..Self::error(content)
        }
    }

    /// Sets what the call cost.
    #[must_use]
    pub fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    fn not_run(text: impl Into<String>) -> Self {
        Self::error(Content::text(text))
    }

    /// A policy forbade the call.
    pub(super) fn denied(reason: &str) -> Self {
        Self::not_run(format!("Tool call denied: {reason}"))
    }

    /// The answer to the question was no, or there was none.
    pub(super) fn rejected(decision: &Decision) -> Self {
        match decision {
            Decision::RejectOnce {
                message: Some(message),
            }
            | Decision::RejectAlways {
                message: Some(message),
                ..
            } => Self::not_run(format!("Tool call rejected by user: {message}")),
            Decision::Unanswered { reason } => Self::denied(reason),
            // Whatever is not a yes is a no.
            _ => Self::not_run("Tool call rejected by user"),
        }
    }

    /// The turn was stopped before the call started.
    pub(super) fn never_started() -> Self {
        Self::not_run("Not run: the turn was stopped before this call started. It had no effect.")
    }

    /// The reply that made the call was refused or cut short from our side.
    pub(super) fn withdrawn() -> Self {
        Self::not_run("Not run: the reply that made this call did not come to its end.")
    }

    /// The process died while the call ran.
    pub(super) fn unknown() -> Self {
        Self::not_run(
            "Interrupted while it ran: whether it took effect is unknown. Find out before you repeat it.",
        )
    }

    /// The arguments of the call break off.
    pub(super) fn truncated(characters: usize) -> Self {
        Self::not_run(format!(
            "Not run: the arguments of this call broke off after {characters} characters, because the reply ended \
             there. Make the call again, with shorter arguments if the output limit was the reason."
        ))
    }

    /// The bound on tool calls is reached.
    pub(super) fn beyond(most: u32) -> Self {
        Self::not_run(format!(
            "Not run: this turn may make {most} tool calls, and has made them."
        ))
    }
}
