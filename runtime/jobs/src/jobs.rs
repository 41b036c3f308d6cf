//! The jobs of an app: they are found, started and stopped here.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use helve_agent::journal::Durability;
use helve_agent::session::{
    Entry, JobOrigin, Posting, SessionError, SessionMetadata, SessionSummary, Sessions, TurnStarted,
};
use helve_agent::turn::Turn;
use helve_agent::{Agent, Conversation, JobLauncher, NewJob};
use helve_core::tool::ToolContext;
use helve_core::toolset::Toolset;
use helve_core::transcript::{Message, SessionId, TurnId};
use helve_model::ScriptedModel;
use helve_state::{NewWork, Put, StateError, WorkEntry, WorkQueue};

use crate::error::JobError;
use crate::job::{Job, JobStatus};

/// The turn with which a job begins.
const FIRST_TURN: &str = "t1";

/// What the agent of a job that is woken is told by its caller, before it reads the message.
const WOKEN: &str = "Another message has come. Read it, and go on.";

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
/// assert_eq!(runner.once(&CancellationToken::new()).await?, 1);
/// let job = &jobs.list(None).await?[0];
/// assert_eq!((job.status, &*job.text), (JobStatus::Done, "Rain again."));
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

    /// Returns what an [agent](Agent::background_jobs) starts jobs with, which are the jobs of its session.
    #[must_use]
    pub fn launcher(&self) -> Arc<dyn JobLauncher> {
        let jobs = self.clone();
        Arc::new(Launcher { jobs, below: None })
    }

    /// Returns what the agent of a job starts jobs with.
    pub(crate) fn launcher_below(&self, origin: &JobOrigin) -> Arc<dyn JobLauncher> {
        let below = Some(Box::new(origin.clone()));
        let jobs = self.clone();
        Arc::new(Launcher { jobs, below })
    }

    /// Returns the kind of the works in the queue.
    pub(crate) fn kind(&self) -> String {
        let folder = self.about.folder.as_deref().unwrap_or_default();
        let kind = format!("job {} {folder}", self.about.app);
        helve_core::support::text::first_bytes(&kind, WorkQueue::MAX_KEY_BYTES).to_owned()
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
        let is_called = |job: &&Job| job.origin.label.as_deref() == Some(text);
        let mut called = jobs.iter().filter(is_called);
        match (called.next(), called.next()) {
            (Some(job), None) => Ok(job.name.clone()),
            (Some(_), Some(_)) => Err(JobError::Ambiguous {
                label: text.to_owned(),
            }),
            (None, _) => Err(JobError::NotFound { name: text.into() }),
        }
    }

    /// Stops a job and the jobs below it: a process that works on one is told to stop, and one that no process works on is
    /// over at once.
    ///
    /// # Errors
    /// There is no such job, it is over, or the sessions cannot be read or written.
    pub async fn stop(&self, name: &SessionId, below: Option<&SessionId>) -> Result<(), JobError> {
        let job = self.find(name, below).await?;
        if job.status.is_over() {
            return Err(JobError::Over { name: name.clone() });
        }
        let others = self.list(Some(&job.origin.root)).await?;
        let mut stopped = vec![name.clone()];
        // A job is older than those below it.
        for other in others.iter().rev() {
            if stopped.contains(&other.origin.session) {
                stopped.push(other.name.clone());
            }
        }
        for name in &stopped {
            self.stop_one(name).await?;
        }
        Ok(())
    }

    /// Stops all jobs below a session; returns how many were not over.
    ///
    /// # Errors
    /// The sessions cannot be read or written.
    pub async fn stop_all(&self, below: &SessionId) -> Result<usize, JobError> {
        let jobs = self.list(Some(below)).await?;
        let live = jobs.iter().filter(|job| !job.status.is_over());
        let mut count = 0;
        for job in live {
            self.stop_one(&job.name).await?;
            count += 1;
        }
        Ok(count)
    }

    async fn stop_one(&self, name: &SessionId) -> Result<(), JobError> {
        let state = self.sessions.read(name).await?.session_state;
        let open = state.open_turns.iter().map(Turn::origin);
        let mut open = open.filter(|origin| origin.parent_call.is_none());
        let Some(turn) = open.next_back().map(|origin| origin.turn.clone()) else {
            return Ok(());
        };
        match self.sessions.post(name, Posting::stop(turn)).await {
            Err(SessionError::StalePosting { .. }) => return Ok(()),
            posted => posted?,
        }
        let loaded = match self.sessions.load(name).await {
            // The process that works on the job stops.
            Err(SessionError::InUse { .. }) => return Ok(()),
            loaded => loaded?,
        };
        let mut conversation = Conversation::from(loaded);
        // The agent asks no model: the request to stop comes first.
        let agent = Agent::new("stopped", ScriptedModel::new());
        let context = ToolContext::new();
        agent.resume(&mut conversation, &context, |_| {}).await?;
        drop(conversation);
        let job = self.find(name, None).await?;
        if job.status.is_over() {
            self.announce_end(&job).await?;
            let (kind, key) = (self.kind_of(&job), key(name, &job.turn));
            self.blocking(move |queue| queue.remove(&kind, &key))
                .await?;
        }
        Ok(())
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
                JobStatus::Waiting => !self.sessions.postings(&job.name).await?.is_empty(),
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

    /// Reports whether the process that has claimed a job does not hold its session: it has most likely died.
    async fn is_abandoned(&self, name: &SessionId) -> Result<bool, JobError> {
        match self.sessions.load(name).await {
            Err(SessionError::InUse { .. }) => Ok(false),
            loaded => Ok(loaded.map(drop).is_ok()),
        }
    }

    /// Starts a job, unless it was started before.
    async fn launch(&self, origin: JobOrigin, new: NewJob) -> Result<(), JobError> {
        let name = origin.name();
        let jobs = self.list(Some(&origin.root)).await?;
        if !jobs.iter().any(|job| job.name == name) {
            check_count(&jobs)?;
        }
        let about = self.about.clone().session(name.clone()).job(origin);
        let mut session = match self.sessions.create(about).await {
            Err(SessionError::Exists { .. }) => match self.sessions.load(&name).await {
                // Another process works on it.
                Err(SessionError::InUse { .. }) => return Ok(()),
                loaded => loaded?.session,
            },
            created => created?,
        };
        if session.state().turns == 0 {
            session.append(new.begin, Durability::Synced).await?;
        }
        drop(session);
        self.put(&name, &TurnId::from(FIRST_TURN)).await?;
        Ok(())
    }

    /// Returns the beginning of the next turn of a job that is done.
    pub(crate) async fn next_turn(&self, job: &Job) -> Result<TurnStarted, JobError> {
        check_count(&self.list(Some(&job.origin.root)).await?)?;
        let mut first = None;
        let read = self.sessions.visit(&job.name, u64::MAX, |line| {
            if let Entry::TurnStarted(started) = &line.entry
                && started.parent_call.is_none()
            {
                first.get_or_insert_with(|| started.clone());
            }
        });
        read.await?;
        let state = self.sessions.read(&job.name).await?.session_state;
        let next = first.and_then(|first| {
            let prompt = Message::user(WOKEN);
            first.followed_by(state.next_turn(), prompt, state.label.clone(), &job.totals)
        });
        next.ok_or_else(|| JobError::Exhausted {
            name: job.name.clone(),
        })
    }

    /// Begins another turn of a job that is done. If another process does so at the same time, one turn begins.
    pub(crate) async fn wake(&self, name: &SessionId, next: TurnStarted) -> Result<(), JobError> {
        let mut session = match self.sessions.load(name).await {
            Err(SessionError::InUse { .. }) => return Ok(()),
            loaded => loaded?.session,
        };
        let turn = next.turn.clone();
        if session.state().next_turn() == turn {
            let begun = Entry::TurnStarted(next);
            session.append(begun, Durability::Synced).await?;
        }
        drop(session);
        self.put(name, &turn).await?;
        Ok(())
    }

    async fn put(&self, name: &SessionId, turn: &TurnId) -> Result<Put, JobError> {
        let work = NewWork {
            kind: self.kind(),
            key: key(name, turn),
            due: SystemTime::now(),
            payload: serde_json::Value::Null,
        };
        self.blocking(move |queue| queue.put(&work)).await
    }

    async fn held(&self) -> Result<Vec<WorkEntry>, JobError> {
        let works = self.blocking(|queue| queue.list(None)).await?;
        let now = SystemTime::now();
        let is_held =
            |work: &WorkEntry| work.holder.is_some() && work.lease_end.is_some_and(|end| end > now);
        Ok(works.into_iter().filter(is_held).collect())
    }

    async fn read(&self, name: &SessionId, held: &[WorkEntry]) -> Result<Job, JobError> {
        let job = Job::read(&self.sessions, name).await?;
        let mut job = job.ok_or_else(|| JobError::NotFound { name: name.clone() })?;
        if job.status == JobStatus::Queued && held.iter().any(|work| name_of(&work.key) == *name) {
            job.status = JobStatus::Running;
        }
        Ok(job)
    }

    fn kind_of(&self, job: &Job) -> String {
        let mut jobs = self.clone();
        jobs.about.folder.clone_from(&job.folder);
        jobs.kind()
    }

    async fn blocking<T: Send + 'static>(
        &self,
        call: impl FnOnce(&WorkQueue) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, JobError> {
        let queue = self.queue.clone();
        let called = tokio::task::spawn_blocking(move || call(&queue)).await;
        Ok(called.unwrap_or(Err(StateError::Stopped))?)
    }
}

