//! A source with a prefix before every name.

use std::hash::BuildHasher;
use std::sync::Arc;

use super::cached::ListCache;
use super::redescribed::RedescribedTool;
use super::source::{ToolList, ToolSource};
use crate::support::text::first_chars;

/// The longest name that every provider takes.
const MAX_NAME_CHARS: usize = 64;

/// Puts a prefix before the names of a source.
pub(super) struct PrefixedSource {
    inner: Arc<dyn ToolSource>,
    prefix: String,
    cache: ListCache,
}

impl PrefixedSource {
    pub(super) fn new(inner: Arc<dyn ToolSource>, prefix: String) -> Self {
        Self {
            inner,
            prefix,
            cache: ListCache::default(),
        }
    }
}

impl ToolSource for PrefixedSource {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        self.cache.get_or_make(list.revision(), || {
            let renamed = list.tools().iter().map(|tool| {
                RedescribedTool::wrap(tool.clone(), |spec| {
                    spec.name = join(&self.prefix, &spec.name).into();
                })
            });
            ToolList::new(renamed).with_warnings(list.warnings().iter().cloned())
        })
    }

    fn revision(&self) -> u64 {
        self.inner.revision()
    }
}

/// Joins prefix and name; what is too long ends in a hash of the whole.
fn join(prefix: &str, name: &str) -> String {
    let whole = format!("{prefix}_{name}");
    if whole.len() <= MAX_NAME_CHARS {
        return whole;
    }
    let hash = foldhash::quality::FixedState::default().hash_one(&whole);
    let kept = first_chars(&whole, MAX_NAME_CHARS - 9);
    format!("{kept}_{:08x}", hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn long_names_keep_their_difference() {
        let long = "a".repeat(64);
        let (one, two) = (
            join("server", &format!("{long}1")),
            join("server", &format!("{long}2")),
        );
        assert_eq!(one.len(), 64);
        assert_ne!(one, two);
        assert_eq!(join("server", "list"), "server_list");
    }
}
