//! Sessions that go on when one of their jobs is over.

use helve_agent::journal::Durability;
use helve_agent::session::{Entry, SessionError, TurnStarted};
use helve_agent::turn::Totals;
use helve_agent::{Agent, Conversation, NoteQueue, WaitMode};
use helve_core::support::random;
use helve_core::transcript::{Message, Note, NoteSource};

use super::JobRunner;
use crate::error::JobError;
use crate::job::{Job, JobStatus};

/// The prompt of a session that is woken.
const WOKEN: &str = "A background job is over. Read what it says, and go on.";

impl JobRunner {
    /// Continues the session that started a job, if it is idle and no process holds it. The turn has what the turn before
    /// it has left of its bounds.
    pub(super) async fn wake_session(&self, job: &Job) -> Result<(), JobError> {
        let (sessions, id) = (&self.jobs.sessions, &job.origin.session);
        let mut session = match sessions.load(id).await {
            // Who holds the session shows the notice, and who removed it does not want to know.
            Err(SessionError::InUse { .. } | SessionError::Unknown { .. }) => return Ok(()),
            loaded => loaded?.session,
        };
        let state = session.state();
        if state
            .metadata
            .as_ref()
            .is_some_and(|about| about.job.is_some())
        {
            drop(session);
            return self.wake_job(job).await;
        }
        if !state.open_turns.is_empty() {
            return Ok(());
        }
        let Some((last, used)) = self.last_turn(job).await? else {
            return Ok(());
        };
        let note = Note::new(NoteSource::Job, random::hex::<8>(), WOKEN);
        let prompt = Message::from(note.with_name(job.name.as_str()));
        let next = last.followed_by(state.next_turn(), prompt, state.label.clone(), &used);
        let (Some(next), Some(agent)) = (next, self.agent_of_session(&last)) else {
            return Ok(());
        };
        let begun = Entry::TurnStarted(next);
        session.append(begun, Durability::Synced).await?;
        drop(session);
        let mut conversation = Conversation::from(sessions.load(id).await?);
        let context = (self.shared.context)();
        agent.resume(&mut conversation, &context, |_| {}).await?;
        Ok(())
    }

    /// Wakes the job that started a job, if it is done.
    async fn wake_job(&self, job: &Job) -> Result<(), JobError> {
        let parent = self.jobs.find(&job.origin.session, None).await?;
        if parent.status != JobStatus::Done {
            return Ok(());
        }
        match self.jobs.next_turn(&parent).await {
            Err(JobError::Exhausted { .. } | JobError::TooMany) => Ok(()),
            next => self.jobs.wake(&parent.name, next?).await,
        }
    }

    /// Returns the beginning of the last turn of the session that started a job, and what the turn has used.
    async fn last_turn(&self, job: &Job) -> Result<Option<(TurnStarted, Totals)>, JobError> {
        let mut last = None;
        let read = self
            .jobs
            .sessions
            .visit(&job.origin.session, u64::MAX, |line| match &line.entry {
                Entry::TurnStarted(started) if started.parent_call.is_none() => {
                    last = Some((started.clone(), Totals::default()));
                }
                Entry::TurnEnded(ended) if ended.parent_call.is_none() => {
                    if let Some((_, used)) = &mut last {
                        *used = ended.totals;
                    }
                }
                _ => {}
            });
        read.await?;
        Ok(last)
    }

    /// Returns the agent that goes on with a session.
    fn agent_of_session(&self, last: &TurnStarted) -> Option<Agent> {
        let agent = self.find_agent(&last.agent, |agent| Some(agent.clone()))?;
        let agent = agent.notes(&NoteQueue::new());
        let agent = agent.approver(std::sync::Arc::clone(&self.approver));
        Some(
            agent
                .wait_mode(WaitMode::Return)
                .background_jobs(self.jobs.launcher()),
        )
    }
}
