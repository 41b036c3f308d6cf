//! Several sources as one, by priority.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use super::cached::Cached;
use super::source::{ToolList, ToolSource};

/// Joins sources; where two have a name, the earlier source's tool stands.
pub(super) struct Layered {
    layers: Vec<Arc<dyn ToolSource>>,
    joined: Cached,
}

impl Layered {
    pub(super) fn new(layers: Vec<Arc<dyn ToolSource>>) -> Self {
        Self {
            layers,
            joined: Cached::default(),
        }
    }
}

impl ToolSource for Layered {
    fn list(&self) -> ToolList {
        let lists: Vec<ToolList> = self.layers.iter().map(|layer| layer.list()).collect();
        self.joined.at(revision(&lists), || join(&lists))
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

/// Folds the revisions so that a change of any layer is a change of the whole, whatever the others do.
fn revision(lists: &[ToolList]) -> u64 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    for list in lists {
        hasher.write_u64(list.revision());
    }
    hasher.finish()
}
