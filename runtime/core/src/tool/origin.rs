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
