//! How jobs are started and woken.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::Jobs;
use super::queueing::FIRST_TURN;
use crate::error::JobError;
use crate::job::Job;
use helve_agent::journal::Durability;
use helve_agent::session::{Entry, JobOrigin, SessionError, TurnStarted};
use helve_agent::{JobLauncher, NewJob};
use helve_core::toolset::Toolset;
use helve_core::transcript::{Message, SessionId, TurnId};

/// What the agent of a job that is woken is told by its caller, before it reads the message.
const WOKEN: &str = "Another message has come. Read it, and go on.";

impl Jobs {
    /// Returns what an [agent](helve_agent::Agent::background_jobs) starts jobs with, which are the jobs of its session.
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

    /// Starts a job, unless it was started before.
    async fn launch(&self, origin: JobOrigin, new: NewJob) -> Result<(), JobError> {
        let name = origin.name();
        let jobs = self.list(Some(&origin.root)).await?;
        if !jobs.iter().any(|job| job.name == name) {
            check_count(&jobs)?;
        }
        let (parent, is_nested) = (origin.session.clone(), origin.session != origin.root);
        let about = self.about.clone().session(name.clone()).job(origin);
        let begin = vec![new.begin.clone()];
        let mut session = match self.sessions.create_with(about, begin).await {
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
        // Whoever stops the job that starts this one looks for it after the request to stop, and may have missed it.
        if is_nested && self.is_stopping(&parent).await? {
            self.stop_one(&name).await?;
            return Err(JobError::Stopping { name: parent });
        }
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
}

/// Checks that another job may be live among those of a root session.
fn check_count(jobs: &[Job]) -> Result<(), JobError> {
    let live = jobs.iter().filter(|job| !job.status.is_over());
    if live.count() >= Jobs::MAX_LIVE {
        return Err(JobError::TooMany);
    }
    Ok(())
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
