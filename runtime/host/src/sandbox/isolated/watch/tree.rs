//! The tree of watched folders.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};

use super::super::owner_access::{self, WidenedFolders};
use super::super::protection::{GitFolderMarkers, WalkFinding};
use super::queue::FolderId;

/// The longest path that is passed to the kernel at once, in bytes, with room for a name.
const PATH: usize = 3800;
/// The greatest depth of a folder. Longer chains are cycles, which moves during a scan can seem to form.
const MAX_DEPTH: usize = 20_000;

/// The flags to open a folder as a path descriptor: it is not read, and links are not followed.
const FOLDER: OFlags = OFlags::PATH
    .union(OFlags::NOFOLLOW)
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// A watched folder, and its relevant entries.
#[derive(Debug, Default)]
struct WatchedFolder {
    parent: Option<FolderId>,
    name: OsString,
    writable: bool,
    markers: GitFolderMarkers,
    has_git: bool,
    /// The names of its masked files.
    masked: BTreeSet<OsString>,
    /// Whether closed files are reported.
    reports_closes: bool,
}

#[derive(Debug)]
struct WatchedRoot {
    path: PathBuf,
    folder: OwnedFd,
}

#[derive(Debug, Default)]
pub(super) struct WatchTree {
    folders: HashMap<FolderId, WatchedFolder>,
    roots: HashMap<FolderId, WatchedRoot>,
    /// The folders that are relevant for a plan.
    flagged: BTreeSet<FolderId>,
}

/// Opens a folder by its path, as the root of a tree.
pub(super) fn open_root(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat(CWD, path, FOLDER, Mode::empty())?)
}

/// Opens a subfolder, whatever the permissions of its parent.
pub(super) fn open_in(folder: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    owner_access::with_owner_access(folder, || Ok(openat(folder, name, FOLDER, Mode::empty())?))
}

impl WatchTree {
    pub(super) fn add_root(&mut self, id: FolderId, path: &Path, folder: OwnedFd, writable: bool) {
        let path = path.to_owned();
        let name = path.file_name().unwrap_or_default().to_owned();
        self.roots.insert(id, WatchedRoot { path, folder });
        let folder = WatchedFolder {
            name,
            writable,
            ..WatchedFolder::default()
        };
        self.folders.insert(id, folder);
    }

    /// Records the location of a folder; returns whether the folder was unknown.
    pub(super) fn insert(&mut self, id: FolderId, parent: FolderId, name: &OsStr) -> bool {
        if self.roots.contains_key(&id) {
            return false;
        }
        let writable = self.is_writable(parent);
        let is_new = !self.folders.contains_key(&id);
        let folder = self.folders.entry(id).or_default();
        folder.parent = Some(parent);
        folder.writable = writable;
        if folder.name != name {
            name.clone_into(&mut folder.name);
        }
        is_new
    }

    pub(super) fn remove(&mut self, id: FolderId) {
        if !self.roots.contains_key(&id) {
            self.folders.remove(&id);
            self.flagged.remove(&id);
        }
    }

    pub(super) fn contains(&self, id: FolderId) -> bool {
        self.folders.contains_key(&id)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = FolderId> {
        self.folders.keys().copied()
    }

    pub(super) fn is_writable(&self, id: FolderId) -> bool {
        self.folders.get(&id).is_some_and(|folder| folder.writable)
    }

    /// Returns the root that contains a path, and the rest of the path.
    pub(super) fn root_of<'p>(&self, path: &'p Path) -> Option<(FolderId, &'p Path)> {
        self.roots
            .iter()
            .find_map(|(&id, root)| Some((id, path.strip_prefix(&root.path).ok()?)))
    }

    /// Records that a folder contains a name.
    pub(super) fn record_name(&mut self, id: FolderId, name: &OsStr, is_masked: bool) {
        let Some(folder) = self.folders.get_mut(&id) else {
            return;
        };
        if is_masked {
            folder.masked.insert(name.to_owned());
        }
        if folder.writable {
            folder.has_git |= is_git(name);
            folder.markers.add_name(name);
        }
        if folder.has_git || folder.markers.is_git_folder() || !folder.masked.is_empty() {
            self.flagged.insert(id);
        }
    }

    /// Returns the findings for a plan.
    pub(super) fn findings(&self) -> Vec<WalkFinding> {
        let mut found = Vec::new();
        for id in &self.flagged {
            let (Some(folder), Some(path)) = (self.folders.get(id), self.path(*id)) else {
                continue;
            };
            if folder.has_git {
                found.push(WalkFinding::Repository(path.clone()));
            }
            if folder.markers.is_git_folder() && !is_git(&folder.name) {
                found.push(WalkFinding::Bare(path.clone()));
            }
            let masked = folder.masked.iter();
            found.extend(masked.map(|name| WalkFinding::Masked(path.join(name))));
        }
        found
    }

