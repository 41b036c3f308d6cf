//! Filters that select the tools that an agent is granted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::exclusion::ExclusionReason;
use crate::registry::nearest;
use crate::tool::{RUNTIME_PACKAGE, Tool, ToolOrigin, ToolSpec};

/// The tools that an agent is granted: by name, by MCP server and by package.
///
/// Without a rule, a tool is granted. A tool is checked by these gates in this order, and [`check`](Self::check)
/// returns the first gate that excludes it:
///
/// 1. [`without`](Self::without), for every tool;
/// 2. [`tools`](Self::tools), for the app's own tools;
/// 3. [`servers`](Self::servers) and then [`server_tools`](Self::server_tools), for the tools of MCP servers;
///    [`packages`](Self::packages), for those of other packages.
///
/// A list of the app's own tools therefore does not affect the tools of a server, and a list of servers does not
/// affect the app's own tools. The tools `load_skill` and `read_skill_file`, which agents need to work, are only
/// affected by the first gate. A tool that is `always` offered is granted like any other.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
/// use helve::toolset::{ExclusionReason, ToolFilter};
///
/// /// Tells what is in stock.
/// #[tool(read_only)]
/// fn stock() -> u32 {
///     3
/// }
///
/// /// Sells one.
/// #[tool]
/// fn sell() {}
///
/// let filter = ToolFilter::new().tools(["stock"]).servers(["tickets"]);
/// let tools = toolset![stock, sell];
/// assert_eq!(tools.granted(&filter).names(), ["stock"]);
/// assert_eq!(filter.check(tools.get("sell").unwrap().spec()), Err(ExclusionReason::Name));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ToolFilter {
    /// The packages of the app's own tools; `None` for all packages.
    own: Option<BTreeSet<String>>,
    without: BTreeSet<String>,
    tools: Option<BTreeSet<String>>,
    servers: Option<BTreeSet<String>>,
    server_tools: BTreeMap<String, BTreeSet<String>>,
    packages: Option<BTreeSet<String>>,
}

/// A name in a filter that matches no tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnmatchedName {
    /// The kind of name.
    pub(crate) kind: NameKind,
    /// The name.
    pub name: String,
    /// The most similar known name.
    pub nearest: Option<String>,
}

/// The kind of a name in a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// Any tool.
    Tool,
    /// One of the app's own tools.
    OwnTool,
    Server,
    /// A tool of this server.
    ServerTool(String),
    Package,
}

