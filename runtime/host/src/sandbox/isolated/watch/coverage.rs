//! Adjusts the watch to a plan.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::WatchFlags;

use super::super::Protection;
use super::queue::FolderId;
use super::triggers::names_in;
use super::{Watch, tree};

impl Watch {
    /// Watches the paths of a plan, and the contents of files that commands made.
    pub(in super::super) fn watch_plan(&mut self, plan: &Protection, made: &BTreeSet<PathBuf>) {
        self.triggers.update_from_plan(plan);
        let in_stores = plan.watched.iter().chain(&plan.read_only);
        let in_stores = in_stores.filter(|path| is_in_store(path));
        for folder in made
            .iter()
            .chain(in_stores)
            .filter_map(|path| path.parent())
        {
            self.watch_ancestors(folder, WatchFlags::MODIFY);
        }
        let folders: BTreeSet<&Path> = plan.covered().filter_map(|path| path.parent()).collect();
        for folder in folders {
            let known = self.reports_removals.get(folder);
            if known.is_none_or(|id| self.tree.path(*id).as_deref() != Some(folder))
                && let Some(id) =
                    self.watch_ancestors(folder, WatchFlags::DELETE | WatchFlags::MOVED_FROM)
            {
                self.reports_removals.insert(folder.to_owned(), id);
            }
        }
    }

    /// Watches a folder and its ancestors, with additional events; returns the folder if it exists and is below a root.
    fn watch_ancestors(&mut self, path: &Path, more: WatchFlags) -> Option<FolderId> {
        let (mut id, rest) = self.tree.root_of(path)?;
        let mut folder = self.tree.open(id).ok()?;
        let mut is_there = true;
        for name in names_in(rest) {
            let Ok(next) = tree::open_in(&folder, name) else {
                is_there = false;
                break;
            };
            let next_id = self.watch_folder(id, &next, name)?;
            (folder, id) = (next, next_id);
        }
        if let Err(error) = self.queue.add_with(&folder, more) {
            self.record_gap(&format!("`{}` cannot be watched: {error}", path.display()));
        }
        self.read_folders();
        is_there.then_some(id)
    }

    /// Records the removal of an entry that a mount covered. A folder that was moved away also reports events of its
    /// entries; the move itself was reported before.
    pub(super) fn take_removal(&mut self, folder: FolderId, name: &OsStr) {
        let Some(path) = self.triggers.covered_path(&self.tree, folder, name) else {
            return;
        };
        if self.open(folder).is_some() {
            self.removed.insert(path);
            self.must_intervene = true;
        }
    }

    /// Returns the covered paths that were removed since the last call; their mounts are gone with them. Other folders,
    /// which report no events yet, may appear at these paths.
    pub(in super::super) fn take_removed(&mut self) -> BTreeSet<PathBuf> {
        let removed = std::mem::take(&mut self.removed);
        if !removed.is_empty() {
            let is_removed = |path: &Path| path.ancestors().any(|up| removed.contains(up));
            self.reports_removals
                .retain(|folder, _| !is_removed(folder));
        }
        removed
    }
}

/// Reports whether a path is in Git's object store or a similar folder, which is not watched unless it contains a
/// repository.
fn is_in_store(path: &Path) -> bool {
    let mut parts = path.components();
    parts.any(|part| tree::is_git(part.as_os_str()))
        && parts.any(|part| tree::is_store(part.as_os_str()))
}
