//! What a server offers: its tools, as it last listed them.

use rmcp::model::Tool;

/// The tools of a server, as it last listed them.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolsOffer {
    /// The tools, in the server's order, no name twice.
    pub tools: Vec<Tool>,
    /// How often the list has changed; 0 before there is one.
    pub revision: u64,
    /// What is not as the server meant it: what was left out or cut, and whether the list is an old one.
    pub notes: Vec<String>,
}
