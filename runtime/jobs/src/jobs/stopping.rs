//! How jobs are stopped.

use super::Jobs;
use super::queueing::key;
use crate::error::JobError;
use helve_agent::session::{Posting, PostingTarget, SessionError};
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
        self.stop_one(name).await?;
        self.stop_below(name, false).await?;
        Ok(())
    }

    /// Stops all jobs below a session; returns how many were not over.
    ///
    /// # Errors
    /// The sessions cannot be read or written.
    pub async fn stop_all(&self, below: &SessionId) -> Result<usize, JobError> {
        self.stop_below(below, true).await
    }

    /// Stops the jobs that a job has started, or all of its root, until there are no more: one that was told to stop may have
    /// started another in between. Returns how many were not over.
    async fn stop_below(&self, session: &SessionId, all: bool) -> Result<usize, JobError> {
        let (mut above, mut stopped, mut count) = (vec![session.clone()], Vec::new(), 0);
        loop {
            let known = stopped.len();
            // A job is older than those below it.
            for job in self.list(Some(session)).await?.iter().rev() {
                let is_below = all || above.contains(&job.origin.session);
                if !is_below || stopped.contains(&job.name) {
                    continue;
                }
                above.push(job.name.clone());
                stopped.push(job.name.clone());
                if !job.status.is_over() {
                    self.stop_one(&job.name).await?;
                    count += 1;
                }
            }
            if stopped.len() == known {
                return Ok(count);
            }
        }
    }

    /// Reports whether the job of a session was stopped, or is about to be.
    pub(super) async fn is_stopping(&self, job: &SessionId) -> Result<bool, JobError> {
        // A request is removed after it is recorded, so that it is looked for first.
        let posted = self.sessions.postings(job).await?;
        let state = self.sessions.read(job).await?.session_state;
        let is_told = |turn: &Turn| {
            let stop = PostingTarget::Stop(turn.origin().turn.clone());
            posted.iter().any(|posted| posted.posting.target() == stop)
        };
        let open = state.open_turns.iter();
        let mut open = open.filter(|turn| turn.origin().parent_call.is_none());
        Ok(open.all(|turn| turn.is_stopping() || is_told(turn)))
    }

    pub(super) async fn stop_one(&self, name: &SessionId) -> Result<(), JobError> {
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
