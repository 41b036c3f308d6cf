//! The jobs of an app: they are found here, and started, stopped and put into the queue below.

mod launching;
mod queueing;
mod stopping;

use std::fmt;
use std::sync::Arc;

use helve_agent::session::{SessionError, SessionMetadata, SessionSummary, Sessions};
use helve_core::transcript::SessionId;
use helve_state::{WorkEntry, WorkQueue};

use crate::error::JobError;
use crate::job::{Job, JobStatus, one_line};

pub(crate) use queueing::name_of;

type Listener = dyn Fn(&Job, &str) + Send + Sync;

/// The jobs of an app in a folder. Clones share them.
///
/// ```
/// use std::sync::Arc;
/// use helve::ToolContext;
/// use helve::agent::session::{MemoryStore, SessionMetadata, Sessions};
/// use helve::agent::{Agent, Conversation};
/// use helve::jobs::{JobRunner, JobStatus, Jobs};
/// use helve::model::ScriptedModel;
/// use helve::state::WorkQueue;
/// use helve::transcript::Message;
/// use serde_json::json;
/// use tokio_util::sync::CancellationToken;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// let sessions = Sessions::new(MemoryStore::new());
/// let queue = WorkQueue::open(&folder.path().join("state.db"))?;
/// let about = SessionMetadata::new("example");
/// let jobs = Jobs::new(sessions.clone(), queue, about.clone());
///
/// let poet = Agent::new("poet", ScriptedModel::new().say("Rain again."));
/// let task = json!({ "agent": "poet", "prompt": "A line about the weather.", "background": true });
/// let model = ScriptedModel::new().call("task", task).say("The poet is at work.");
/// let agent = Agent::new("main", model).delegate(poet).background_jobs(jobs.launcher());
/// let mut conversation = Conversation::new(sessions.create(about).await?);
/// let context = ToolContext::new();
/// agent.run_in(&mut conversation, Message::user("A line, please."), &context, |_| {}).await?;
///
/// let runner = JobRunner::new(jobs.clone(), [agent], ToolContext::new);
/// assert!(jobs.has_work().await?);
/// assert_eq!(runner.once(&CancellationToken::new()).await?, 1);
/// let job = &jobs.list(None).await?[0];
/// assert_eq!((job.status, &*job.text), (JobStatus::Done, "Rain again."));
/// assert!(!jobs.has_work().await?);
/// // The agent reads this with its next prompt.
/// let told = sessions.postings(conversation.session().id()).await?;
/// assert_eq!(told.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Jobs {
    pub(crate) sessions: Sessions,
    pub(crate) queue: WorkQueue,
    /// What all jobs that are started here have in common.
    about: SessionMetadata,
    pub(crate) listener: Option<Arc<Listener>>,
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs")
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}

impl Jobs {
    /// The maximum number of jobs below one session that are not over.
    pub const MAX_LIVE: usize = 8;

    /// Creates the jobs of an app: jobs that are started have the app, the folder and the principal of `about`. Only
    /// processes of the same app and folder work on them.
    #[must_use]
    pub fn new(sessions: Sessions, queue: WorkQueue, about: SessionMetadata) -> Self {
        Self {
            sessions,
            queue,
            about,
            listener: None,
        }
    }

    /// Sets what hears of each notice that this process posts about a job.
    #[must_use]
    pub fn on_notice(mut self, listener: impl Fn(&Job, &str) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Lists the jobs below a session, or all jobs of all folders, the latest first. A job that cannot be read is left out
    /// and logged.
    ///
    /// # Errors
    /// The sessions or the queue cannot be read.
    pub async fn list(&self, below: Option<&SessionId>) -> Result<Vec<Job>, JobError> {
        let summaries = self.sessions.list().await?;
        let root = below.map(|session| root_of(&summaries, session));
        let held = self.held().await?;
        let mut jobs = Vec::new();
        for summary in &summaries {
            let Some(origin) = &summary.job else {
                continue;
            };
            if root.as_ref().is_some_and(|root| origin.root != *root) {
                continue;
            }
            match self.read(&summary.session, &held).await {
                Ok(job) => jobs.push(job),
                Err(error) => {
                    tracing::warn!(job = %summary.session, %error, "a job cannot be read");
                }
            }
        }
        jobs.sort_by_key(|job| std::cmp::Reverse(job.created));
        Ok(jobs)
    }

    /// Finds a job by its name; with `below`, only if it has the same root as that session.
    ///
    /// # Errors
    /// [`JobError::NotFound`] if there is none, or the sessions or the queue cannot be read.
    pub async fn find(&self, name: &SessionId, below: Option<&SessionId>) -> Result<Job, JobError> {
        let job = match self.read(name, &self.held().await?).await {
            Err(JobError::Session(
                SessionError::Unknown { .. } | SessionError::InvalidId { .. },
            )) => {
                return Err(JobError::NotFound { name: name.clone() });
            }
            read => read?,
        };
        if let Some(session) = below
            && job.origin.root != root_of(&self.sessions.list().await?, session)
        {
            return Err(JobError::NotFound { name: name.clone() });
        }
        Ok(job)
    }

    /// Returns the name of the job with a name or a label below the root of a session.
    ///
    /// # Errors
    /// There is no such job, several have the label, or the sessions or the queue cannot be read.
    pub async fn resolve(&self, text: &str, below: &SessionId) -> Result<SessionId, JobError> {
        let jobs = self.list(Some(below)).await?;
        if let Some(job) = jobs.iter().find(|job| job.name.as_str() == text) {
            return Ok(job.name.clone());
        }
        let label = one_line(text);
        let is_called = |job: &&Job| job.called().as_ref() == Some(&label);
        let mut called = jobs.iter().filter(is_called);
        match (called.next(), called.next()) {
            (Some(job), None) => Ok(job.name.clone()),
            (Some(_), Some(_)) => Err(JobError::Ambiguous { label }),
            (None, _) => Err(JobError::NotFound { name: text.into() }),
        }
    }

    async fn read(&self, name: &SessionId, held: &[WorkEntry]) -> Result<Job, JobError> {
        let job = Job::read(&self.sessions, name).await?;
        let mut job = job.ok_or_else(|| JobError::NotFound { name: name.clone() })?;
        if job.status == JobStatus::Queued && held.iter().any(|work| name_of(&work.key) == *name) {
            job.status = JobStatus::Running;
        }
        Ok(job)
    }
}

/// Returns the session at the root of the jobs of a session.
fn root_of(summaries: &[SessionSummary], session: &SessionId) -> SessionId {
    let mut summaries = summaries.iter();
    let job = summaries
        .find(|summary| summary.session == *session)
        .and_then(|summary| summary.job.as_deref());
    job.map_or_else(|| session.clone(), |origin| origin.root.clone())
}
