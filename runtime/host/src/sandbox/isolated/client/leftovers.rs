//! The removal of files that are left by sandboxes whose supervisor was killed together with its app. Opening a sandbox
//! removes them.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::super::owner_access;
use super::super::wire::{OUTPUT_LINK, STAGING_LINK};
use super::paths;

/// The greatest number of folders that one call examines; a later call examines the others.
const MAX_SCANNED: usize = 64;
/// The least age of a folder that may be removed: the supervisor of a younger sandbox may not listen yet.
const MIN_AGE: Duration = Duration::from_secs(10);

/// Removes the folders of sandboxes below `base` whose supervisor has ended.
pub(super) fn sweep(base: &Path) {
    let user = rustix::process::geteuid().as_raw();
    for folder in old_folders(base, user) {
        if !has_no_supervisor(&folder) {
            continue;
        }
        for link in [OUTPUT_LINK, STAGING_LINK] {
            if let Some(kept) = linked_folder(&folder, link, user) {
                let _ = owner_access::remove_all(&kept);
            }
        }
        let _ = fs::remove_dir_all(folder);
    }
}

/// Removes from `layers` the layers of staged commands whose sandbox has no folder in `base` any more: the folders in
/// `base` are removed when the machine restarts.
pub(super) fn sweep_layers(layers: &Path, base: &Path) {
    let user = rustix::process::geteuid().as_raw();
    for folder in old_folders(layers, user) {
        let sandbox = folder.file_name().map(|id| base.join(id));
        if sandbox.is_some_and(|sandbox| sandbox.symlink_metadata().is_err()) {
            let _ = owner_access::remove_all(&folder);
        }
    }
}

/// Iterates over the folders of a user that have at least the minimum age.
fn old_folders(above: &Path, user: u32) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(above).into_iter().flatten().flatten();
    let is_old = move |entry: &fs::DirEntry| {
        entry.metadata().is_ok_and(|found| {
            let age = found
                .modified()
                .map(|time| SystemTime::now().duration_since(time));
            let is_young = age.is_ok_and(|age| age.is_ok_and(|age| age < MIN_AGE));
            found.is_dir() && found.uid() == user && !is_young
        })
    };
    entries
        .take(MAX_SCANNED)
        .filter(is_old)
        .map(|entry| entry.path())
}

/// Reports whether the supervisor of a folder has ended. A live supervisor listens, however busy it is.
fn has_no_supervisor(folder: &Path) -> bool {
    let refused = [io::ErrorKind::ConnectionRefused, io::ErrorKind::NotFound];
    // The output of a sandbox may be stored beside the folders of the sandboxes; the folder of the sandbox links to it.
    let is_sandbox = folder.join(OUTPUT_LINK).symlink_metadata().is_ok();
    is_sandbox
        && UnixStream::connect(folder.join("control"))
            .is_err_and(|error| refused.contains(&error.kind()))
}

/// Returns the target of a sandbox's link, if the target belongs to this user and is named after the sandbox.
fn linked_folder(folder: &Path, link: &str, user: u32) -> Option<PathBuf> {
    let kept = fs::read_link(folder.join(link)).ok()?;
    let id = folder.file_name()?.to_str()?;
    let found = kept.symlink_metadata().ok()?;
    let name = kept.file_name()?.to_str()?;
    let is_its =
        (name == id || name == paths::spool_name(id)) && found.is_dir() && found.uid() == user;
    is_its.then_some(kept)
}
