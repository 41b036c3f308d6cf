//! What sandboxes leave whose keeper was killed together with its app: the next one that opens clears up.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::super::OUTPUT;
use super::place;

/// How many folders are looked at; a later open looks at the others.
const LOOKED_AT: usize = 64;
/// A sandbox that is younger may not listen yet.
const YOUNG: Duration = Duration::from_secs(10);

/// Removes the folders of sandboxes below `base` that nobody keeps any more.
pub(super) fn sweep(base: &Path) {
    let user = rustix::process::geteuid().as_raw();
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    for entry in entries.take(LOOKED_AT) {
        let folder = entry.path();
        let Ok(found) = entry.metadata() else {
            continue;
        };
        let young = found.modified().is_ok_and(|time| {
            SystemTime::now()
                .duration_since(time)
                .is_ok_and(|age| age < YOUNG)
        });
        if !found.is_dir() || found.uid() != user || young || !is_dead(&folder) {
            continue;
        }
        if let Some(output) = output_of(&folder, user) {
            let _ = fs::remove_dir_all(output);
        }
        let _ = fs::remove_dir_all(folder);
    }
}

/// A keeper that lives listens, however busy it is.
fn is_dead(folder: &Path) -> bool {
    let refused = [io::ErrorKind::ConnectionRefused, io::ErrorKind::NotFound];
    // The output of a sandbox may lie beside the sandboxes; its own folder leads to it.
    let is_sandbox = folder.join(OUTPUT).symlink_metadata().is_ok();
    is_sandbox
        && UnixStream::connect(folder.join("control"))
            .is_err_and(|error| refused.contains(&error.kind()))
}

/// Returns the folder of a sandbox's output, where it is this user's and named after the sandbox.
fn output_of(folder: &Path, user: u32) -> Option<PathBuf> {
    let output = fs::read_link(folder.join(OUTPUT)).ok()?;
    let id = folder.file_name()?.to_str()?;
    let found = output.symlink_metadata().ok()?;
    let is_its = output.file_name()?.to_str()? == place::spool_name(id)
        && found.is_dir()
        && found.uid() == user;
    is_its.then_some(output)
}
