//! The tools that `allowed-tools` names.

use crate::runner::CommandLimit;
use helve_core::toolset::Toolset;
use helve_permission::tool_names::ToolNames;
use helve_permission::{AccessScope, Rule, Rules};

/// The tools to which a command is limited.
#[derive(Debug)]
pub(super) struct AllowedTools {
    names: ToolNames,
    is_all: bool,
}

impl AllowedTools {
    /// Finds the tools of an app that are named. What an entry has in parentheses allows nothing: the calls of the tool
    /// are judged as ever, and those that do more than read are limited to it.
    pub(super) fn resolve(entries: &[String], tools: &Toolset) -> Self {
        let is_all = entries.iter().any(|entry| entry.trim() == "*");
        let names = match is_all {
            true => ToolNames::default(),
            false => ToolNames::find(entries, tools),
        };
        Self { names, is_all }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.is_all || self.names.contains(name)
    }

    /// Returns the entries that mean no tool, each with the reason.
    pub(super) fn problems(&self) -> &[String] {
        &self.names.problems
    }

    /// Returns the limit; `None` if the command is limited to nothing.
    pub(super) fn limit(&self, tools: &Toolset) -> Option<CommandLimit> {
        let mut scope = AccessScope::default();
        scope.only.clone_from(&self.names.only);
        (!self.is_all).then(|| {
            let filter = self.names.filter(tools);
            scope.tools = Some(filter.clone());
            let is_excluded = |name: &String| {
                let tool = tools.get(name);
                tool.is_some_and(|tool| filter.check(tool.spec()).is_err())
            };
            let names = tools.names().into_iter().filter(is_excluded);
            let mut excluded = Rules::new();
            excluded.deny = names.map(Rule::tool).collect();
            CommandLimit {
                filter,
                scope,
                excluded,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use helve_core::tool::{ToolContext, ToolOrigin};
    use helve_core::toolset::DynamicTool;
    use helve_permission::{Mode, Policy, PolicyRecord};

    use super::*;

    #[test]
    fn the_policy_of_a_limited_turn_denies_the_other_tools() {
        let tool = |name: &str| {
            let schema = serde_json::json!({ "type": "object" });
            let tool = DynamicTool::new(name, "For a test.", schema, |_, _| unreachable!());
            Arc::new(tool.expect("a tool"))
        };
        let (write, send) = (tool("write"), tool("send"));
        let tools = Toolset::from_tools([write.clone() as _, send.clone() as _]);
        let allowed = AllowedTools::resolve(&["write".to_owned()], &tools);
        let limit = allowed.limit(&tools).expect("a limit");
        let policy = limit.narrow(Policy::new(Mode::Bypass));
        let verdict = |tool: &DynamicTool| {
            let judged = policy.judge(tool, &ToolContext::new(), "{}");
            judged.expect("it fits").verdict.strictness()
        };
        assert_eq!((verdict(&write), verdict(&send)), (0, 3));
    }

    #[test]
    fn tools_of_servers_that_connect_later_are_denied() {
        let tool = |server: &str| {
            let schema = serde_json::json!({ "type": "object" });
            let name = format!("mcp__{server}__send");
            let tool = DynamicTool::new(name, "For a test.", schema, |_, _| unreachable!());
            tool.expect("a tool")
                .with_origin(ToolOrigin::server(server, "send"))
        };
        let tools = Toolset::from_tools([]);
        let allowed = AllowedTools::resolve(&["mcp__tickets".to_owned()], &tools);
        let limit = allowed.limit(&tools).expect("a limit");
        // As a run does that is scheduled by the turn.
        let records = limit.narrow(Policy::new(Mode::Bypass)).records();
        let written = serde_json::to_string(&records).expect("records");
        let read: Vec<PolicyRecord> = serde_json::from_str(&written).expect("records");
        let policy = Policy::new(Mode::Bypass).with_recorded_ceilings(&read);
        let verdict = |tool: &DynamicTool| {
            let judged = policy.judge(tool, &ToolContext::new(), "{}");
            judged.expect("it fits").verdict.strictness()
        };
        assert_eq!((verdict(&tool("tickets")), verdict(&tool("mail"))), (0, 3));
    }
}
