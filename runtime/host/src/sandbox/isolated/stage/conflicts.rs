//! Changes from outside while a staged command ran: by the user, by the tools for files, by another command.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::super::owner_access;
use super::changes::{StagedChange, StagedChangeKind, open_below};
use super::layer::{FsTimestamp, OverlayLayer};

/// Returns a path that was also changed from outside; without one, all changes can be applied without loss.
pub(in super::super) fn find_conflict(
    layer: &OverlayLayer,
    changes: &[StagedChange],
) -> io::Result<Option<PathBuf>> {
    let root = owner_access::open_folder(&layer.root)?;
    // What is in them goes, and was looked at with them.
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
            // It is made for the command, or is in the way itself.
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

/// Whether what is at a path has changed since, or something in it. Of a folder that stays, only whether it still is one.
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
