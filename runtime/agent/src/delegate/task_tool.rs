//! The tool `task`, with which an agent delegates a task to another agent.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::delegation_tool::DelegationTool;
use helve_core::tool::{Concurrency, Tool, ToolError, ToolWrapper as _};
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
    let tool = DelegationTool {
        tool: tool.ok()?,
        parse,
        rename: with_current_names,
        concurrency: Concurrency::Parallel,
    };
    Some(tool.into_tool())
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

fn parse(arguments: &str) -> Option<(AgentId, String)> {
    let arguments: TaskArguments = serde_json::from_str(arguments).ok()?;
    Some((arguments.agent.into(), arguments.prompt))
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
