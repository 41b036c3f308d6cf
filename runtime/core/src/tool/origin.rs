//! The origins of tools.

use std::sync::Arc;

/// The origin of a tool, which a [filter](crate::toolset::ToolFilter) of an agent's tools is applied to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolOrigin {
    /// The program itself, which created the tool at run time.
    #[default]
    Program,
    /// The name of a package: that of a linked `#[tool]`, or of a plugin.
    Package(Arc<str>),
    /// An MCP server.
    Server {
        /// The name of the server in this program.
        server: Arc<str>,
        /// The name of the tool on the server.
        tool: Arc<str>,
    },
}

/// The package name under which users see helve's own tools.
pub(crate) const RUNTIME_PACKAGE: &str = "helve-runtime";

/// Returns the package name under which users see the tools of a package: the packages of the runtime share one name,
/// and so do those of the built-in tools.
pub(crate) fn known_package(name: &'static str) -> &'static str {
    match name {
        "helve-cli" | "helve-results" | "helve-skill" => RUNTIME_PACKAGE,
        name if name.starts_with("helve-tools-") => "helve-tools",
        name => name,
    }
}

impl ToolOrigin {
    /// Creates the origin of a tool from a package.
    pub fn package(name: impl Into<Arc<str>>) -> Self {
        Self::Package(name.into())
    }

    /// Creates the origin of a tool from a server, with its name on the server.
    pub fn server(server: impl Into<Arc<str>>, tool: impl Into<Arc<str>>) -> Self {
        Self::Server {
            server: server.into(),
            tool: tool.into(),
        }
    }
}
