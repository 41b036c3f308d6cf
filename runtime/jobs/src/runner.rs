//! Works on jobs.

mod waking;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use helve_agent::session::SessionError;
use helve_agent::{Agent, Conversation, NoteQueue, TurnStatus, WaitMode};
use helve_core::support::lock::Mutex;
use helve_core::tool::ToolContext;
use helve_core::transcript::{AgentId, SessionId};
use helve_permission::{Approver, DeferAll};
use helve_state::{ClaimedWork, Runner, WorkOutcome};
use tokio_util::sync::CancellationToken;

use crate::error::JobError;
use crate::job::{Job, JobStatus};
use crate::jobs::{Jobs, name_of};

/// The time after which a job that waits is looked at again.
const PAUSE: Duration = Duration::from_secs(2);
/// The time after which a job that could not be continued is tried again.
const LONG_PAUSE: Duration = Duration::from_secs(60);
/// The time for which another process does not claim a job of a process that died.
const LEASE: Duration = Duration::from_secs(15);

/// Works on the jobs of a folder, of whichever process they are.
///
/// A job that asks the user waits: its question is told to the session that started it, and an
/// [answer](helve_agent::session::Sessions::post) that is posted to its session continues it.
#[derive(Clone)]
pub struct JobRunner {
    jobs: Jobs,
    shared: Arc<Shared>,
    runner: Runner,
    approver: Arc<dyn Approver>,
    wakes_sessions: bool,
}

struct Shared {
    /// The agents of root sessions, whose delegates work on jobs.
    agents: Mutex<Vec<Agent>>,
    /// Creates the context of a job, with a state of its own.
    context: Box<dyn Fn() -> ToolContext + Send + Sync>,
}

impl std::fmt::Debug for JobRunner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let jobs = &self.jobs;
        f.debug_struct("JobRunner")
            .field("jobs", jobs)
            .finish_non_exhaustive()
    }
}

impl JobRunner {
    /// Creates a runner with the agents of sessions that start jobs, whose delegates work on the jobs. `context` creates the
    /// context of each job.
    #[must_use]
    pub fn new(
        jobs: Jobs,
        agents: impl IntoIterator<Item = Agent>,
        context: impl Fn() -> ToolContext + Send + Sync + 'static,
    ) -> Self {
        let runner = Runner::new(jobs.queue.clone(), [jobs.kind()]);
        let agents = Mutex::new(agents.into_iter().collect());
        let context = Box::new(context);
        Self {
            jobs,
            shared: Arc::new(Shared { agents, context }),
            runner: runner
                .lease(LEASE)
                .poll_interval(Duration::from_millis(200)),
            approver: Arc::new(DeferAll),
            wakes_sessions: false,
        }
    }

