//! Tasks that outlive the turn: background jobs.

use std::sync::Arc;

use super::{Delegates, JobLauncher};
use crate::authority::{Authority, DelegationKind};
use crate::session::JobOrigin;
use crate::{Agent, JsonReply};
use helve_core::transcript::AgentId;

impl Agent {
    /// Returns the name of the agent.
    #[must_use]
    pub const fn name(&self) -> &AgentId {
        &self.id
    }

    /// Sets the launcher of tasks in the background: the tool `task` then has the argument `background`. A delegate without
    /// a launcher has that of its caller.
    #[must_use]
    pub fn background_jobs(mut self, launcher: Arc<dyn JobLauncher>) -> Self {
        self.jobs = Some(launcher);
        self.rebuild_toolset()
    }

    /// Returns the agent that works on a job, if this agent is that of the root session, or the session was handed off by it;
    /// `None` if one of the agents that lead to it does not exist any more.
    ///
    /// The agent works within the authority of all of them, and within that which the turn of the job recorded.
    #[must_use]
    pub fn for_job(&self, job: &JobOrigin) -> Option<Self> {
        let (first, path) = job.agents.split_first()?;
        let policy = self.policy.for_session();
        if let Some(mode) = job.approved_mode {
            policy.end_plan_mode(mode);
        }
        let authority = Authority::from_policy(policy).with_filters(&self.filters);
        let (agent, mut authority) = self.enter_session(self.find_successor(first)?, authority);
        let mut agent = agent.into_owned();
        for (index, name) in path.iter().enumerate() {
            let is_last = index + 1 == path.len();
            let defined = job.instructions.as_deref().filter(|_| is_last);
            let (found, edge) = match defined {
                Some(instructions) => {
                    let defined = agent.define(name.clone(), instructions);
                    (Arc::new(defined), DelegationKind::Open)
                }
                None => agent.delegates.find(name)?,
            };
            authority = authority.narrow_for(&agent.id, &found.policy, edge, || {
                agent.toolset.names().into_iter().map(Into::into).collect()
            });
            agent = found.for_caller(&agent, &authority);
        }
        if let Some(tools) = &job.tools {
            agent = agent.restrict_to(tools);
        }
        agent.policy = authority.policy;
        Some(agent.checking_output())
    }

    /// Adds a guard to an agent that answers with objects: no caller repairs the answer of a job.
    pub(crate) fn checking_output(self) -> Self {
        match &self.options.output {
            Some(output) => {
                let guard = JsonReply::with_schema(Arc::clone(&output.schema));
                self.guard(guard)
            }
            None => self,
        }
    }

    /// Restricts the agent to these tools.
    pub(crate) fn restrict_to(mut self, tools: &[String]) -> Self {
        if !tools.iter().any(|tool| tool == super::TASK_TOOL) {
            self.delegates = Delegates::default();
        }
        let only = super::only_tools(&self.toolset, tools);
        self.filter(only)
    }
}
