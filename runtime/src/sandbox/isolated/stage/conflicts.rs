//! Changes from outside while a staged command ran: by the user, by the tools for files, by another command.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::super::access;
use super::changes::{Change, ChangeKind, open_below, open_root};
use super::layer::{Layer, Moment};

/// Returns a path that was also changed from outside; without one, all changes can be applied without loss.
///
/// # Errors
/// When something cannot be looked at.
pub(in super::super) fn conflict(layer: &Layer, changes: &[Change]) -> io::Result<Option<PathBuf>> {
    let root = open_root(&layer.root)?;
    // What is in them goes, and was looked at with them.
    let mut replaced = BTreeSet::new();
    for change in changes {
        if change
            .path
            .ancestors()
            .skip(1)
            .any(|up| replaced.contains(up))
        {
            continue;
        }
        if matches!(change.kind, ChangeKind::Folder { replaces: true, .. }) {
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
        let is_kept = matches!(
            change.kind,
            ChangeKind::Folder {
                replaces: false,
                ..
            }
        );
        let looked = access::within(&folder, || {
            has_changed(
                &Path::new(&access::at(&folder)).join(name),
                is_kept,
                layer.begun,
            )
        });
        if looked? {
            return Ok(Some(layer.root.join(&change.path)));
        }
    }
    Ok(None)
}

/// Whether what is at a path has changed since, or something in it. Of a folder that stays, only whether it still is one.
fn has_changed(path: &Path, is_kept: bool, begun: Moment) -> io::Result<bool> {
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
        for entry in access::list(&folder)? {
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

fn is_newer(found: &fs::Metadata, begun: Moment) -> bool {
    (found.ctime(), found.ctime_nsec()) > begun
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    ) || error.raw_os_error() == Some(libc::ELOOP)
}
