//! What was removed of all that a mount covers: with it, the kernel takes the mount away.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::queue::FolderId;
use super::tree::WatchTree;

#[derive(Debug, Default)]
pub(super) struct Removals {
    /// The folders that report removals from them.
    folders: HashMap<PathBuf, FolderId>,
    removed: BTreeSet<PathBuf>,
}

impl Removals {
    /// Whether the folder at a path reports removals from it.
    pub(super) fn are_watched(&self, path: &Path, tree: &WatchTree) -> bool {
        let known = self.folders.get(path);
        known.is_some_and(|id| tree.path(*id).as_deref() == Some(path))
    }

    /// Adds a folder that reports removals from it.
    pub(super) fn add_folder(&mut self, path: &Path, id: FolderId) {
        self.folders.insert(path.to_owned(), id);
    }

    /// Takes what was removed.
    pub(super) fn add(&mut self, path: PathBuf) {
        self.removed.insert(path);
    }

    /// Returns what was removed since this was asked last. Other folders may come to where removed ones were, which
    /// report nothing yet.
    pub(super) fn take(&mut self) -> BTreeSet<PathBuf> {
        let removed = std::mem::take(&mut self.removed);
        if !removed.is_empty() {
            let is_removed = |path: &Path| path.ancestors().any(|up| removed.contains(up));
            self.folders.retain(|folder, _| !is_removed(folder));
        }
        removed
    }
}
