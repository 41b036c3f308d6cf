//! Several sources combined, by priority.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use super::cached::ListCache;
use super::source::{ToolList, ToolSource};

/// Combines sources; of two tools with the same name, that of the earlier source is used.
pub(super) struct LayeredSource {
    layers: Vec<Arc<dyn ToolSource>>,
    cache: ListCache,
}

impl LayeredSource {
    pub(super) fn new(layers: Vec<Arc<dyn ToolSource>>) -> Self {
        Self {
            layers,
            cache: ListCache::default(),
        }
    }
}

impl ToolSource for LayeredSource {
    fn list(&self) -> ToolList {
        let lists: Vec<ToolList> = self.layers.iter().map(|layer| layer.list()).collect();
        let revision = combine_revisions(lists.iter().map(ToolList::revision));
        self.cache.get_or_make(revision, || join(&lists))
    }

    fn revision(&self) -> u64 {
        combine_revisions(self.layers.iter().map(|layer| layer.revision()))
    }
}

fn join(lists: &[ToolList]) -> ToolList {
    let mut names = HashSet::new();
    let tools = lists
        .iter()
        .flat_map(ToolList::tools)
        .filter(|tool| names.insert(tool.spec().name.clone()));
    let joined = ToolList::new(tools.cloned());
    joined.with_warnings(lists.iter().flat_map(ToolList::warnings).cloned())
}

/// Hashes the revisions of the layers, so that a change of any layer changes the result.
fn combine_revisions(revisions: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    for revision in revisions {
        hasher.write_u64(revision);
    }
    hasher.finish()
}
