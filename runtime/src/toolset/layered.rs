//! Several sources as one, by priority.

use std::collections::HashSet;
use std::sync::Arc;

use super::source::{ToolList, ToolSource};

/// Joins sources; where two have a name, the earlier source's tool stands.
pub(super) struct Layered {
    layers: Vec<Arc<dyn ToolSource>>,
}

impl Layered {
    pub(super) fn new(layers: Vec<Arc<dyn ToolSource>>) -> Self {
        Self { layers }
    }
}

impl ToolSource for Layered {
    fn list(&self) -> ToolList {
        let lists: Vec<ToolList> = self.layers.iter().map(|layer| layer.list()).collect();
        let mut names = HashSet::new();
        let tools = lists
            .iter()
            .flat_map(ToolList::tools)
            .filter(|tool| names.insert(tool.spec().name.clone()));
        let joined = ToolList::new(tools.cloned());
        let warnings = lists.iter().flat_map(ToolList::warnings).cloned();
        joined.at_revision(revision(&lists)).with_warnings(warnings)
    }
}

/// Folds the revisions so that a change of any layer is a change of the whole, whatever the others do.
fn revision(lists: &[ToolList]) -> u64 {
    use std::hash::BuildHasher;
    foldhash::fast::FixedState::default()
        .hash_one(lists.iter().map(ToolList::revision).collect::<Vec<_>>())
}
