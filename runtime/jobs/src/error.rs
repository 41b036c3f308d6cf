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
    /// Several jobs below the session have this label.
    #[error("several jobs are called `{label}`: use the name of one, as `job_list` lists them")]
    Ambiguous {
        /// The label.
        label: String,
    },
    /// The job is over.
    #[error("job `{name}` is over already")]
    Over {
        /// The name.
        name: SessionId,
    },
    /// The root session has as many jobs that are not over as it may have.
    #[error("8 jobs are not over: wait for one, or stop one with `job_stop`")]
    TooMany,
    /// The job is done, and nothing is left of its bounds.
    #[error("job `{name}` is done and cannot go on: nothing is left of its bounds")]
    Exhausted {
        /// The name.
        name: SessionId,
    },
    /// Too many messages wait for the session of a job, or of the agent that started it.
    #[error("100 messages wait for `{name}`, which reads them before its next step")]
    Unread {
        /// The session.
        name: SessionId,
    },
    /// The job that would start another one is being stopped.
    #[error("job `{name}` is being stopped")]
    Stopping {
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
