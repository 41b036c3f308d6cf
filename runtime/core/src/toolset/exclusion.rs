//! Where a filter leaves a tool out.

use std::sync::Arc;

/// The gate at which a [filter](super::ToolFilter) leaves a tool out: the first of those that it fails at.
///
/// It is for those who put the app together and for the person at the terminal. A model only sees that there is no such
/// tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum ExclusionReason {
    /// The tool is excluded by its name.
    #[error("it is excluded by its name")]
    Excluded,
    /// It is one of the app's own, and not among those that are granted by name.
    #[error("it is not among the tools that are granted by name")]
    Name,
    /// Its server is not among those that are granted.
    #[error("the server `{0}` is not among those that are granted")]
    Server(Arc<str>),
    /// It is not among the tools of its server that are granted.
    #[error("`{tool}` is not among the tools of the server `{server}` that are granted")]
    ServerTool {
        /// The server.
        server: Arc<str>,
        /// What the server calls the tool.
        tool: Arc<str>,
    },
    /// Its package is not among those that are granted.
    #[error("the package `{0}` is not among those that are granted")]
    Package(Arc<str>),
}
