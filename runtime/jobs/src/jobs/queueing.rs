//! The work on jobs in the queue.

use std::time::SystemTime;

use super::Jobs;
use crate::error::JobError;
use crate::job::{Job, JobStatus};
use helve_agent::session::{Posting, ReceivedPosting, SessionError};
use helve_core::transcript::{SessionId, TurnId};
use helve_state::{NewWork, Put, StateError, WorkEntry, WorkQueue};

/// The turn with which a job begins.
pub(super) const FIRST_TURN: &str = "t1";

impl Jobs {
    /// Returns the kind of the works in the queue.
    pub(crate) fn kind(&self) -> String {
        let folder = self.about.folder.as_deref().unwrap_or_default();
        let kind = format!("job {} {folder}", self.about.app);
        helve_core::support::text::first_bytes(&kind, WorkQueue::MAX_KEY_BYTES).to_owned()
    }

    /// Puts the jobs of the folder into the queue that are not over and not in it, as after a crash. Those that a process
    /// had claimed which died since, and those that have what they waited for, are due at once.
    pub(crate) async fn requeue(&self) -> Result<(), JobError> {
        for job in self.list(None).await? {
            let is_ours = job.folder == self.about.folder;
            if !is_ours || job.status.is_over() {
                continue;
            }
            let is_due = match job.status {
                JobStatus::Running => self.is_abandoned(&job.name).await?,
                JobStatus::Waiting => self.is_answered(&job.name).await?,
                _ => false,
            };
            if is_due {
                let (kind, key) = (self.kind(), key(&job.name, &job.turn));
                self.blocking(move |queue| queue.remove(&kind, &key))
                    .await?;
            }
            self.put(&job.name, &job.turn).await?;
        }
        Ok(())
    }

    /// Returns whether there is work that [`JobRunner::once`](crate::JobRunner::once) could do in the folder. A job that waits
    /// for an answer is none.
    ///
    /// # Errors
    /// The sessions or the queue cannot be read or written.
    pub async fn has_work(&self) -> Result<bool, JobError> {
        self.requeue().await?;
        let kind = self.kind();
        for work in self.blocking(move |queue| queue.list(Some(&kind))).await? {
            let has_work = match self.find(&name_of(&work.key), None).await {
                Ok(job) if job.status == JobStatus::Waiting => self.is_answered(&job.name).await?,
                Err(JobError::NotFound { .. }) => false,
                found => found.map(|_| true)?,
            };
            if has_work {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reports whether something was posted to a job that waits which lets it go on. A message does not.
    pub(crate) async fn is_answered(&self, name: &SessionId) -> Result<bool, JobError> {
        let posted = self.sessions.postings(name).await?;
        let is_message = |posted: &ReceivedPosting| matches!(posted.posting, Posting::Say { .. });
        Ok(!posted.iter().all(is_message))
    }

    /// Reports whether the process that has claimed a job does not hold its session: it has most likely died.
    async fn is_abandoned(&self, name: &SessionId) -> Result<bool, JobError> {
        match self.sessions.load(name).await {
            Err(SessionError::InUse { .. }) => Ok(false),
            loaded => Ok(loaded.map(drop).is_ok()),
        }
    }

    pub(super) async fn put(&self, name: &SessionId, turn: &TurnId) -> Result<Put, JobError> {
        let work = NewWork {
            kind: self.kind(),
            key: key(name, turn),
            due: SystemTime::now(),
            payload: serde_json::Value::Null,
        };
        self.blocking(move |queue| queue.put(&work)).await
    }

    pub(super) async fn held(&self) -> Result<Vec<WorkEntry>, JobError> {
        let works = self.blocking(|queue| queue.list(None)).await?;
        let now = SystemTime::now();
        let is_held =
            |work: &WorkEntry| work.holder.is_some() && work.lease_end.is_some_and(|end| end > now);
        Ok(works.into_iter().filter(is_held).collect())
    }

    pub(super) fn kind_of(&self, job: &Job) -> String {
        let mut jobs = self.clone();
        jobs.about.folder.clone_from(&job.folder);
        jobs.kind()
    }

    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        call: impl FnOnce(&WorkQueue) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, JobError> {
        let queue = self.queue.clone();
        let called = tokio::task::spawn_blocking(move || call(&queue)).await;
        Ok(called.unwrap_or(Err(StateError::Stopped))?)
    }
}

/// Returns the key of the work on a turn of a job. Each turn has its own, so that a job can be woken while the process that
/// has ended the turn before has not told the queue.
pub(super) fn key(name: &SessionId, turn: &TurnId) -> String {
    match &**turn {
        FIRST_TURN => name.to_string(),
        turn => format!("{name} {turn}"),
    }
}

/// Returns the name of the job that the key of a work contains.
pub(crate) fn name_of(key: &str) -> SessionId {
    SessionId::from(key.split_once(' ').map_or(key, |(name, _)| name))
}
