//! The cache folder for projected skills, and its lock.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::ProjectionError;
use helve_storage::file_lock::FileLock;

/// How long to wait for the lock. Other processes hold the lock for one verification and one rename.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// A cache folder that exists and belongs to this user.
pub(super) struct Cache {
    pub(super) path: PathBuf,
    /// The open folder, so that renames in it can be synced to the disk.
    folder: File,
}

pub(super) fn user_cache_folder() -> Result<PathBuf, ProjectionError> {
    let absolute = |name: &str| {
        let given = std::env::var_os(name).map(PathBuf::from);
        given.filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Ok(cache.ok_or(ProjectionError::NoHome)?.join("helve/skills"))
}

impl Cache {
    /// Creates the folder, or checks an existing one.
    pub(super) fn open(path: &Path) -> Result<Self, ProjectionError> {
        let failed = |error| ProjectionError::io(path, "made", path, error);
        if !path.is_absolute() {
            let why = "the path is not absolute; use an absolute path";
            return Err(cache_error(path, why));
        }
        match fs::symlink_metadata(path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
                made.map_err(|error| creation_error(path, error))?;
            }
            Err(error) => return Err(creation_error(path, error)),
        }
        check(path)?;
        let folder = File::open(path).map_err(failed)?;
        let path = path.to_owned();
        Ok(Self { path, folder })
    }

    /// Syncs the entries of the folder to the disk.
    pub(super) fn sync(&self) -> Result<(), ProjectionError> {
        let synced = self.folder.sync_all();
        synced.map_err(|error| self.io_error("written to the disk", &self.path, error))
    }

    pub(super) fn io_error(&self, doing: &str, path: &Path, error: io::Error) -> ProjectionError {
        ProjectionError::io(&self.path, doing, path, error)
    }

    /// Locks the folder against processes that would rename an entry while another process checks it.
    /// The lock is released when the process ends.
    pub(super) fn lock(&self) -> Result<FileLock, ProjectionError> {
        let path = self.path.join(".lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).mode(0o600);
        options.custom_flags(no_follow());
        let file = options.open(&path);
        let file = file.map_err(|error| self.io_error("opened", &path, error))?;
        FileLock::on_file(file, &path, LOCK_TIMEOUT).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => ProjectionError::Locked {
                lock: path.clone(),
                seconds: LOCK_TIMEOUT.as_secs(),
            },
            _ => self.io_error("locked", &path, error),
        })
    }
}

/// Returns the flag for opening a file without following a symbolic link.
pub(super) fn no_follow() -> i32 {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    i32::try_from(flags.bits()).unwrap_or_default()
}

/// Rejects a path that is not a folder, and a folder that others can write, because they could place
/// scripts in it.
fn check(path: &Path) -> Result<(), ProjectionError> {
    let found = fs::symlink_metadata(path).map_err(|error| creation_error(path, error))?;
    let why = if found.is_symlink() {
        "it is a symbolic link; remove it, or use its target"
    } else if !found.is_dir() {
        "it is not a folder; remove it"
    } else if found.uid() != rustix::process::geteuid().as_raw() {
        "it is owned by another user; remove it"
    } else if found.mode() & 0o022 != 0 {
        "it is writable by other users; run `chmod go-w` on it"
    } else {
        return Ok(());
    };
    Err(cache_error(path, why))
}

/// Returns the error of a folder that does not exist and could not be created.
fn creation_error(path: &Path, error: io::Error) -> ProjectionError {
    if error.kind() == io::ErrorKind::NotADirectory {
        return cache_error(path, "a parent of it is not a folder");
    }
    ProjectionError::io(path, "made", path, error)
}

fn cache_error(path: &Path, why: &str) -> ProjectionError {
    ProjectionError::Cache {
        cache: path.to_owned(),
        why: why.to_owned(),
    }
}
