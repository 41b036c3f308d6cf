//! The tools that `allowed-tools` names.

use helve_core::toolset::{ToolFilter, Toolset};

/// The names of Claude Code's tools, with those of helve's that do the same.
const ALIASES: [(&str, &[&str]); 10] = [
    ("Bash", &["bash"]),
    ("BashOutput", &["bash_output"]),
    ("Edit", &["edit_file", "apply_patch"]),
    ("Glob", &["glob"]),
    ("Grep", &["grep"]),
    ("KillShell", &["bash_kill"]),
    ("LS", &["list_dir"]),
    ("MultiEdit", &["edit_file", "apply_patch"]),
    ("Read", &["read_file"]),
    ("Write", &["write_file"]),
];

/// The tools to which a command is limited.
#[derive(Debug)]
pub(super) struct AllowedTools {
    names: Vec<String>,
    /// The MCP servers of the entries.
    servers: Vec<String>,
    /// The names that are no tools of the app.
    pub(super) unknown: Vec<String>,
    is_all: bool,
}

impl AllowedTools {
    /// Finds the tools of an app that are named. What an entry has in parentheses allows nothing, and is not read: the
    /// calls of the tool are judged as ever.
    pub(super) fn resolve(entries: &[String], tools: &Toolset) -> Self {
        let (mut names, mut servers, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_all = false;
        for entry in entries {
            let wanted = entry.split('(').next().unwrap_or(entry).trim();
            is_all |= wanted == "*";
            let server = wanted
                .strip_prefix("mcp__")
                .and_then(|rest| rest.split("__").next());
            servers.extend(server.map(|server| server.trim_end_matches('*').to_owned()));
            let alias = ALIASES.iter().find(|(alias, _)| *alias == wanted);
            let own = [wanted];
            let wanted_names = alias.map_or(&own[..], |(_, names)| names);
            let before = names.len();
            for tool in tools.tools() {
                let name = &*tool.spec().name;
                if is_all || wanted_names.iter().any(|wanted| covers(wanted, name)) {
                    names.push(name.to_owned());
                }
            }
            if names.len() == before {
                unknown.push(wanted.to_owned());
            }
        }
        Self {
            names,
            servers,
            unknown,
            is_all,
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// Returns the filter that excludes every other tool; `None` if there is no other.
    pub(super) fn filter(&self, tools: &Toolset) -> Option<ToolFilter> {
        let names = tools.names().into_iter();
        let others = names.filter(|name| !self.contains(name));
        // The lists also exclude the tools that a server offers later.
        let filter = ToolFilter::new()
            .tools(self.names.iter().cloned())
            .servers(self.servers.iter().cloned())
            .without(others);
        (!self.is_all).then_some(filter)
    }
}

/// Reports whether an entry means a tool: by its name, or as a tool of the server that the entry names.
fn covers(entry: &str, name: &str) -> bool {
    let server = entry.trim_end_matches('*').trim_end_matches("__");
    let is_server = server.starts_with("mcp__") && !server["mcp__".len()..].contains("__");
    entry == name
        || is_server
            && name
                .strip_prefix(server)
                .is_some_and(|rest| rest.starts_with("__"))
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn a_server_means_its_tools() {
        assert!(covers("read_file", "read_file"));
        assert!(covers("mcp__github", "mcp__github__list_issues"));
        assert!(covers("mcp__github__*", "mcp__github__list_issues"));
        assert!(!covers("mcp__git", "mcp__github__list_issues"));
        assert!(!covers("mcp__github__list", "mcp__github__list_issues"));
        assert!(!covers("read", "read_file"));
    }
}
