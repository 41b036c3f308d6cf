//! The other names of tools: those of Claude Code, and those of earlier versions.

/// A name of Claude Code for tools of helve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolAlias {
    /// The name in Claude Code.
    pub name: &'static str,
    /// The tools that do the same, to which a scope in parentheses applies; `*` stands for any text.
    pub tools: &'static [&'static str],
    /// Tools that belong to them.
    pub related: &'static [&'static str],
}

const fn alias(name: &'static str, tools: &'static [&'static str]) -> ToolAlias {
    ToolAlias {
        name,
        tools,
        related: &[],
    }
}

const fn with_related(
    name: &'static str,
    tools: &'static [&'static str],
    related: &'static [&'static str],
) -> ToolAlias {
    ToolAlias {
        name,
        tools,
        related,
    }
}

/// The built-in tools of Claude Code, old and new, for which helve has tools. Of several names of one tool, the first is
/// the one that hooks receive.
const ALIASES: [ToolAlias; 28] = [
    alias("AskUserQuestion", &["ask_user"]),
    with_related("Bash", &["bash"], &["bash_output", "bash_kill"]),
    alias("BashOutput", &["bash_output"]),
    alias("TaskOutput", &["bash_output"]),
    alias("Edit", &["edit_file", "apply_patch"]),
    alias("MultiEdit", &["edit_file", "apply_patch"]),
    alias("Glob", &["glob"]),
    alias("Grep", &["grep"]),
    alias("KillShell", &["bash_kill"]),
    alias("KillBash", &["bash_kill"]),
    alias("TaskStop", &["bash_kill"]),
    alias("LS", &["list_dir"]),
    alias("Read", &["read_file"]),
    alias("NotebookRead", &["read_file"]),
    with_related(
        "Skill",
        &["load_skill"],
        &["read_skill_file", "run_skill_script"],
    ),
    with_related("SlashCommand", &["load_skill"], &["read_skill_file"]),
    alias("Task", &["task"]),
    alias("Agent", &["task"]),
    alias("TodoWrite", &["todo_*"]),
    alias("TodoRead", &["todo_*"]),
    alias("TaskCreate", &["todo_*"]),
    alias("TaskGet", &["todo_*"]),
    alias("TaskList", &["todo_*"]),
    alias("TaskUpdate", &["todo_*"]),
    alias("ToolSearch", &["tool_search"]),
    alias("WebFetch", &["web_fetch"]),
    alias("WebSearch", &["web_search"]),
    alias("Write", &["write_file"]),
];

/// The tools that had another name in an earlier version: the name, and the earlier one.
const RENAMED: [(&str, &str); 1] = [("task", "delegate")];

impl ToolAlias {
    /// Finds a name of Claude Code. Upper and lower case are the same.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        let mut aliases = ALIASES.iter();
        aliases.find(|alias| alias.name.eq_ignore_ascii_case(name))
    }

    /// Iterates over the names that Claude Code has for a tool; the first is the one that hooks receive.
    pub fn names_of(tool: &str) -> impl Iterator<Item = &'static str> {
        let aliases = ALIASES.iter();
        let own = aliases.filter(move |alias| alias.tools.contains(&tool));
        own.map(|alias| alias.name)
    }
}

/// Returns the name that a tool had in an earlier version.
#[must_use]
pub fn earlier_name(tool: &str) -> Option<&'static str> {
    let renamed = RENAMED.iter().find(|(name, _)| *name == tool);
    renamed.map(|(_, earlier)| *earlier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_here_once() {
        let mut names: Vec<&str> = ALIASES.iter().map(|alias| alias.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn hooks_receive_the_names_of_today() {
        let first = |tool| ToolAlias::names_of(tool).next();
        assert_eq!(first("read_file"), Some("Read"));
        assert_eq!(first("bash_kill"), Some("KillShell"));
        assert_eq!(first("task"), Some("Task"));
        assert_eq!(first("present_plan"), None);
    }
}
