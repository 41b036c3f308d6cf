//! A source with a prefix before every name.

use std::hash::BuildHasher;
use std::sync::Arc;

use super::cached::Cached;
use super::described::Described;
use super::source::{ToolList, ToolSource};
use crate::support::text::first_chars;

/// The longest name that every provider takes.
const LONGEST_NAME: usize = 64;

/// Puts a prefix before the names of a source.
pub(super) struct Prefixed {
    inner: Arc<dyn ToolSource>,
    prefix: String,
    renamed: Cached,
}

impl Prefixed {
    pub(super) fn new(inner: Arc<dyn ToolSource>, prefix: String) -> Self {
        Self {
            inner,
            prefix,
            renamed: Cached::default(),
        }
    }
}

impl ToolSource for Prefixed {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        self.renamed.at(list.revision(), || {
            let renamed = list.tools().iter().map(|tool| {
                Described::by(tool.clone(), |spec| {
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
    if whole.len() <= LONGEST_NAME {
        return whole;
    }
    let hash = foldhash::quality::FixedState::default().hash_one(&whole);
    let kept = first_chars(&whole, LONGEST_NAME - 9);
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
