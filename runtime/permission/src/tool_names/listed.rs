//! The tools that a list names in a toolset.

use std::collections::{BTreeMap, BTreeSet};

use helve_core::registry::nearest;
use helve_core::tool::ToolSpec;
use helve_core::toolset::{ToolFilter, Toolset};

use super::entry::{Entry, rule};
use crate::Rule;
use crate::tool_aliases::ToolAlias;

/// The tools that load skills.
const SKILL_TOOLS: [&str; 3] = ["load_skill", "read_skill_file", "run_skill_script"];

/// The built-in tools of Claude Code for which helve has none.
const WITHOUT_TOOL: [&str; 24] = [
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "ListMcpResources",
    "ListMcpResourcesTool",
    "LSP",
    "Monitor",
    "NotebookEdit",
    "PowerShell",
    "PushNotification",
    "ReadMcpResource",
    "ReadMcpResourceTool",
    "RemoteTrigger",
    "SendMessage",
    "SendUserFile",
    "StructuredOutput",
    "TeamCreate",
    "TeamDelete",
    "WaitForMcpServers",
    "Workflow",
];

/// The tools that a list means in a toolset, such as `tools` of an agent file.
#[derive(Debug, Default)]
pub struct ToolNames {
    tools: BTreeSet<String>,
    /// The MCP servers all of whose tools are meant.
    servers: BTreeSet<String>,
    /// Tools of other MCP servers, by their names on the server.
    server_tools: BTreeMap<String, BTreeSet<String>>,
    /// The rules that each call of their tool must be covered by, for tools that are named with a scope alone.
    pub only: Vec<Rule>,
    /// The agents to which tasks may be delegated, if that tool is named: all if there is no list.
    pub delegates: Option<Option<Vec<String>>>,
    /// The entries that mean no tool, each with the reason.
    pub problems: Vec<String>,
}

impl ToolNames {
    /// Finds the tools of a list. What an entry has in parentheses never allows a call.
    pub fn find(entries: &[String], tools: &Toolset) -> Self {
        let mut found = Self::default();
        let known = tools.tools();
        let mut unscoped = BTreeSet::new();
        for text in entries {
            let entry = Entry::parse(text);
            if let Some(delegates) = entry.delegates() {
                found.delegates = Some(delegates);
                continue;
            }
            let is_own = |name: &str| known.iter().any(|tool| *tool.spec().name == *name);
            let (wanted, related) = entry.tools(is_own);
            let before = found.tools.len() + found.servers.len() + found.server_tools.len();
            let mut is_there = false;
            for spec in known.iter().map(|tool| tool.spec()) {
                let is_meant = |names: &[&str]| names.iter().any(|name| covers(name, spec));
                let is_wanted = is_meant(&wanted);
                if is_wanted || is_meant(related) {
                    is_there |= is_wanted;
                    found.tools.insert(spec.name.to_string());
                }
                if is_wanted && entry.scope.is_none() {
                    unscoped.insert(spec.name.to_string());
                }
            }
            found.add_server(entry.name);
            let after = found.tools.len() + found.servers.len() + found.server_tools.len();
            if after == before && !is_there {
                found.problems.push(missing(&entry, &wanted, tools));
            }
            if let Some(scope) = entry.scope {
                let rules = wanted.iter().map(|tool| Rule::calls(*tool, scope));
                found.only.extend(rules);
            }
        }
        found.only.retain(|rule| !unscoped.contains(&rule.tool));
        found
    }

    /// Adds the server of an entry such as `mcp__github`, `mcp__github__*` or `mcp__github__list_issues`: its tools may
    /// arrive later.
    fn add_server(&mut self, name: &str) {
        let Some(rest) = name.strip_prefix("mcp__") else {
            return;
        };
        match rest.split_once("__") {
            None | Some((_, "" | "*")) => {
                let server = rest.split("__").next().unwrap_or(rest);
                self.servers.insert(server.trim_end_matches('*').to_owned());
            }
            Some((server, tool)) => {
                let tools = self.server_tools.entry(server.to_owned()).or_default();
                tools.insert(tool.to_owned());
            }
        }
    }

    /// Reports whether the list means a tool of the toolset.
    #[must_use]
    pub fn contains(&self, tool: &str) -> bool {
        self.tools.contains(tool)
    }

