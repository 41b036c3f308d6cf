//! The wrapper of the tools with which an agent gives work to another agent: `task` and `hand_off`.

use std::sync::Arc;

use helve_core::schema::Mistakes;
use helve_core::tool::{
    Check, Concurrency, Execution, PreparedCall, Tool, ToolContext, ToolWrapper,
};
use helve_core::toolset::DynamicTool;
use helve_core::transcript::AgentId;

/// A tool whose calls the driver carries out: it starts the turn of another agent.
pub(super) struct DelegationTool {
    pub(super) tool: DynamicTool,
    /// Returns the agent and what it has to do; `None` for arguments that the body rejects.
    pub(super) parse: fn(&str) -> Option<(AgentId, String)>,
    /// Renames arguments that an earlier version of the tool had.
    pub(super) rename: fn(Arc<str>) -> Arc<str>,
    pub(super) concurrency: Concurrency,
}

impl ToolWrapper for DelegationTool {
    fn inner(&self) -> &dyn Tool {
        &self.tool
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let prepared = self.tool.prepare(context, (self.rename)(arguments))?;
        let execution = match (self.parse)(prepared.text()) {
            Some((agent, task)) => Execution::Delegate { agent, task },
            None => Execution::Local,
        };
        let prepared = prepared.with_facts(|facts| {
            // Giving work to an agent has no effect of its own: every call of the other agent is judged when it is made,
            // within all limits of this one. An agent that is limited to reading may therefore do so.
            facts.check = Check::ReadOnly;
            facts.concurrency = self.concurrency;
        });
        Ok(prepared.with_execution(execution))
    }
}
