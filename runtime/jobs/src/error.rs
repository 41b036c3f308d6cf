//! The errors of operations on jobs.

use helve_agent::session::SessionError;
use helve_core::transcript::SessionId;
use helve_state::StateError;

/// An error of an operation on jobs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// There is no job of this name, or not below the session that asks.
    #[error("job `{name}` not found")]
    NotFound {
        /// The name.
        name: SessionId,
    },
    /// The job is over.
    #[error("job `{name}` is over already")]
    Over {
        /// The name.
        name: SessionId,
    },
    /// The session of a job, or of an agent that is told about it, cannot be read or written.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The queue cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
}
