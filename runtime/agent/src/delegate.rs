//! The tool by which an agent hands a task to another.

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

/// The agents that an agent may hand tasks to, by name.
///
/// Delegates are resolved when a task is handed over, so a session that another machine goes on with finds them there.
#[derive(Debug, Clone, Default)]
pub(super) struct Delegates(Vec<Arc<Agent>>);

impl Delegates {
    pub(super) fn push(&mut self, agent: Agent) {
        self.0.push(Arc::new(agent));
    }

    pub(super) fn get(&self, name: &AgentId) -> Option<&Arc<Agent>> {
        self.0.iter().find(|agent| agent.id == *name)
    }

    /// Makes the tool that hands tasks over, where there is anybody to hand them to.
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
        // The name is fixed and the schema is written here, so that nothing can be wrong with them.
        tool.ok().map(|tool| DelegateTool(tool).into_tool())
    }
}

/// The tool; the driver does its work.
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
            // Arguments that do not fit never come here; the body refuses them.
            Err(_) => Execution::Local,
        };
        let prepared = prepared.with_facts(|facts| {
            // Handing over changes nothing by itself, and whatever the delegate does is judged when it does it, under all
            // that binds this agent: so that one that only explores may have others explore for it.
            facts.check = Check::ReadOnly;
            facts.concurrency = Concurrency::Parallel;
        });
        Ok(prepared.with_execution(execution))
    }
}
