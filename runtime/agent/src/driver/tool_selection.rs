//! The tools that the model sees in a turn.

use std::sync::Arc;

use super::state::TurnEnv;
use crate::exposure::{ExposedTools, MetaToolContext, VisibleTools};
use crate::plan_mode::present_plan_tool;
use crate::spec::Agent;
use helve_core::tool::ToolContext;
use helve_core::toolset::Toolset;

/// The selection of tools for the model, and the state of a suggestion.
pub(super) struct ToolSelection<'a> {
    agent: &'a Agent,
    context: &'a ToolContext,
    pub(super) visible: Arc<VisibleTools>,
    /// The state that the meta tools share with the driver.
    pub(super) meta_tools: &'a MetaToolContext,
    /// The state of the switches when the turn began.
    pub(super) initial: &'a ExposedTools,
    pub(super) has_suggested: bool,
    /// The reply of the model to the request for a suggestion.
    pub(super) suggestion_reply: Option<String>,
}

impl<'a> ToolSelection<'a> {
    pub(super) fn new(agent: &'a Agent, env: &'a TurnEnv<'_>, exposed: ExposedTools) -> Self {
        let context = &env.context;
        let exposure = agent.exposure.clone();
        let tools = turn_toolset(agent, env);
        let visible = VisibleTools::new(tools, exposure, exposed, context, &env.meta_tools);
        Self {
            agent,
            context,
            visible: Arc::new(visible),
            meta_tools: &env.meta_tools,
            initial: &env.exposed_tools,
            has_suggested: false,
            suggestion_reply: None,
        }
    }

    /// Selects the tools again if the toolset or the switches have changed, and returns whether they have.
    pub(super) fn update(&mut self, exposed: &ExposedTools) -> bool {
        if self.visible.is_current(exposed, self.context) {
            return false;
        }
        let exposure = self.agent.exposure.clone();
        let (toolset, exposed) = (self.visible.toolset().clone(), exposed.clone());
        let visible = VisibleTools::new(toolset, exposure, exposed, self.context, self.meta_tools);
        self.visible = Arc::new(visible);
        true
    }

    /// Reports whether tools are to be suggested in this round.
    pub(super) fn is_suggestion_due(&self, round: u32) -> bool {
        round == 1 && self.visible.needs_selection() && !self.has_suggested
    }
}

/// Returns the tools of a turn: those of the agent, and in plan mode the tool that presents the plan.
fn turn_toolset(agent: &Agent, env: &TurnEnv<'_>) -> Toolset {
    let authority = &env.authority;
    let is_planning = authority.callers.is_empty() && authority.policy.is_planning();
    let tool = is_planning.then(|| present_plan_tool(agent.plan_folder.as_deref()));
    match tool.flatten() {
        Some(tool) => agent.toolset.layered(&Toolset::from_tools([tool])),
        None => agent.toolset.clone(),
    }
}
