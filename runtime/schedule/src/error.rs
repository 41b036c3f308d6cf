//! Errors of schedules.

use helve_agent::session::SessionError;
use helve_state::StateError;

/// A text that is no schedule expression, or one that never comes due.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no schedule: {reason}; write `0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`"
)]
#[non_exhaustive]
pub struct InvalidExpression {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

impl InvalidExpression {
    pub(crate) fn new(text: &str, reason: impl Into<String>) -> Self {
        let text = text.chars().take(100).collect();
        let reason = reason.into();
        Self { text, reason }
    }
}

/// An error of an operation on schedules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The expression is wrong.
    #[error(transparent)]
    Expression(#[from] InvalidExpression),
    /// A part of a new schedule is wrong.
    #[error("{reason}")]
    Invalid {
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// There is no such schedule.
    #[error("there is no schedule `{id}`")]
    NotFound {
        /// The id.
        id: String,
    },
    /// The principal has as many schedules as it may have.
    #[error("there are {limit} schedules already, and no more may be made; remove one first")]
    TooMany {
        /// The greatest number.
        limit: usize,
    },
    /// The caller may not make schedules.
    #[error("{reason}")]
    Refused {
        /// Why not, and who may.
        reason: &'static str,
    },
    /// Other processes changed the schedule at the same time, again and again.
    #[error("the schedule `{id}` is being changed by other processes; try again")]
    Busy {
        /// The id.
        id: String,
    },
    /// What is stored about a schedule cannot be read.
    #[error("what is stored about the schedule `{id}` cannot be read; remove it and make it again")]
    Unreadable {
        /// The id.
        id: String,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// The state file cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// A session cannot be read or written.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl ScheduleError {
    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Invalid { reason }
    }
}
