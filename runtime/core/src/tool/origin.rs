//! Who brings a tool.

use std::sync::Arc;

/// The origin of a tool, as a [filter](crate::toolset::ToolFilter) of an agent's tools judges it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolOrigin {
    /// The program itself, which made it while it ran.
    #[default]
    Program,
    /// A package, by its name: that of a linked `#[tool]`, or of a plugin.
    Package(Arc<str>),
    /// An MCP server.
    Server {
        /// The server's name in this program.
        server: Arc<str>,
        /// What the server itself calls the tool.
        tool: Arc<str>,
    },
}

/// The package that users know helve's own tools by.
pub(crate) const RUNTIME_PACKAGE: &str = "helve-runtime";

/// Returns the package that users know the tools of a package by: the parts of the runtime are one, and so are those of
/// the built-in tools.
pub(crate) fn known_package(name: &'static str) -> &'static str {
    match name {
        "helve-cli" | "helve-results" | "helve-skill" => RUNTIME_PACKAGE,
        "helve-tools-files" | "helve-tools-shell" => "helve-tools",
        name => name,
    }
}

impl ToolOrigin {
    /// Names a package.
    pub fn package(name: impl Into<Arc<str>>) -> Self {
        Self::Package(name.into())
    }

    /// Names a server, and what that calls the tool.
    pub fn server(server: impl Into<Arc<str>>, tool: impl Into<Arc<str>>) -> Self {
        Self::Server {
            server: server.into(),
            tool: tool.into(),
        }
    }
}