    /// Adds the tools that load skills.
    pub fn add_skill_tools(&mut self) {
        self.tools.extend(SKILL_TOOLS.map(str::to_owned));
    }

    /// Adds the tools of groups; the names of unknown groups become problems.
    pub fn add_groups(&mut self, groups: &[String], tools: &Toolset) {
        for group in groups {
            let before = self.tools.len();
            let known = tools.tools();
            let mut is_there = false;
            for spec in known.iter().map(|tool| tool.spec()) {
                if spec.group.as_deref() == Some(&**group) {
                    is_there = true;
                    self.tools.insert(spec.name.to_string());
                }
            }
            if self.tools.len() == before && !is_there {
                let problem = format!("no tool is in the group `{group}`");
                self.problems.push(problem);
            }
        }
    }

    /// Returns the filter that grants these tools of a toolset, and no other tool, neither now nor later.
    pub fn filter(&self, tools: &Toolset) -> ToolFilter {
        let is_granted = |name: &str| self.tools.contains(name);
        let others = tools.names().into_iter().filter(|name| !is_granted(name));
        let skill_tools = SKILL_TOOLS.into_iter().filter(|name| !is_granted(name));
        let servers = self.servers.iter().chain(self.server_tools.keys());
        let filter = ToolFilter::new()
            .tools(self.tools.iter().cloned())
            .without(others)
            .without(skill_tools)
            .servers(servers.cloned());
        let partly = self.server_tools.iter();
        let partly = partly.filter(|(server, _)| !self.servers.contains(*server));
        partly.fold(filter, |filter, (server, tools)| {
            filter.server_tools(server.clone(), tools.iter().cloned())
        })
    }
}

/// What a list of disallowed tools excludes.
#[derive(Debug, Default)]
pub struct Exclusion {
    pub filter: ToolFilter,
    /// The rules that deny the calls of tools that are excluded in part, or that may arrive later.
    pub rules: Vec<Rule>,
    /// The agents to which no task may be delegated: all if there is no list.
    pub delegates: Option<Option<Vec<String>>>,
    pub problems: Vec<String>,
}

impl Exclusion {
    /// Finds the tools of a list. An entry whose scope cannot be read excludes the whole tool.
    pub fn find(entries: &[String], tools: &Toolset) -> Self {
        let (mut rules, mut whole) = (Vec::new(), Vec::new());
        for text in entries {
            let entry = Entry::parse(text);
            match rule(text) {
                Ok(scoped) if entry.scope.is_some() && entry.delegates().is_none() => {
                    rules.extend(scoped);
                }
                _ => whole.push(text.clone()),
            }
        }
        let found = ToolNames::find(&whole, tools);
        let servers = found.servers.iter();
        rules.extend(servers.map(|server| Rule::tool(format!("mcp__{server}__*"))));
        for (server, tools) in &found.server_tools {
            let names = tools.iter().map(|tool| format!("mcp__{server}__{tool}"));
            rules.extend(names.map(Rule::tool));
        }
        Self {
            filter: ToolFilter::new().without(found.tools),
            rules,
            delegates: found.delegates,
            problems: found.problems,
        }
    }
}

/// Reports whether a name means a tool: by its name, with `*` for any text, or as a tool of a server.
fn covers(name: &str, spec: &ToolSpec) -> bool {
    let tool = &*spec.name;
    if let Some(start) = name.strip_suffix('*') {
        return tool.starts_with(start) && !start.is_empty();
    }
    let is_server = name.starts_with("mcp__") && !name["mcp__".len()..].contains("__");
    name == tool
        || is_server
            && tool
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with("__"))
}

/// Says that an entry means no tool.
fn missing(entry: &Entry<'_>, wanted: &[&str], tools: &Toolset) -> String {
    let name = entry.name;
    if WITHOUT_TOOL
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
    {
        return format!("helve has no tool for `{name}`");
    }
    if ToolAlias::find(name).is_some() {
        let wanted = wanted.join("`, `");
        return format!("this program has no tool for `{name}`: it would be `{wanted}`");
    }
    let names = tools.names();
    let near = nearest(name, names.iter().map(AsRef::as_ref));
    match near {
        Some(near) => format!("no tool is called `{name}`; did you mean `{near}`?"),
        None => format!("no tool is called `{name}`"),
    }
}
