//! Where tools come from: a list that may change.

use std::sync::Arc;

use crate::tool::Tool;

/// A list of tools that can change while the process runs: a server's, a folder's, a plugin's.
pub trait ToolSource: Send + Sync {
    /// Returns the list as it is now, at once; fetching is done elsewhere, ahead of time.
    fn list(&self) -> ToolList;

    /// Returns the revision of the list as it is now. It is asked for more often than the list itself.
    fn revision(&self) -> u64 {
        self.list().revision()
    }
}

/// One state of a source.
#[derive(Clone)]
pub struct ToolList {
    tools: Arc<[Arc<dyn Tool>]>,
    warnings: Arc<[String]>,
    revision: u64,
}

impl ToolList {
    /// Creates a list; where two tools have one name, the earlier stands.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        Self {
            tools: tools.into_iter().collect(),
            warnings: Arc::default(),
            revision: 0,
        }
    }

    /// Sets the revision: two lists of one source with the same revision hold the same tools.
    #[must_use]
    pub fn with_revision(mut self, revision: u64) -> Self {
        self.revision = revision;
        self
    }

    /// Adds warnings: names that fit no tool, tools that hide others.
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
