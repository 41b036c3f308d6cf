//! The tools that `allowed-tools` names.

use helve_core::toolset::{ToolFilter, Toolset};
use helve_permission::tool_names::ToolNames;
use helve_permission::{AccessScope, Policy};

/// The tools to which a command is limited.
#[derive(Debug)]
pub(super) struct AllowedTools {
    names: ToolNames,
    is_all: bool,
}

/// The limit of the turn of a command.
#[derive(Debug, Clone)]
pub(crate) struct CommandLimit {
    filter: ToolFilter,
    scope: AccessScope,
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
        (!self.is_all).then(|| CommandLimit {
            filter: self.names.filter(tools),
            scope,
        })
    }
}

impl CommandLimit {
    /// Returns the filter that excludes all other tools.
    pub(crate) fn filter(&self) -> &ToolFilter {
        &self.filter
    }

    /// Returns a policy that permits only the calls within the limit.
    pub(crate) fn narrow(&self, policy: Policy) -> Policy {
        policy.limit_access(self.scope.clone())
    }
}
