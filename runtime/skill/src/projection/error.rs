//! What can go wrong when a skill is laid out.

use std::io;
use std::path::{Path, PathBuf};

/// A skill that could not be laid out as files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectionError {
    /// There is no folder to use.
    #[error(
        "cannot write skills to disk: neither XDG_CACHE_HOME nor HOME is an absolute path; set one of them"
    )]
    NoHome,
    /// The cache is no folder of this user's own.
    #[error("cannot write skills to `{}`: {why}", cache.display())]
    Cache {
        /// The folder.
        cache: PathBuf,
        /// Why not, and what to do.
        why: String,
    },
    /// A name or a path cannot be that of a file.
    #[error("cannot write the skill `{skill}` to disk: {why}")]
    Invalid {
        /// The skill.
        skill: String,
        /// What is wrong with it.
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
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// Another process has the folder locked for longer than it ever should.
    #[error("`{}` has been locked by another process for {seconds} seconds; stop that process, or try again", lock.display())]
    Locked {
        /// The locked file.
        lock: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// Anything else that the operating system reports.
    #[error("{doing}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

impl ProjectionError {
    /// Returns what the operating system said of a path in the cache.
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
