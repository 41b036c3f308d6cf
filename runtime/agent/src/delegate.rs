//! The tool with which an agent delegates a task to another agent.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use super::Agent;
use helve_core::schema::Mistakes;
use helve_core::tool::{
    Check, Concurrency, Execution, PreparedCall, Tool, ToolContext, ToolError, ToolWrapper,
};
use helve_core::toolset::DynamicTool;
use helve_core::transcript::AgentId;

const DELEGATE_TOOL: &str = "delegate";

/// The agents to which an agent may delegate tasks, by name.
///
/// Delegates are resolved when a task is delegated, so a session that is resumed on another machine finds the delegates
/// of that machine.
#[derive(Debug, Clone, Default)]
pub(super) struct Delegates(Vec<Arc<Agent>>);

impl Delegates {
    pub(super) fn push(&mut self, agent: Agent) {
        self.0.push(Arc::new(agent));
    }

    pub(super) fn get(&self, name: &AgentId) -> Option<&Arc<Agent>> {
        self.0.iter().find(|agent| agent.id == *name)
    }

    /// Returns the tool that delegates tasks; `None` if there are no delegates.
    pub(super) fn tool(&self) -> Option<Arc<dyn Tool>> {
        if self.0.is_empty() {
            return None;
        }
        let names: Vec<&str> = self.0.iter().map(|agent| agent.id.as_str()).collect();
        let schema = json!({
            "type": "object",
            "properties": {
                "agent": { "type": "string", "enum": names, "description": "The name of the agent." },
                "task": {
                    "type": "string",
                    "description": "The task, with all information that the agent needs: the agent sees nothing else.",
                },
            },
            "required": ["agent", "task"],
            "additionalProperties": false,
        });
        let mut description = String::from(
            "Delegates a task to another agent and returns its answer. Available agents:",
        );
        for agent in &self.0 {
            let about = agent.description.as_deref().unwrap_or("no description");
            description.push_str(&format!("\n- {}: {about}", agent.id));
        }
        let tool = DynamicTool::new(DELEGATE_TOOL, description, schema, |_, _| {
            let outside =
                ToolError::NotAvailable("tasks can only be delegated within a turn".into());
            Box::pin(async move { Err(outside) })
        });
        // The name is fixed and the schema is defined here, so the construction does not fail.
        tool.ok().map(|tool| DelegateTool(tool).into_tool())
    }
}

/// The tool; the driver performs the delegation.
struct DelegateTool(DynamicTool);

#[derive(Deserialize)]
struct DelegateArguments {
    agent: String,
    task: String,
}

impl ToolWrapper for DelegateTool {
    fn inner(&self) -> &dyn Tool {
        &self.0
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let prepared = self.0.prepare(context, arguments)?;
        let execution = match serde_json::from_str::<DelegateArguments>(prepared.text()) {
            Ok(DelegateArguments { agent, task }) => Execution::Delegate {
                agent: agent.into(),
                task,
            },
            // Invalid arguments do not get here; the body rejects them.
            Err(_) => Execution::Local,
        };
        let prepared = prepared.with_facts(|facts| {
            // Delegating has no effect of its own, and every call of the delegate is judged when it is made, within all
            // limits of this agent. An agent that is limited to reading may therefore delegate to agents with the same
            // limit.
            facts.check = Check::ReadOnly;
            facts.concurrency = Concurrency::Parallel;
        });
        Ok(prepared.with_execution(execution))
    }
}
