//! Sources of tools, whose lists may change.

use std::sync::Arc;

use crate::tool::Tool;

/// A list of tools that can change while the process runs: of a server, a folder, or a plugin.
pub trait ToolSource: Send + Sync {
    /// Returns the current list immediately; fetching happens elsewhere, in advance.
    fn list(&self) -> ToolList;

    /// Returns the revision of the current list. This is called more often than `list`.
    fn revision(&self) -> u64 {
        self.list().revision()
    }
}

/// A snapshot of a source.
#[derive(Clone)]
pub struct ToolList {
    tools: Arc<[Arc<dyn Tool>]>,
    warnings: Arc<[String]>,
    revision: u64,
}

impl ToolList {
    /// Creates a list; of two tools with the same name, the earlier one is used.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        Self {
            tools: tools.into_iter().collect(),
            warnings: Arc::default(),
            revision: 0,
        }
    }

    /// Sets the revision: lists of one source with the same revision contain the same tools.
    #[must_use]
    pub fn with_revision(mut self, revision: u64) -> Self {
        self.revision = revision;
        self
    }

    /// Adds warnings: names that match no tool, and tools that hide others.
    #[must_use]
    pub fn with_warnings(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.warnings = self.warnings.iter().cloned().chain(warnings).collect();
        self
    }

    /// Returns the tools.
    #[must_use]
    pub fn tools(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }

    /// Returns the warnings.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the revision.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }
}

/// A list that never changes.
impl ToolSource for ToolList {
    fn list(&self) -> ToolList {
        self.clone()
    }

    fn revision(&self) -> u64 {
        self.revision
    }
}

impl std::fmt::Debug for ToolList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.tools.iter().map(|tool| &tool.spec().name))
            .finish()
    }
}