impl ToolFilter {
    /// Grants every tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Grants the app's own tools with these names, and no other of its own tools; repeated calls add names.
    #[must_use]
    pub fn tools<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        add(self.tools.get_or_insert_default(), names);
        self
    }

    /// Excludes the tools with these names, from every source and regardless of other rules.
    #[must_use]
    pub fn without<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        add(&mut self.without, names);
        self
    }

    /// Grants the tools of these MCP servers, and of no other servers; repeated calls add servers.
    #[must_use]
    pub fn servers<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        add(self.servers.get_or_insert_default(), names);
        self
    }

    /// Grants these tools of an MCP server, by their names on the server, and no others of that server. This grants
    /// nothing of a server that [`servers`](Self::servers) excludes.
    #[must_use]
    pub fn server_tools<N: Into<String>>(
        mut self,
        server: impl Into<String>,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        add(self.server_tools.entry(server.into()).or_default(), names);
        self
    }

    /// Grants the tools of these packages, and of no others except the [app's own](Self::own_packages); repeated calls
    /// add packages.
    #[must_use]
    pub fn packages<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        add(self.packages.get_or_insert_default(), names);
        self
    }

    /// Sets the packages of the app's own tools: [`tools`](Self::tools) applies to their tools,
    /// [`packages`](Self::packages) to those of other packages.
    ///
    /// Until this is called, both apply to the tools of every package. Tools that the program creates at run time are
    /// always its own. An `App` includes its own package and the tools of helve.
    #[must_use]
    pub fn own_packages<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        add(self.own.get_or_insert_default(), names);
        self
    }

    /// Reports whether the app's own packages are listed.
    #[doc(hidden)]
    pub fn has_own_packages(&self) -> bool {
        self.own.is_some()
    }

    /// Reports whether tools of an MCP server may be granted.
    #[doc(hidden)]
    pub fn takes_server(&self, name: &str) -> bool {
        let servers = self.servers.as_ref();
        servers.is_none_or(|servers| servers.contains(name))
    }

    /// Checks whether a tool is granted.
    ///
    /// # Errors
    ///
    /// The first gate that excludes the tool.
    pub fn check(&self, spec: &ToolSpec) -> Result<(), ExclusionReason> {
        let lacks = |names: &Option<BTreeSet<String>>, name: &str| {
            names.as_ref().is_some_and(|names| !names.contains(name))
        };
        if self.without.contains(&*spec.name) {
            return Err(ExclusionReason::Excluded);
        }
        if is_agent_builtin(spec) {
            return Ok(());
        }
        if self.is_own(&spec.origin) && lacks(&self.tools, &spec.name) {
            return Err(ExclusionReason::Name);
        }
        match &spec.origin {
            ToolOrigin::Program => Ok(()),
            ToolOrigin::Server { server, .. } if lacks(&self.servers, server) => {
                Err(ExclusionReason::Server(Arc::clone(server)))
            }
            ToolOrigin::Server { server, tool } => match self.server_tools.get(&**server) {
                Some(granted) if !granted.contains(&**tool) => Err(ExclusionReason::ServerTool {
                    server: Arc::clone(server),
                    tool: Arc::clone(tool),
                }),
                _ => Ok(()),
            },
            ToolOrigin::Package(package) => {
                match self.is_foreign_package(package) && lacks(&self.packages, package) {
                    true => Err(ExclusionReason::Package(Arc::clone(package))),
                    false => Ok(()),
                }
            }
        }
    }

    /// Reports whether the rules for tool names apply to tools of an origin.
    fn is_own(&self, origin: &ToolOrigin) -> bool {
        match origin {
            ToolOrigin::Program => true,
            ToolOrigin::Package(package) => {
                let own = self.own.as_ref();
                own.is_none_or(|own| own.contains(&**package))
            }
            ToolOrigin::Server { .. } => false,
        }
    }

    /// Reports whether the rules for packages apply to the tools of a package.
    fn is_foreign_package(&self, package: &str) -> bool {
        let own = self.own.as_ref();
        own.is_none_or(|own| !own.contains(package))
    }

    /// Returns the names in the filter that match none of these tools, each with the most similar known name.
    #[must_use]
    pub fn unmatched_names(&self, tools: &[Arc<dyn Tool>]) -> Vec<UnmatchedName> {
        let (mut all, mut own, mut packages) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut servers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for spec in tools.iter().map(|tool| tool.spec()) {
            all.insert(&*spec.name);
            if self.is_own(&spec.origin) {
                own.insert(&*spec.name);
            }
            match &spec.origin {
                ToolOrigin::Server { server, tool } => {
                    servers.entry(server).or_default().insert(tool);
                }
                ToolOrigin::Package(package) if self.is_foreign_package(package) => {
                    packages.insert(&**package);
                }
                _ => {}
            }
        }
        let server_names = servers.keys().copied().collect();
        let none = BTreeSet::new();
        let mut idle = unknown(&self.without, &all, &NameKind::Tool);
        idle.extend(unknown(
            self.tools.iter().flatten(),
            &own,
            &NameKind::OwnTool,
        ));
        idle.extend(unknown(
            self.servers.iter().flatten(),
            &server_names,
            &NameKind::Server,
        ));
        for (server, names) in &self.server_tools {
            let known = servers.get(&**server).unwrap_or(&none);
            idle.extend(unknown(names, known, &NameKind::ServerTool(server.clone())));
        }
        idle.extend(unknown(
            self.packages.iter().flatten(),
            &packages,
            &NameKind::Package,
        ));
        idle
    }
}

/// Reports whether every agent needs a tool to work: the tools of this package that are always offered and read-only.
fn is_agent_builtin(spec: &ToolSpec) -> bool {
    let is_ours = |package: &str| package == RUNTIME_PACKAGE;
    spec.always
        && spec.annotations.read_only == Some(true)
        && matches!(&spec.origin, ToolOrigin::Package(package) if is_ours(package))
}

fn add<N: Into<String>>(to: &mut BTreeSet<String>, names: impl IntoIterator<Item = N>) {
    to.extend(names.into_iter().map(Into::into));
}

/// Returns the unknown names.
pub(super) fn unknown<'n>(
    names: impl IntoIterator<Item = &'n String>,
    known: &BTreeSet<&str>,
    what: &NameKind,
) -> Vec<UnmatchedName> {
    let names = names.into_iter();
    let unknown = names.filter(|name| !known.contains(name.as_str()));
    unknown
        .map(|name| UnmatchedName {
            kind: what.clone(),
            name: name.clone(),
            nearest: nearest(name, known.iter().copied()).map(str::to_owned),
        })
        .collect()
}

impl UnmatchedName {
    /// Reports whether the name may belong to one of these servers, or to a tool that a server lists only once
    /// connected.
    #[doc(hidden)]
    pub fn may_belong_to(&self, servers: &[String]) -> bool {
        match &self.kind {
            NameKind::Tool => !servers.is_empty() && self.name.starts_with("mcp__"),
            NameKind::Server => servers.contains(&self.name),
            NameKind::ServerTool(server) => servers.contains(server),
            NameKind::OwnTool | NameKind::Package => false,
        }
    }
}

impl fmt::Display for UnmatchedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.kind {
            NameKind::Tool => write!(f, "no tool is called `{name}`")?,
            NameKind::OwnTool => write!(f, "this app has no tool `{name}`")?,
            NameKind::Server => write!(f, "no server `{name}` provides a tool")?,
            NameKind::ServerTool(server) => {
                write!(f, "the server `{server}` has no tool `{name}`")?;
            }
            NameKind::Package => write!(f, "no package `{name}` provides a tool")?,
        }
        match &self.nearest {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}