    /// Returns the root of a folder, and the names from the root down to the folder.
    fn chain(&self, id: FolderId) -> Option<(&WatchedRoot, Vec<&OsStr>)> {
        let mut names = Vec::new();
        let mut at = id;
        loop {
            if let Some(root) = self.roots.get(&at) {
                names.reverse();
                return Some((root, names));
            }
            let folder = self.folders.get(&at)?;
            names.push(folder.name.as_os_str());
            if names.len() > MAX_DEPTH {
                return None;
            }
            at = folder.parent?;
        }
    }

    pub(super) fn path(&self, id: FolderId) -> Option<PathBuf> {
        let (root, names) = self.chain(id)?;
        Some(root.path.iter().chain(names).collect())
    }

    /// Opens the current file at the location of a folder.
    pub(super) fn open(&self, id: FolderId) -> io::Result<OwnedFd> {
        let (root, names) = self.chain(id).ok_or(io::ErrorKind::NotFound)?;
        let path: PathBuf = names.iter().collect();
        if names.is_empty() {
            return root.folder.try_clone();
        }
        if path.as_os_str().len() < PATH {
            let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
            match openat2(&root.folder, &path, FOLDER, Mode::empty(), resolve) {
                Ok(folder) => return Ok(folder),
                Err(error) if is_missing_or_not_folder(&error.into()) => return Err(error.into()),
                // The permissions deny access to the owner, or the kernel does not support this call.
                Err(_) => {}
            }
        }
        let mut folder = root.folder.try_clone()?;
        for name in names {
            folder = open_in(&folder, name)?;
        }
        Ok(folder)
    }

    /// Widens the permissions on the paths to all findings until the result is dropped.
    pub(super) fn widen_access(&self) -> WidenedFolders {
        let mut opened = WidenedFolders::default();
        for (root, names) in self.flagged.iter().filter_map(|id| self.chain(*id)) {
            // A folder that cannot be opened belongs to another user, and a command could not have created a file
            // there.
            let _ = widen_path(&mut opened, root, &names);
        }
        opened
    }

    /// Reports whether a folder is a Git folder, by its name and its entries.
    pub(super) fn is_git_folder(&self, id: FolderId) -> bool {
        let Some(folder) = self.folders.get(&id) else {
            return false;
        };
        folder.markers.has_head() || is_git(&folder.name) || self.is_inside_git(id)
    }

    /// Enables reports of closed files in a folder; returns whether they were disabled before.
    pub(super) fn enable_closes(&mut self, id: FolderId) -> bool {
        let folder = self.folders.get_mut(&id);
        folder.is_some_and(|folder| !std::mem::replace(&mut folder.reports_closes, true))
    }

    pub(super) fn reports_closes(&self, id: FolderId) -> bool {
        let folder = self.folders.get(&id);
        folder.is_some_and(|folder| folder.reports_closes)
    }

    /// Reports whether a folder, or one of its ancestors, has a matching name.
    pub(super) fn is_below(&self, id: FolderId, is_name: impl Fn(&OsStr) -> bool) -> bool {
        let mut at = Some(id);
        for _ in 0..MAX_DEPTH {
            let Some(folder) = at.and_then(|id| self.folders.get(&id)) else {
                return false;
            };
            if is_name(&folder.name) {
                return true;
            }
            at = folder.parent;
        }
        false
    }

    pub(super) fn is_named(&self, id: FolderId, name: &str) -> bool {
        let folder = self.folders.get(&id);
        folder.is_some_and(|folder| folder.name == name)
    }

    pub(super) fn parent(&self, id: FolderId) -> Option<FolderId> {
        self.folders.get(&id)?.parent
    }

    fn is_inside_git(&self, id: FolderId) -> bool {
        self.chain(id).is_some_and(|(root, names)| {
            let above = root.path.file_name();
            above.into_iter().chain(names).any(is_git)
        })
    }

    /// Reports whether a folder needs no watch: Git's object stores and the like, and read-only folders named `.git`.
    pub(super) fn is_excluded(&self, parent: FolderId, name: &OsStr) -> bool {
        let Some(folder) = self.folders.get(&parent) else {
            return true;
        };
        if !folder.writable {
            return is_git(name);
        }
        is_store(name)
            && (is_git(&folder.name) || (folder.markers.has_head() && self.is_inside_git(parent)))
    }
}

fn widen_path(opened: &mut WidenedFolders, root: &WatchedRoot, names: &[&OsStr]) -> io::Result<()> {
    let mut folder = root.folder.try_clone()?;
    for name in names {
        opened.widen(folder.try_clone()?)?;
        folder = openat(&folder, *name, FOLDER, Mode::empty())?;
    }
    opened.widen(folder)
}

/// Reports whether an error means that a folder does not exist, or is not a folder.
pub(super) fn is_missing_or_not_folder(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP | libc::EXDEV)
    ) || error.kind() == io::ErrorKind::NotFound
}

/// Reports whether this is the name of a folder in which Git stores its data.
pub(super) fn is_store(name: &OsStr) -> bool {
    ["objects", "refs", "logs", "lfs"]
        .map(OsStr::new)
        .contains(&name)
}

/// Reports whether a name is `.git`, without regard to case, because a file system may be case-insensitive.
pub(super) fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}
