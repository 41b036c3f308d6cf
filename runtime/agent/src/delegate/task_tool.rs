//! The tool `task`, with which an agent delegates a task to another agent.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use helve_core::schema::Mistakes;
use helve_core::tool::{
    Check, Concurrency, Execution, PreparedCall, Tool, ToolContext, ToolError, ToolWrapper,
};
use helve_core::toolset::DynamicTool;
use helve_core::transcript::{AgentId, TurnId};

/// The name of the tool.
pub(crate) const TASK_TOOL: &str = "task";

/// The arguments of a task.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TaskArguments {
    pub(crate) agent: String,
    #[serde(alias = "task")]
    pub(crate) prompt: String,
    /// A short name of the task for those who watch.
    #[serde(default)]
    pub(crate) label: Option<String>,
    /// The earlier task whose conversation goes on.
    #[serde(default, rename = "continue")]
    pub(crate) continues: Option<TurnId>,
    /// The tools to which the agent is restricted.
    #[serde(default)]
    pub(crate) tools: Option<Vec<String>>,
    /// The instructions of an agent that the call defines.
    #[serde(default)]
    pub(crate) instructions: Option<String>,
    /// Whether the task is a job that outlives the turn.
    #[serde(default)]
    pub(crate) background: bool,
}

/// Creates the tool for agents with the given names and descriptions.
pub(super) fn task_tool(
    agents: &[(AgentId, String)],
    may_define: bool,
    has_jobs: bool,
) -> Option<Arc<dyn Tool>> {
    let mut description = String::from(
        "Delegates a task to another agent and returns its answer. Several tasks in one reply are worked on at the same \
         time.",
    );
    if !agents.is_empty() {
        description.push_str(" Available agents:");
    }
    for (name, about) in agents {
        description.push_str(&format!("\n- {name}: {about}"));
    }
    if may_define {
        description.push_str(
            "\nWith `instructions`, the call defines a new agent under a name of your choice; it has your tools.",
        );
    }
    let tool = DynamicTool::new(
        TASK_TOOL,
        description,
        schema(may_define, has_jobs),
        |_, _| {
            let outside =
                ToolError::NotAvailable("tasks can only be delegated within a turn".into());
            Box::pin(async move { Err(outside) })
        },
    );
    // The name is fixed and the schema is defined here, so the construction does not fail.
    tool.ok().map(|tool| TaskTool(tool).into_tool())
}

fn schema(may_define: bool, has_jobs: bool) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "agent": { "type": "string", "description": "The name of the agent." },
            "prompt": {
                "type": "string",
                "description": "The task, with all information that the agent needs.",
            },
            "label": {
                "type": "string",
                "description": "A few words that name the task for the user. With a label, the result states the \
                                address of the task.",
            },
            "continue": {
                "type": "string",
                "description": "The address of an earlier task that is over, such as `t1/2.0`: the same agent goes on \
                                with its conversation.",
            },
            "tools": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The only tools that the agent may use; by default, all that it has.",
            },
        },
        "required": ["agent", "prompt"],
        "additionalProperties": false,
    });
    if may_define {
        schema["properties"]["instructions"] = json!({
            "type": "string",
            "description": "The instructions of a new agent, which this call defines.",
        });
    }
    if has_jobs {
        schema["properties"]["background"] = json!({
            "type": "boolean",
            "description": "Whether to go on at once while the agent works as a job in the background. A note says when \
                            the job is over.",
        });
    }
    schema
}

/// The tool; the driver starts the agent.
struct TaskTool(DynamicTool);

impl ToolWrapper for TaskTool {
    fn inner(&self) -> &dyn Tool {
        &self.0
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let prepared = self.0.prepare(context, with_current_names(arguments))?;
        let execution = match serde_json::from_str::<TaskArguments>(prepared.text()) {
            Ok(TaskArguments { agent, prompt, .. }) => Execution::Delegate {
                agent: agent.into(),
                task: prompt,
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

/// Renames an argument that an earlier version of the tool had, for calls in old journals.
fn with_current_names(arguments: Arc<str>) -> Arc<str> {
    if !arguments.contains("\"task\"") {
        return arguments;
    }
    let Ok(Value::Object(mut object)) = serde_json::from_str(&arguments) else {
        return arguments;
    };
    if object.contains_key("prompt") {
        return arguments;
    }
    let Some(task) = object.remove("task") else {
        return arguments;
    };
    object.insert("prompt".to_owned(), task);
    Value::Object(object).to_string().into()
}
