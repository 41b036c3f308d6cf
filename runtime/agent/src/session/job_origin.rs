//! The origin of a session that is a background job.

use serde::{Deserialize, Serialize};

use helve_core::transcript::{AgentId, CallAddress, SessionId};
use helve_permission::Mode;
use helve_permission::acceptances::digest_of_fields;

/// The longest part of the name of a job that is the name of its agent.
const MAX_AGENT_CHARS: usize = 40;
/// The number of hexadecimal digits that make the name of a job unique.
const DIGEST_CHARS: usize = 12;

/// The task that a session works on as a background job, and who gave it.
///
/// The session of a job has the [name](Self::name) of the job as its id. Its only turn begins when the job is started, with
/// the authority of the task, so that any process can continue it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JobOrigin {
    /// The session whose agent started the job, and that is told about it.
    pub session: SessionId,
    /// The session at the root: that of the agent which started the first of a chain of jobs.
    pub root: SessionId,
    /// The call that started the job.
    pub call: CallAddress,
    /// The agents that lead from that of the root session to that of the job, both included.
    pub agents: Vec<AgentId>,
    /// What the job is called for those who watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The instructions, if the call defined the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The tools to which the caller restricts the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Whether the tools only describe what they would do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The mode in place of [`Mode::Plan`], if the user had approved a plan when the job was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_mode: Option<Mode>,
}

impl JobOrigin {
    /// Creates the origin of a job that an agent of a root session starts.
    #[must_use]
    pub fn new(session: SessionId, call: CallAddress, agents: Vec<AgentId>) -> Self {
        Self {
            root: session.clone(),
            session,
            call,
            agents,
            label: None,
            instructions: None,
            tools: None,
            dry_run: false,
            approved_mode: None,
        }
    }

    /// Returns the origin of a job that another job starts: it has the root of the other, and its agents follow.
    #[must_use]
    pub fn below(mut self, parent: &Self) -> Self {
        self.root.clone_from(&parent.root);
        self.dry_run |= parent.dry_run;
        self.approved_mode = self.approved_mode.or(parent.approved_mode);
        let above = parent
            .agents
            .split_last()
            .map_or(&[][..], |(_, above)| above);
        self.agents = [above, &self.agents].concat();
        self
    }

    /// Returns the name of the agent.
    #[must_use]
    pub fn agent(&self) -> Option<&AgentId> {
        self.agents.last()
    }

    /// Returns the name of the job, which is that of its session: the same for each process that starts the job of a call.
    #[must_use]
    pub fn name(&self) -> SessionId {
        let agent = self.agents.last().map_or("", |agent| agent.as_str());
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
        let agent: String = agent
            .chars()
            .filter(is_plain)
            .take(MAX_AGENT_CHARS)
            .collect();
        let agent = agent.trim_start_matches(['-', '_']);
        let agent = if agent.is_empty() { "job" } else { agent };
        let call = self.call.to_string();
        let digest = digest_of_fields([self.session.as_str(), &call]);
        let digest: String = digest
            .chars()
            .filter(char::is_ascii_hexdigit)
            .take(DIGEST_CHARS)
            .collect();
        SessionId::from(format!("{agent}-{digest}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::id::validate_id;
    use super::*;

    fn origin(agent: &str, call: &str) -> JobOrigin {
        let call = call.parse().expect("an address");
        JobOrigin::new("s".into(), call, vec!["main".into(), agent.into()])
    }

    #[test]
    fn the_name_of_a_job_is_the_id_of_a_session_and_that_of_its_call() {
        for agent in ["poet", "-größe/..\\x", "", "…", &"a".repeat(300)] {
            let name = origin(agent, "t1/2.0").name();
            assert!(validate_id(&name).is_ok(), "{name}");
            assert_eq!(name, origin(agent, "t1/2.0").name());
            assert_ne!(name, origin(agent, "t1/2.1").name());
        }
        assert!(origin("poet", "t1/2.0").name().starts_with("poet-"));
    }

    #[test]
    fn the_agents_of_a_job_that_a_job_starts_follow_those_above() {
        let mut parent = origin("boss", "t1/1.0");
        parent.dry_run = true;
        let agents = vec!["boss".into(), "poet".into()];
        let call = "t1/1.0".parse().expect("an address");
        let job = JobOrigin::new(parent.name(), call, agents).below(&parent);
        assert_eq!(job.agents, ["main", "boss", "poet"].map(AgentId::from));
        assert_eq!((&*job.root, job.dry_run), ("s", true));
        assert_eq!(job.session, parent.name());
        let written = serde_json::to_string(&job).expect("JSON");
        assert_eq!(
            serde_json::from_str::<JobOrigin>(&written).expect("JSON"),
            job
        );
    }
}
