//! A list that was made of another one, kept until that one changes.

use super::source::ToolList;
use crate::support::lock::Mutex;

/// Keeps the list that a wrapper made, since it is asked for at every call.
#[derive(Default)]
pub(super) struct ListCache(Mutex<Option<ToolList>>);

impl ListCache {
    /// Returns the list of this revision; it is made where the one that is kept is of another.
    pub(super) fn get_or_make(&self, revision: u64, make: impl FnOnce() -> ToolList) -> ToolList {
        let mut kept = self.0.lock();
        match &*kept {
            Some(list) if list.revision() == revision => list.clone(),
            _ => kept.insert(make().with_revision(revision)).clone(),
        }
    }
}
