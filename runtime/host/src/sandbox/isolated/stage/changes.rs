//! The changes of a command, read from the layer that contains them.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags, ResolveFlags, getxattr, openat2};

use super::super::owner_access;
use super::layer::OverlayLayer;

/// The greatest number of changes of one command: the archives of the largest projects contain fewer files.
const MAX_CHANGES: usize = 1_000_000;

/// The flags to open a folder without reading it or following a link.
const FOLDER: OFlags = OFlags::PATH
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// One path that has changed.
#[derive(Debug)]
pub(in super::super) struct StagedChange {
    /// The path, relative to the writable folder.
    pub(in super::super) path: PathBuf,
    pub(in super::super) kind: StagedChangeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum StagedChangeKind {
    /// The path does not exist any more.
    Removed,
    /// A new folder, or a folder with changes in it.
    Folder {
        /// Whether the folder replaces everything that was at the path before.
        replaces: bool,
        mode: u32,
        modified: Option<SystemTime>,
    },
    /// A new file or link, or one with new contents or another mode.
    Entry,
}

impl StagedChangeKind {
    /// Reports whether the folder existed before and has changes in it.
    pub(in super::super) fn is_kept_folder(self) -> bool {
        matches!(
            self,
            Self::Folder {
                replaces: false,
                ..
            }
        )
    }
}

/// Opens a folder of a tree without following links; an empty path opens the root of the tree.
pub(super) fn open_below(root: &OwnedFd, path: &Path) -> io::Result<OwnedFd> {
    if path.as_os_str().is_empty() {
        return root.try_clone();
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    Ok(openat2(root, path, FOLDER, Mode::empty(), resolve)?)
}

/// Lists the changes in a layer, a folder before its entries. The folders of the layer are readable to this user
/// afterwards, whatever permissions the command set; the list contains the original modes.
///
/// # Errors
/// Fails if there are too many changes, or if an entry cannot be read: no change may be left out.
pub(in super::super) fn list_changes(layer: &OverlayLayer) -> io::Result<Vec<StagedChange>> {
    let root = owner_access::open_folder(&layer.upper)?;
    let mut changes = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(path) = folders.pop() {
        let folder = open_below(&root, &path)?;
        let found = fs::metadata(owner_access::proc_fd_path(&folder))?;
        if found.mode() & 0o700 != 0o700 {
            let mode = Mode::from_raw_mode(found.mode() & 0o7777 | 0o700);
            owner_access::set_mode(&folder, mode)?;
        }
        if !path.as_os_str().is_empty() {
            let kind = StagedChangeKind::Folder {
                replaces: is_opaque(&folder)?,
                mode: found.mode() & 0o7777,
                modified: found.modified().ok(),
            };
            changes.push(StagedChange {
                path: path.clone(),
                kind,
            });
        }
        for entry in fs::read_dir(owner_access::proc_fd_path(&folder))? {
            let entry = entry?;
            let found = entry.metadata()?;
            let path = path.join(entry.file_name());
            if found.is_dir() {
                folders.push(path);
            } else {
                let is_whiteout = found.file_type().is_char_device() && found.rdev() == 0;
                let kind = if is_whiteout {
                    StagedChangeKind::Removed
                } else {
                    StagedChangeKind::Entry
                };
                changes.push(StagedChange { path, kind });
            }
            if changes.len() + folders.len() > MAX_CHANGES {
                return Err(io::Error::other(format!(
                    "the command changed more than {MAX_CHANGES} files"
                )));
            }
        }
    }
    Ok(changes)
}

/// Reports whether a folder of a layer hides the folder below it.
fn is_opaque(folder: &OwnedFd) -> io::Result<bool> {
    let (mut value, path) = ([0; 1], owner_access::proc_fd_path(folder));
    match getxattr(path, c"user.overlay.opaque", &mut value[..]) {
        Ok(length) => Ok(value[..length] == *b"y"),
        Err(rustix::io::Errno::NODATA) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
