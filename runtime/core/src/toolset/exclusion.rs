//! The reasons why a filter excludes a tool.

use std::sync::Arc;

/// The first gate of a [filter](super::ToolFilter) that excludes a tool.
///
/// The reason is for developers of the app and for the user at the terminal. To a model, an excluded tool does not
/// exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum ExclusionReason {
    /// The tool is excluded by its name.
    #[error("it is excluded by its name")]
    Excluded,
    /// The tool is one of the app's own, and is not granted by name.
    #[error("it is not among the tools that are granted by name")]
    Name,
    /// The server of the tool is not granted.
    #[error("the server `{0}` is not among those that are granted")]
    Server(Arc<str>),
    /// The tool is not among the granted tools of its server.
    #[error("`{tool}` is not among the tools of the server `{server}` that are granted")]
    ServerTool {
        /// The server.
        server: Arc<str>,
        /// The name of the tool on the server.
        tool: Arc<str>,
    },
    /// The package of the tool is not granted.
    #[error("the package `{0}` is not among those that are granted")]
    Package(Arc<str>),
}
