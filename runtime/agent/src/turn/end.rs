//! The reasons why a turn ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a turn ended.
///
/// ```
/// use helve::agent::turn::EndReason;
///
/// assert_eq!(EndReason::Tokens.to_string(), "the bound on tokens was reached");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndReason {
    /// The model had nothing more to do.
    Finished,
    /// The last reply reached its output limit before it called a tool.
    OutputLimit,
    /// The model refused.
    Refused,
    /// The model may not be called again.
    ModelCalls,
    /// The model wanted more tool calls than it may make.
    ToolCalls,
    /// The model called one tool too many times in a row.
    SameTool,
    /// The model made one and the same call too many times in a row.
    IdenticalCalls,
    /// The model made the same calls over and over.
    Repeating,
    /// Too many calls in a row were denied or rejected.
    Denials,
    /// The tokens are used up.
    Tokens,
    /// The money is used up.
    Cost,
    /// The time is up.
    WallTime,
    /// The turn was interrupted.
    Interrupted,
    /// The model could not reply.
    ModelFailed,
    /// A tool met an error that ends a run.
    Fatal,
    /// A guard blocked the prompt or the reply.
    Blocked,
    /// Guards demanded another reply too often.
    Reviews,
    /// Another agent goes on with the prompt, in the next turn.
    HandedOff,
}

impl std::fmt::Display for EndReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Finished => "finished",
            Self::OutputLimit => "the reply reached its output limit",
            Self::Refused => "the model refused",
            Self::ModelCalls => "the bound on model calls was reached",
            Self::ToolCalls => "the bound on tool calls was reached",
            Self::SameTool => "the bound on calls of one tool in a row was reached",
            Self::IdenticalCalls => "the bound on identical calls in a row was reached",
            Self::Repeating => "the same calls were repeated",
            Self::Denials => "too many calls in a row were denied",
            Self::Tokens => "the bound on tokens was reached",
            Self::Cost => "the bound on cost was reached",
            Self::WallTime => "the bound on wall time was reached",
            Self::Interrupted => "interrupted",
            Self::ModelFailed => "the model failed",
            Self::Fatal => "a tool ended the run",
            Self::Blocked => "a guard blocked it",
            Self::Reviews => "the bound on reviews was reached",
            Self::HandedOff => "handed off to another agent",
        })
    }
}

impl EndReason {
    /// Returns whether work in flight is stopped for this reason, rather than awaited.
    #[must_use]
    pub fn stops(self) -> bool {
        matches!(self, Self::Interrupted | Self::Fatal | Self::WallTime)
    }

    /// Returns whether a [bound](super::Bounds) ended the turn, so that another turn could go on with the work.
    ///
    /// ```
    /// use helve::agent::turn::EndReason;
    ///
    /// assert!(EndReason::Cost.is_bound());
    /// assert!(!EndReason::Interrupted.is_bound());
    /// ```
    #[must_use]
    pub fn is_bound(self) -> bool {
        matches!(
            self,
            Self::ModelCalls
                | Self::ToolCalls
                | Self::SameTool
                | Self::IdenticalCalls
                | Self::Repeating
                | Self::Denials
                | Self::Tokens
                | Self::Cost
                | Self::WallTime
                | Self::Reviews
        )
    }
}
