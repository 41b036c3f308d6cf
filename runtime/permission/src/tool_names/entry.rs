//! An entry of a list of tools.

use crate::Rule;
use crate::tool_aliases::{ToolAlias, earlier_name};

/// The tool that delegates tasks.
const TASK: &str = "task";

/// An entry of a list of tools: a name, and a scope in parentheses.
pub(super) struct Entry<'t> {
    pub(super) name: &'t str,
    pub(super) scope: Option<&'t str>,
}

impl<'t> Entry<'t> {
    pub(super) fn parse(text: &'t str) -> Self {
        let text = text.trim();
        match text.split_once('(') {
            Some((name, rest)) => Self {
                name: name.trim(),
                scope: Some(rest.strip_suffix(')').unwrap_or(rest).trim()),
            },
            None => Self {
                name: text,
                scope: None,
            },
        }
    }

    /// Returns the list of agents if the entry is the tool that delegates tasks.
    pub(super) fn delegates(&self) -> Option<Option<Vec<String>>> {
        let is_it = self.name == TASK
            || earlier_name(TASK) == Some(self.name)
            || ToolAlias::names_of(TASK).any(|name| name == self.name);
        let names = || {
            let names = self.scope?.split(',').map(|name| name.trim().to_owned());
            Some(names.filter(|name| !name.is_empty()).collect())
        };
        is_it.then(names)
    }

    /// Returns the tools that the name means, and those that belong to them. A name has the meaning that it has in the
    /// toolset before that of another program.
    pub(super) fn tools(
        &self,
        is_own: impl Fn(&str) -> bool,
    ) -> (Vec<&str>, &'static [&'static str]) {
        if is_own(self.name) {
            return (vec![self.name], &[]);
        }
        match ToolAlias::find(self.name) {
            Some(alias) => (alias.tools.to_vec(), alias.related),
            None => (vec![self.name], &[]),
        }
    }
}

/// Reads a rule that has the name of a tool of Claude Code or of helve.
pub fn rule(text: &str) -> Result<Vec<Rule>, String> {
    let entry = Entry::parse(text);
    let (tools, _) = entry.tools(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    let rules = tools.into_iter().map(|tool| match entry.scope {
        Some(scope) => format!("{tool}({scope})").parse(),
        None => tool.parse(),
    });
    let rules: Result<Vec<Rule>, _> = rules.collect();
    rules.map_err(|error| error.to_string())
}