/// Checks that another job may be live among those of a root session.
fn check_count(jobs: &[Job]) -> Result<(), JobError> {
    let live = jobs.iter().filter(|job| !job.status.is_over());
    if live.count() >= Jobs::MAX_LIVE {
        return Err(JobError::TooMany);
    }
    Ok(())
}

/// Returns the key of the work on a turn of a job. Each turn has its own, so that a job can be woken while the process that
/// has ended the turn before has not told the queue.
fn key(name: &SessionId, turn: &TurnId) -> String {
    match &**turn {
        FIRST_TURN => name.to_string(),
        turn => format!("{name} {turn}"),
    }
}

/// Returns the name of the job that the key of a work contains.
pub(crate) fn name_of(key: &str) -> SessionId {
    SessionId::from(key.split_once(' ').map_or(key, |(name, _)| name))
}

/// Returns the session at the root of the jobs of a session.
fn root_of(summaries: &[SessionSummary], session: &SessionId) -> SessionId {
    let mut summaries = summaries.iter();
    let job = summaries
        .find(|summary| summary.session == *session)
        .and_then(|summary| summary.job.as_deref());
    job.map_or_else(|| session.clone(), |origin| origin.root.clone())
}

/// Starts the jobs of a session.
struct Launcher {
    jobs: Jobs,
    /// The job whose agent starts them.
    below: Option<Box<JobOrigin>>,
}

impl JobLauncher for Launcher {
    fn launch(&self, job: NewJob) -> BoxFuture<'_, Result<(), String>> {
        let origin = match &self.below {
            Some(parent) => job.origin.clone().below(parent),
            None => job.origin.clone(),
        };
        let launching = self.jobs.launch(origin, job);
        async move { launching.await.map_err(|error| error.to_string()) }.boxed()
    }

    fn tools(&self) -> Toolset {
        self.jobs.toolset()
    }
}
