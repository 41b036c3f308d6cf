//! Staging folders, in which skills are written before they are renamed.
//!
//! A writer locks its staging folder, and the lock is released when the process ends, so that an
//! unlocked folder is a leftover.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::cache::Cache;
use super::error::ProjectionError;
use super::tree::Tree;
use super::verify;
use helve_core::support::random;

const STAGING_PREFIX: &str = ".staging-";
const ASIDE_PREFIX: &str = ".aside-";

/// How long a folder that was moved aside is kept for its readers, in seconds: one week.
const ASIDE_RETENTION_SECS: i64 = 7 * 24 * 60 * 60;

/// How often a staging folder is created again because a sweep has removed it.
const MAX_ATTEMPTS: usize = 100;

/// A staging folder of this writer, which is removed when it is dropped before it was published.
pub(super) struct StagingFolder {
    pub(super) path: PathBuf,
    /// The open folder, which holds the lock.
    folder: File,
}

impl StagingFolder {
    pub(super) fn new(cache: &Cache) -> Result<Self, ProjectionError> {
        for _ in 0..MAX_ATTEMPTS {
            let path = unique_path(cache, STAGING_PREFIX);
            let failed = |error| cache.io_error("made", &path, error);
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made.map_err(failed)?,
            }
            // Between creation and locking, the folder looks like a leftover, and a sweep may remove
            // it.
            let Ok(folder) = File::open(&path) else {
                continue;
            };
            // If the file system does not support locks, no sweep removes the folder either.
            if let Err(fs::TryLockError::WouldBlock) = folder.try_lock() {
                continue;
            }
            if is_at(&folder, &path) {
                return Ok(Self { path, folder });
            }
        }
        Err(ProjectionError::Cache {
            cache: cache.path.clone(),
            why: "files written there are removed immediately; find the process that removes them"
                .to_owned(),
        })
    }

    /// Renames the folder to its final path. If another process was faster, its folder is kept if it is
    /// complete.
    pub(super) fn publish(
        self,
        cache: &Cache,
        at: &Path,
        tree: &Tree<'_>,
    ) -> Result<(), ProjectionError> {
        let _lock = cache.lock()?;
        if fs::symlink_metadata(at).is_ok() {
            if verify::matches_tree(at, tree).unwrap_or(false) {
                return Ok(());
            }
            let aside = unique_path(cache, ASIDE_PREFIX);
            let moved = fs::rename(at, &aside);
            moved.map_err(|error| cache.io_error("moved aside", at, error))?;
        }
        let renamed = fs::rename(&self.path, at);
        renamed.map_err(|error| cache.io_error("put in its place", at, error))?;
        cache.sync()
    }
}

impl Drop for StagingFolder {
    fn drop(&mut self) {
        // After publishing, the path does not exist.
        if is_at(&self.folder, &self.path) {
            remove(&self.path);
        }
    }
}

/// Removes the staging folders of dead processes, and old folders that were moved aside. Errors are
/// ignored.
pub(super) fn sweep(cache: &Cache) {
    for entry in fs::read_dir(&cache.path).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let path = entry.path();
        if name.starts_with(STAGING_PREFIX) {
            sweep_staging(&path);
        } else if name.starts_with(ASIDE_PREFIX) && is_old(&path) {
            remove(&path);
        }
    }
}

fn sweep_staging(path: &Path) {
    // Symbolic links are skipped, because their targets may be outside of the cache.
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        return;
    }
    let Ok(folder) = File::open(path) else { return };
    // The writer may have published the folder, and released the lock, since the folder was opened.
    if folder.try_lock().is_ok() && is_at(&folder, path) {
        remove(path);
    }
}

/// Reports whether a path refers to an open folder.
fn is_at(folder: &File, path: &Path) -> bool {
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let there = fs::symlink_metadata(path).map(identity);
    let here = folder.metadata().map(identity);
    matches!((here, there), (Ok(here), Ok(there)) if here == there)
}

/// Reports whether a folder was moved to its path long ago.
fn is_old(path: &Path) -> bool {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.ok().and_then(|now| i64::try_from(now.as_secs()).ok());
    let changed = fs::symlink_metadata(path).map(|found| found.ctime());
    matches!((now, changed), (Some(now), Ok(changed)) if now - changed > ASIDE_RETENTION_SECS)
}

fn unique_path(cache: &Cache, prefix: &str) -> PathBuf {
    cache.path.join(format!("{prefix}{}", random::hex::<8>()))
}

/// Removes a folder, including read-only subfolders.
///
/// # Errors
///
/// If a part of the folder cannot be removed.
pub fn remove_projected(path: &Path) -> io::Result<()> {
    make_writable(path);
    fs::remove_dir_all(path)
}

fn remove(path: &Path) {
    if let Err(error) = remove_projected(path) {
        tracing::debug!(path = %path.display(), %error, "a leftover of a projected skill stays");
    }
}

fn make_writable(folder: &Path) {
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return;
    }
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        make_writable(&entry.path());
    }
}
