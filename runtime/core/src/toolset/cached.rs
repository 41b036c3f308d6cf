//! A list that is derived from another list, cached until that list changes.

use super::source::ToolList;
use crate::support::lock::Mutex;

/// Caches the list of a wrapper, since every call requests it.
#[derive(Default)]
pub(super) struct ListCache(Mutex<Option<ToolList>>);

impl ListCache {
    /// Returns the list of this revision, and builds it if the cached list has another revision.
    pub(super) fn get_or_make(&self, revision: u64, make: impl FnOnce() -> ToolList) -> ToolList {
        let mut kept = self.0.lock();
        match &*kept {
            Some(list) if list.revision() == revision => list.clone(),
            _ => kept.insert(make().with_revision(revision)).clone(),
        }
    }
}
