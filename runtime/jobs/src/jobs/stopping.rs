//! How jobs are stopped.

use super::Jobs;
use super::queueing::key;
use crate::error::JobError;
use helve_agent::session::{Posting, SessionError};
use helve_agent::turn::Turn;
use helve_agent::{Agent, Conversation};
use helve_core::tool::ToolContext;
use helve_core::transcript::SessionId;
use helve_model::ScriptedModel;

impl Jobs {
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
}
