//! The tools that `allowed-tools` names.

use crate::runner::CommandLimit;
use helve_core::toolset::Toolset;
use helve_permission::AccessScope;
use helve_permission::tool_names::ToolNames;

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
        (!self.is_all).then(|| CommandLimit {
            filter: self.names.filter(tools),
            scope,
        })
    }
}
