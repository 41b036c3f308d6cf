//! The recorded state of tool exposure.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use helve_core::transcript::ToolName;

/// The state of the switches of tool exposure, which the records of a turn hold.
///
/// The state names tools that may be visible. It never adds a tool that the toolset lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExposedTools {
    /// The groups that the model switched, and whether they are on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, bool>,
    /// The tools that the model asked for by name.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub expanded: BTreeSet<ToolName>,
    /// The tools that were suggested, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggested: Vec<ToolName>,
    /// Whether the model may request a compaction of the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compress: bool,
}

impl ExposedTools {
    /// Reports whether nothing was switched, named or suggested.
    pub(crate) fn is_empty(&self) -> bool {
        let Self {
            groups,
            expanded,
            suggested,
            compress,
        } = self;
        groups.is_empty() && expanded.is_empty() && suggested.is_empty() && !compress
    }

    /// Adds suggestions. Earlier suggestions stay, up to `most` in all, so that a conversation that continues on the
    /// same subject keeps the same tools.
    #[must_use]
    pub(crate) fn with_suggestions(
        mut self,
        names: impl IntoIterator<Item = ToolName>,
        most: usize,
    ) -> Self {
        let fresh: Vec<ToolName> = names.into_iter().take(most).collect();
        let known = |name: &ToolName| self.suggested.contains(name);
        if fresh.iter().all(known) {
            return self;
        }
        self.suggested.retain(|name| !fresh.contains(name));
        self.suggested.extend(fresh);
        let extra = self.suggested.len().saturating_sub(most);
        self.suggested.drain(..extra);
        self
    }
}
