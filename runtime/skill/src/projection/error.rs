//! The errors of projecting a skill to files.

use std::io;
use std::path::{Path, PathBuf};

/// The error of a skill that could not be projected to files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectionError {
    /// No cache folder is configured.
    #[error(
        "cannot write skills to disk: neither XDG_CACHE_HOME nor HOME is an absolute path; set one of them"
    )]
    NoHome,
    /// The cache is not a folder that belongs to this user.
    #[error("cannot write skills to `{}`: {why}", cache.display())]
    Cache {
        /// The folder.
        cache: PathBuf,
        /// The reason, and what to do.
        why: String,
    },
    /// A name or a path is not valid for a file.
    #[error("cannot write the skill `{skill}` to disk: {why}")]
    Invalid {
        /// The skill.
        skill: String,
        /// The problem.
        why: String,
    },
    /// The disk is full.
    #[error("no space left for the skill in `{}`: free some space, or set XDG_CACHE_HOME to a folder on another disk", cache.display())]
    NoSpace {
        /// The folder.
        cache: PathBuf,
    },
    /// The folder cannot be written.
    #[error("`{}` cannot be written: make it writable, or set XDG_CACHE_HOME to a folder that is", cache.display())]
    ReadOnly {
        /// The folder.
        cache: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// Another process has held the lock for too long.
    #[error("`{}` has been locked by another process for {seconds} seconds; stop that process, or try again", lock.display())]
    Locked {
        /// The locked file.
        lock: PathBuf,
        /// How long the caller waited, in seconds.
        seconds: u64,
    },
    /// Any other error of the operating system.
    #[error("{doing}")]
    Io {
        /// The operation.
        doing: String,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

impl ProjectionError {
    /// Converts an error of the operating system at a path in the cache.
    pub(super) fn io(cache: &Path, doing: &str, path: &Path, source: io::Error) -> Self {
        use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};

        let cache = cache.to_owned();
        match source.kind() {
            StorageFull | QuotaExceeded => Self::NoSpace { cache },
            ReadOnlyFilesystem | PermissionDenied => Self::ReadOnly { cache, source },
            _ => Self::Io {
                doing: format!("`{}` cannot be {doing}", path.display()),
                source,
            },
        }
    }
}
