//! What is watched because of a plan.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use super::super::Protection;
use super::queue::{FolderId, InotifyQueue};
use super::{Watch, tree};

/// Makes a folder report more than what is created in it.
type AddFlags = fn(&InotifyQueue, &OwnedFd) -> io::Result<FolderId>;

impl Watch {
    /// Watches what a plan names, and the contents of files that commands made.
    pub(in super::super) fn watch_plan<'p>(
        &mut self,
        plan: &'p Protection,
        made: impl Iterator<Item = &'p Path>,
    ) {
        self.triggers.update_from_plan(plan);
        let in_stores = plan.watched.iter().chain(&plan.read_only);
        let in_stores = in_stores.filter(|path| is_in_store(path));
        let made: Vec<&Path> = made.chain(in_stores.map(PathBuf::as_path)).collect();
        for folder in made.into_iter().filter_map(Path::parent) {
            self.watch_ancestors(folder, InotifyQueue::add_with_contents);
        }
        let folders: BTreeSet<&Path> = plan.covered().filter_map(|path| path.parent()).collect();
        for folder in folders {
            if !self.removals.are_watched(folder, &self.tree)
                && let Some(id) = self.watch_ancestors(folder, InotifyQueue::add_with_removals)
            {
                self.removals.add_folder(folder, id);
            }
        }
    }

    /// Watches a folder with all above, and makes it report more; returns it where it is there and below a root.
    fn watch_ancestors(&mut self, path: &Path, add: AddFlags) -> Option<FolderId> {
        let (mut id, rest) = self.tree.root_of(path)?;
        let mut folder = self.tree.open(id).ok()?;
        let mut names = rest.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            _ => None,
        });
        let mut is_there = true;
        for name in names.by_ref() {
            let Ok(next) = tree::open_in(&folder, &name) else {
                is_there = false;
                break;
            };
            let next_id = self.watch_folder(id, &next, &name)?;
            (folder, id) = (next, next_id);
        }
        if let Err(error) = add(&self.queue, &folder) {
            self.record_gap(&format!("`{}` cannot be watched: {error}", path.display()));
        }
        self.read_folders();
        is_there.then_some(id)
    }

    /// Takes the removal of an entry, where a mount covered it. A folder that was moved away reports events of its
    /// entries, too; that it was moved was reported before.
    pub(super) fn take_removal(&mut self, folder: FolderId, name: &OsStr) {
        let Some(path) = self.triggers.covered_path(&self.tree, folder, name) else {
            return;
        };
        if self.open(folder).is_some() {
            self.removals.add(path);
            self.must_intervene = true;
        }
    }

    /// Returns what was removed since this was asked last, of what a mount covered: the mount is gone with it.
    pub(in super::super) fn take_removed(&mut self) -> BTreeSet<PathBuf> {
        self.removals.take()
    }
}

/// Reports whether a path is where git keeps what it knows, which is not watched unless a repository is there.
fn is_in_store(path: &Path) -> bool {
    let mut parts = path.components();
    parts.any(|part| tree::is_git(part.as_os_str()))
        && parts.any(|part| {
            ["objects", "refs", "logs", "lfs"]
                .iter()
                .any(|store| part.as_os_str() == *store)
        })
}
