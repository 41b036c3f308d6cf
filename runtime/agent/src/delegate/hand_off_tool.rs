//! The tool `hand_off`, with which an agent hands the conversation off to another agent.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use super::delegation_tool::DelegationTool;
use helve_core::tool::{Concurrency, Tool, ToolWrapper as _};
use helve_core::toolset::DynamicTool;
use helve_core::transcript::AgentId;

/// The name of the tool.
pub(crate) const HAND_OFF_TOOL: &str = "hand_off";

#[derive(Deserialize)]
struct HandOffArguments {
    to: String,
    brief: String,
}

/// Creates the tool for agents with the given names and descriptions.
pub(super) fn hand_off_tool(agents: &[(AgentId, String)]) -> Option<Arc<dyn Tool>> {
    let mut description = String::from(
        "Hands the conversation off to another agent, which answers the user from then on. Your turn ends with this \
         call, so make it alone and last. Available agents:",
    );
    for (name, about) in agents {
        description.push_str(&format!("\n- {name}: {about}"));
    }
    let names: Vec<&str> = agents.iter().map(|(name, _)| name.as_str()).collect();
    let schema = json!({
        "type": "object",
        "properties": {
            "to": { "type": "string", "enum": names, "description": "The name of the agent." },
            "brief": {
                "type": "string",
                "description": "What the agent has to know and to do. It may not see the conversation.",
            },
        },
        "required": ["to", "brief"],
        "additionalProperties": false,
    });
    let tool = DynamicTool::new(HAND_OFF_TOOL, description, schema, |_, _| {
        Box::pin(async { Ok("The conversation is handed off.".into()) })
    });
    // The name is fixed and the schema is defined here, so the construction does not fail.
    let tool = DelegationTool {
        tool: tool.ok()?,
        parse,
        rename: |arguments| arguments,
        // It follows all earlier calls of the reply.
        concurrency: Concurrency::Exclusive,
    };
    Some(tool.into_tool())
}

fn parse(arguments: &str) -> Option<(AgentId, String)> {
    let HandOffArguments { to, brief } = serde_json::from_str(arguments).ok()?;
    Some((to.into(), brief))
}
