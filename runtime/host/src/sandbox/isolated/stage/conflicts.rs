//! Detects changes from outside while a staged command ran: by the user, by the file tools, or by another command.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::super::owner_access;
use super::changes::{StagedChange, StagedChangeKind, open_below};
use super::layer::{FsTimestamp, OverlayLayer};

/// Returns a path that was also changed from outside; if there is none, all changes can be applied without loss.
pub(in super::super) fn find_conflict(
    layer: &OverlayLayer,
    changes: &[StagedChange],
) -> io::Result<Option<PathBuf>> {
    let root = owner_access::open_folder(&layer.root)?;
    // The contents of these folders are removed, and were checked together with the folder.
    let mut replaced = BTreeSet::new();
    for change in changes {
        let mut above = change.path.ancestors().skip(1);
        if above.any(|up| replaced.contains(up)) {
            continue;
        }
        if matches!(change.kind, StagedChangeKind::Folder { replaces: true, .. }) {
            replaced.insert(change.path.as_path());
        }
        let (Some(folder), Some(name)) = (change.path.parent(), change.path.file_name()) else {
            continue;
        };
        let folder = match open_below(&root, folder) {
            Ok(folder) => folder,
            // The folder is created when the changes are applied, or a file in its place is itself a conflict.
            Err(error) if is_absent(&error) => continue,
            Err(error) => return Err(error),
        };
        let is_kept = change.kind.is_kept_folder();
        let path = Path::new(&owner_access::proc_fd_path(&folder)).join(name);
        let changed = owner_access::with_owner_access(&folder, || {
            has_changed(&path, is_kept, layer.started_at)
        });
        if changed? {
            return Ok(Some(layer.root.join(&change.path)));
        }
    }
    Ok(None)
}

/// Reports whether the file at a path, or a file below it, has changed since `begun`. For a folder that is kept, only
/// reports whether it still is a folder.
fn has_changed(path: &Path, is_kept: bool, begun: FsTimestamp) -> io::Result<bool> {
    let found = match path.symlink_metadata() {
        Err(error) if is_absent(&error) => return Ok(false),
        found => found?,
    };
    if is_kept && found.is_dir() {
        return Ok(false);
    }
    if is_kept || is_newer(&found, begun) {
        return Ok(true);
    }
    if !found.is_dir() {
        return Ok(false);
    }
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in owner_access::list(&folder)? {
            let entry = entry?;
            let found = entry.metadata()?;
            if is_newer(&found, begun) {
                return Ok(true);
            }
            if found.is_dir() {
                folders.push(folder.join(entry.file_name()));
            }
        }
    }
    Ok(false)
}

fn is_newer(found: &fs::Metadata, begun: FsTimestamp) -> bool {
    (found.ctime(), found.ctime_nsec()) > begun
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    ) || error.raw_os_error() == Some(libc::ELOOP)
}