    /// Sets how long a job of a process that died waits for another one: 15 seconds by default.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.runner = self.runner.lease(lease);
        self
    }

    /// Sets the approver of jobs, which answers at once or [defers](DeferAll) the question: a job does not keep a person
    /// waiting. By default, all questions are deferred.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Arc::new(approver);
        self
    }

    /// Sets whether a session that is idle goes on when one of its jobs is over: not by default. The agent of the session
    /// reads the notice in a turn that has what its last turn has left of its bounds. A session that a process holds, such as
    /// that of a chat, is not woken, and a job that was stopped wakes none.
    #[must_use]
    pub fn wake_sessions(mut self, wakes: bool) -> Self {
        self.wakes_sessions = wakes;
        self
    }

    /// Replaces the agent of this name, or adds it: jobs that are continued from now on use it.
    pub fn set_agent(&self, agent: Agent) {
        let mut agents = self.shared.agents.lock();
        agents.retain(|other| other.name() != agent.name());
        agents.push(agent);
    }

    /// Works on jobs until `stop` is cancelled. Jobs at work are then left to other processes; they are not stopped.
    ///
    /// # Errors
    /// The sessions or the queue cannot be read or written.
    pub async fn run(&self, stop: &CancellationToken) -> Result<(), JobError> {
        self.jobs.requeue().await?;
        let runner = self.clone();
        let handler = move |work, lost| runner.clone().work_on(work, lost);
        Ok(self.runner.run(stop, handler).await?)
    }

    /// Works on the jobs that can be continued now, until each is over, waits, or fails; returns how often one was
    /// continued.
    ///
    /// # Errors
    /// The sessions or the queue cannot be read or written.
    pub async fn once(&self, stop: &CancellationToken) -> Result<usize, JobError> {
        self.jobs.requeue().await?;
        let runner = self.clone();
        let handler = move |work, lost| runner.clone().work_on(work, lost);
        Ok(self.runner.once(stop, handler).await?)
    }

    async fn work_on(self, work: ClaimedWork, lost: CancellationToken) -> WorkOutcome {
        let name = name_of(&work.key);
        tokio::select! {
            // The turn is left as if the process had died.
            () = lost.cancelled() => WorkOutcome::Later(SystemTime::now()),
            advanced = self.advance(&name) => advanced.unwrap_or_else(|error| after_error(&name, &error)),
        }
    }

    /// Continues a job until it is over or waits.
    async fn advance(&self, name: &SessionId) -> Result<WorkOutcome, JobError> {
        let jobs = &self.jobs;
        let mut job = jobs.find(name, None).await?;
        if job.status == JobStatus::Waiting && !jobs.is_answered(name).await? {
            jobs.announce_waiting(&job).await?;
            return Ok(later(PAUSE));
        }
        if !job.status.is_over() {
            let Some(agent) = self.agent(&job) else {
                jobs.announce_lost_agent(&job).await?;
                return Ok(later(LONG_PAUSE));
            };
            let goes_on = self.resume(&job, &agent).await?;
            job = jobs.find(name, None).await?;
            if !job.status.is_over() {
                jobs.announce_waiting(&job).await?;
                return Ok(later(if goes_on { PAUSE } else { LONG_PAUSE }));
            }
        }
        jobs.announce_end(&job).await?;
        if self.wakes_sessions && job.status != JobStatus::Stopped {
            self.wake_session(&job).await?;
        }
        Ok(WorkOutcome::Done)
    }

    /// Resumes the turn of a job; returns whether it could be recorded.
    async fn resume(&self, job: &Job, agent: &Agent) -> Result<bool, JobError> {
        let loaded = self.jobs.sessions.load(&job.name).await?;
        let mut conversation = Conversation::from(loaded);
        let context = (self.shared.context)().derive();
        let context = context.dry_run(job.origin.dry_run).build();
        let report = agent.resume(&mut conversation, &context, |_| {}).await?;
        let unrecorded = report.is_some_and(|report| report.status == TurnStatus::Unrecorded);
        Ok(!unrecorded)
    }

    /// Returns what a function returns for the agent of a name or, if there is none, for one that hands off to it.
    fn find_agent<T>(&self, name: &AgentId, find: impl Fn(&Agent) -> Option<T>) -> Option<T> {
        let agents = self.shared.agents.lock();
        let named = agents.iter().find(|agent| agent.name() == name);
        let mut others = agents.iter().filter(|agent| agent.has_successor(name));
        named.and_then(&find).or_else(|| others.find_map(&find))
    }

    /// Returns the agent that works on a job.
    fn agent(&self, job: &Job) -> Option<Agent> {
        let first = job.origin.agents.first()?;
        let agent = self.find_agent(first, |agent| agent.for_job(&job.origin))?;
        // What a user says to the session that started the job is not for the job.
        let agent = agent.notes(&NoteQueue::new());
        let agent = agent
            .approver(Arc::clone(&self.approver))
            .wait_mode(WaitMode::Return);
        Some(agent.background_jobs(self.jobs.launcher_below(&job.origin)))
    }
}

fn later(pause: Duration) -> WorkOutcome {
    let now = SystemTime::now();
    WorkOutcome::Later(now.checked_add(pause).unwrap_or(now))
}

fn after_error(name: &SessionId, error: &JobError) -> WorkOutcome {
    match error {
        JobError::NotFound { .. } => WorkOutcome::Done,
        JobError::Session(SessionError::InUse { .. }) => later(PAUSE),
        error => {
            tracing::warn!(job = %name, %error, "a job cannot be continued now");
            later(LONG_PAUSE)
        }
    }
}
