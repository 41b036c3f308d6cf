//! Sources of tools, whose lists may change.

use std::sync::Arc;

use crate::tool::Tool;

/// A list of tools that can change while the process runs: of a server, a folder, or a plugin.
///
/// A function that returns a [`ToolList`] is a source, too.
///
/// ```
/// # extern crate helve_core as helve;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::sync::Arc;
/// use helve::prelude::*;
/// use helve::toolset::{DynamicTool, ToolList, ToolSource};
///
/// /// One tool for each plugin that is installed.
/// #[derive(Default)]
/// struct Plugins(AtomicU64);
///
/// impl ToolSource for Plugins {
///     fn list(&self) -> ToolList {
///         let count = self.revision();
///         let tools = (1..=count).map(|number| {
///             let schema = serde_json::json!({ "type": "object" });
///             let tool = DynamicTool::new(format!("plugin_{number}"), "Runs a plugin.", schema, move |_, _| {
///                 Box::pin(async move { Ok(ToolOutput::plain(format!("plugin {number}"))) })
///             });
///             Arc::new(tool.expect("the name and the schema are valid")) as _
///         });
///         ToolList::new(tools).with_revision(count)
///     }
///
///     fn revision(&self) -> u64 {
///         self.0.load(Ordering::Relaxed)
///     }
/// }
///
/// let plugins = Arc::new(Plugins::default());
/// let source = Arc::clone(&plugins);
/// let tools = Toolset::new(move || source.list());
/// assert!(tools.names().is_empty());
/// plugins.0.fetch_add(1, Ordering::Relaxed);
/// assert_eq!(tools.names(), ["plugin_1"]);
/// ```
pub trait ToolSource: Send + Sync {
    /// Returns the current list immediately; fetching happens elsewhere, in advance.
    fn list(&self) -> ToolList;

    /// Returns the revision of the current list. This is called more often than `list`.
    fn revision(&self) -> u64 {
        self.list().revision()
    }
}

/// A snapshot of a source.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::toolset::{ToolList, ToolSource};
///
/// let list = ToolList::new([]).with_revision(3);
/// assert_eq!(list.list().revision(), 3);
/// ```
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

    /// Returns the tools sorted by name, without later tools of the same name. A sorted list is not copied.
    pub(super) fn into_sorted(self) -> Arc<[Arc<dyn Tool>]> {
        let is_before = |a: &Arc<dyn Tool>, b: &Arc<dyn Tool>| a.spec().name < b.spec().name;
        if self.tools.is_sorted_by(is_before) {
            return self.tools;
        }
        let mut tools = self.tools.to_vec();
        tools.sort_by(|a, b| a.spec().name.cmp(&b.spec().name));
        tools.dedup_by(|later, earlier| later.spec().name == earlier.spec().name);
        tools.into()
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

/// A function that returns the current list.
impl<F: Fn() -> ToolList + Send + Sync> ToolSource for F {
    fn list(&self) -> ToolList {
        self()
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
