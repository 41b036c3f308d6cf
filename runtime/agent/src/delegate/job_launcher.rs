//! What starts background jobs.

use futures_util::future::BoxFuture;

use crate::session::{Entry, JobOrigin};
use helve_core::toolset::Toolset;

/// Starts background jobs, such as those of a folder of sessions that several processes work on.
///
/// A job is a session of its own. The launcher creates it with the [name](JobOrigin::name) of the job as its id, the
/// origin in its metadata, and the beginning of its turn as its next entry; the process that holds the session then
/// [resumes](crate::Agent::resume) the turn with the [agent of the job](crate::Agent::for_job).
pub trait JobLauncher: Send + Sync {
    /// Starts a job. A job that was started before is not started again.
    ///
    /// # Errors
    /// The reason why the job does not start, for the model.
    fn launch(&self, job: NewJob) -> BoxFuture<'_, Result<(), String>>;

    /// Returns the tools for jobs, which agents with delegates have besides `task`. By default there are none.
    fn tools(&self) -> Toolset {
        Toolset::empty()
    }
}

/// A job that is to start.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewJob {
    /// The task, and who gave it.
    pub origin: JobOrigin,
    /// The beginning of its turn, with its prompt, its bounds and its authority.
    pub begin: Entry,
}

impl NewJob {
    /// Creates a job.
    #[must_use]
    pub const fn new(origin: JobOrigin, begin: Entry) -> Self {
        Self { origin, begin }
    }
}
