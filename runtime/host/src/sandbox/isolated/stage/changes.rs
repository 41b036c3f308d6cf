//! What a command changed, read from the layer that holds its changes.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags, ResolveFlags, getxattr, openat2};

use super::super::owner_access;
use super::layer::OverlayLayer;

/// The most changes of one command: an archive of the largest projects has fewer files.
const MAX_CHANGES: usize = 1_000_000;

/// Opens a folder without reading it or following a link.
const FOLDER: OFlags = OFlags::PATH
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// One path that is not as it was.
#[derive(Debug)]
pub(in super::super) struct StagedChange {
    /// Below the writable folder.
    pub(in super::super) path: PathBuf,
    pub(in super::super) kind: StagedChangeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum StagedChangeKind {
    /// Nothing is there any more.
    Removed,
    /// A folder: a new one, or one in which something changed.
    Folder {
        /// Whether nothing is left of what was there before.
        replaces: bool,
        mode: u32,
        modified: Option<SystemTime>,
    },
    /// A new file, or one with new contents or another mode; a link, too.
    Entry,
}

impl StagedChangeKind {
    /// Whether a folder that was there is still there, with changes in it.
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

/// Opens a folder of a tree without following a link; the tree itself for an empty path.
pub(super) fn open_below(root: &OwnedFd, path: &Path) -> io::Result<OwnedFd> {
    if path.as_os_str().is_empty() {
        return root.try_clone();
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    Ok(openat2(root, path, FOLDER, Mode::empty(), resolve)?)
}

/// Lists what is in a layer, a folder before its entries. Its folders are readable to this user afterwards, whatever the
/// command did to them; what it did is in the list.
///
/// # Errors
/// When there is too much, or something cannot be read: nothing may be left out.
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

/// Whether a folder of a layer hides the one that was there.
fn is_opaque(folder: &OwnedFd) -> io::Result<bool> {
    let (mut value, path) = ([0; 1], owner_access::proc_fd_path(folder));
    match getxattr(path, c"user.overlay.opaque", &mut value[..]) {
        Ok(length) => Ok(value[..length] == *b"y"),
        Err(rustix::io::Errno::NODATA) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
