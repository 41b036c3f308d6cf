//! The names of tools in files that others write: those of Claude Code, and helve's own.

mod entry;
mod listed;

pub use crate::tool_aliases::{ToolAlias, earlier_name};
pub use entry::rule;
pub use listed::{Exclusion, ToolNames};
