//! The agents to which an agent may delegate tasks.

mod background;
mod delegation_tool;
mod hand_off_tool;
mod hand_offs;
mod job_launcher;
mod task_tool;

use std::sync::Arc;

use super::Agent;
use super::authority::DelegationKind;
use helve_core::tool::{Tool, ToolOrigin};
use helve_core::toolset::{ToolFilter, Toolset};
use helve_core::transcript::{AgentId, ToolCall};

pub(super) use hand_off_tool::HAND_OFF_TOOL;
pub(super) use hand_offs::Successors;
pub use job_launcher::{JobLauncher, NewJob};
pub(super) use task_tool::{TASK_TOOL, TaskArguments};

/// The earlier name of the tool `task`, which journals contain.
const EARLIER_TOOL: &str = "delegate";

/// Finds agents by name when a task starts, such as those of files that change while the app runs.
///
/// An agent that a source finds works within the authority and the tools of its caller, whatever its own policy
/// permits. An agent that the app itself [declares](Agent::delegate) works within the authority of the session.
pub trait AgentSource: Send + Sync {
    /// Lists the names of the agents, and what each is for. The list becomes part of the description of the tool `task`
    /// when the source is [set](Agent::delegate_from).
    fn list(&self) -> Vec<(AgentId, String)>;

    /// Returns the agent with a name; `None` if there is none. The method is called when a task starts, and again when
    /// an interrupted task is continued.
    fn find(&self, name: &AgentId) -> Option<Agent>;
}

/// The agents to which an agent may delegate tasks.
///
/// Delegates are resolved when a task starts, so a session that is resumed on another machine finds the delegates of
/// that machine.
#[derive(Clone, Default)]
pub(super) struct Delegates {
    declared: Vec<Arc<Agent>>,
    source: Option<Arc<dyn AgentSource>>,
    /// Whether the model may define agents.
    may_define: bool,
}

impl Delegates {
    /// Returns the agent with a name, and how it is related to the agent that delegates.
    pub(super) fn find(&self, name: &AgentId) -> Option<(Arc<Agent>, DelegationKind)> {
        let declared = self.declared.iter().find(|agent| agent.id == *name);
        if let Some(agent) = declared {
            return Some((Arc::clone(agent), DelegationKind::Declared));
        }
        let found = self.source.as_ref()?.find(name)?;
        Some((Arc::new(found), DelegationKind::Open))
    }

    pub(super) fn may_define(&self) -> bool {
        self.may_define
    }

    /// Lists the names of the agents, and what each is for.
    pub(super) fn list(&self) -> Vec<(AgentId, String)> {
        let about = |agent: &Arc<Agent>| {
            agent
                .description
                .as_deref()
                .unwrap_or("no description")
                .to_owned()
        };
        let declared = self.declared.iter();
        let mut list: Vec<_> = declared
            .map(|agent| (agent.id.clone(), about(agent)))
            .collect();
        for (name, about) in self.source.iter().flat_map(|source| source.list()) {
            if !list.iter().any(|(known, _)| *known == name) {
                list.push((name, about));
            }
        }
        list
    }

    fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.source.is_none() && !self.may_define
    }

    /// Returns the tool that delegates tasks; `None` if there are no delegates.
    pub(super) fn tool(&self, has_jobs: bool) -> Option<Arc<dyn Tool>> {
        if self.is_empty() {
            return None;
        }
        task_tool::task_tool(&self.list(), self.may_define, has_jobs)
    }
}

/// Returns the filter that admits tools of these names alone, whatever their server.
fn only_tools(toolset: &Toolset, names: &[String]) -> ToolFilter {
    let none: [&str; 0] = [];
    let only = ToolFilter::new().tools(names).servers(none);
    names.iter().fold(only, |only, name| {
        let tool = toolset.get(name);
        match tool.as_ref().map(|tool| &tool.spec().origin) {
            Some(ToolOrigin::Server { server, tool }) => {
                only.servers([&**server]).server_tools(&**server, [&**tool])
            }
            _ => only,
        }
    })
}

impl Agent {
    /// Adds an agent to which this agent may delegate tasks with the tool `task`.
    ///
    /// A delegate works in a turn of its own, with its own tools, within the remaining bounds of this agent. Its policy
    /// is [limited](helve_permission::Policy::with_ceiling) by that of the session, so that it does nothing that the
    /// agent of the session may not do. The [hooks of the session](Self::session_hook) wrap the delegate, and the
    /// [approver](Self::approver) of the session is asked about its calls.
    ///
    /// Several tasks of one reply are worked on concurrently. A delegate with an
    /// [output format](helve_model::ModelOptions::output) returns a value: its answer is checked against the schema,
    /// and asked for once more if it does not match.
    ///
    /// ```
    /// use helve::agent::Agent;
    /// use helve::model::ScriptedModel;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), helve::agent::AskError> {
    /// let poet = Agent::new("poet", ScriptedModel::new().say("Rain again."));
    /// let task = json!({ "agent": "poet", "prompt": "Write a line about the weather." });
    /// let model = ScriptedModel::new().call("task", task).say("The poet says: Rain again.");
    /// let agent = Agent::new("main", model).delegate(poet.description("Writes poems."));
    /// assert_eq!(agent.ask("A line about the weather, please.").await?, "The poet says: Rain again.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn delegate(mut self, agent: Self) -> Self {
        self.delegates.declared.push(Arc::new(agent));
        self.rebuild_toolset()
    }

    /// Sets a source in which agents are looked up by name when a task starts, besides those that are
    /// [declared](Self::delegate).
    ///
    /// An agent of the source is bound by the authority and the tools of this agent: it calls no tool that this agent
    /// does not have.
    #[must_use]
    pub fn delegate_from(mut self, source: impl AgentSource + 'static) -> Self {
        self.delegates.source = Some(Arc::new(source));
        self.rebuild_toolset()
    }

    /// Sets whether the model may define an agent in a call of the tool `task`, by its instructions.
    ///
    /// Such an agent has the model, the tools and the hooks of this agent, works within its authority, and delegates no
    /// tasks. By default, the model defines no agents.
    #[must_use]
    pub fn define_agents(mut self, may_define: bool) -> Self {
        self.delegates.may_define = may_define;
        self.rebuild_toolset()
    }

    /// Returns an agent that the model defines for a task.
    pub(super) fn define(&self, name: AgentId, instructions: &str) -> Self {
        let mut agent = self.clone();
        agent.id = name;
        agent.description = None;
        agent.instructions = Some(instructions.into());
        agent.options.output = None;
        agent.compacts_first = None;
        agent.forks_conversation = false;
        agent.delegates = Delegates::default();
        agent.successors = Successors::default();
        agent.rebuild_toolset()
    }

    /// Returns a call with the current name of its tool: a journal may contain an earlier one.
    pub(super) fn with_current_name(&self, mut call: ToolCall) -> ToolCall {
        let is_earlier = &*call.name == EARLIER_TOOL && !self.delegates.is_empty();
        if is_earlier && self.toolset.get(EARLIER_TOOL).is_none() {
            call.name = TASK_TOOL.into();
        }
        call
    }
}
