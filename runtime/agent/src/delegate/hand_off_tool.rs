//! The tool `hand_off`, with which an agent hands the conversation off to another agent.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use helve_core::schema::Mistakes;
use helve_core::tool::{
    Check, Concurrency, Execution, PreparedCall, Tool, ToolContext, ToolWrapper,
};
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
    tool.ok().map(|tool| HandOffTool(tool).into_tool())
}

/// The tool; the driver starts the turn of the other agent.
struct HandOffTool(DynamicTool);

impl ToolWrapper for HandOffTool {
    fn inner(&self) -> &dyn Tool {
        &self.0
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let prepared = self.0.prepare(context, arguments)?;
        let execution = match serde_json::from_str::<HandOffArguments>(prepared.text()) {
            Ok(HandOffArguments { to, brief }) => Execution::Delegate {
                agent: to.into(),
                task: brief,
            },
            // Invalid arguments do not get here; the body rejects them.
            Err(_) => Execution::Local,
        };
        let prepared = prepared.with_facts(|facts| {
            // A hand-off has no effect of its own: every call of the other agent is judged when it is made, within the
            // limits of the session. It follows all earlier calls of the reply.
            facts.check = Check::ReadOnly;
            facts.concurrency = Concurrency::Exclusive;
        });
        Ok(prepared.with_execution(execution))
    }
}
