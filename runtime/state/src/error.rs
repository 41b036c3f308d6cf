//! Errors of a state file.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest time that an operation waits for the lock of another process.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(5);

/// An error of an operation on a state file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file is damaged, or another program wrote it.
    #[error(
        "`{}` is damaged or is not a state file, and was not changed; move it away, with the files `-wal` and `-shm` \
         beside it, to start with an empty one",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The cause, if it is known.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// A newer version of the program wrote the file.
    #[error(
        "`{}` has the format {found}, and this program knows formats up to {known}; update the program",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: i32,
        /// The newest format that is known.
        known: i32,
    },
    /// The file or its file system is read-only.
    #[error(
        "`{}` cannot be written; make the file and its folder writable, and check that the file system is not mounted \
         read-only",
        path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another process has locked the file for longer than an operation waits.
    #[error(
        "`{}` has been locked by another process for {seconds} seconds; wait until that process is done, or end it, and \
         try again",
        path.display()
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long the operation waited, in seconds.
        seconds: u64,
    },
    /// The file cannot be opened, read or written.
    #[error("`{}` cannot be used to store state", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A part of new work is empty or too long.
    #[error("the {part} of work has 1 to {limit} bytes, not {size}")]
    Length {
        /// The name of the part.
        part: &'static str,
        /// The length of the part, in bytes.
        size: usize,
        /// The greatest length of the part, in bytes.
        limit: usize,
    },
    /// The program is shutting down.
    #[error("the program is shutting down")]
    Stopped,
}

impl StateError {
    /// Converts an error of SQLite.
    pub(crate) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::{Error, ErrorCode};

        let path = path.to_owned();
        let damaged = matches!(
            error,
            Error::FromSqlConversionFailure(..)
                | Error::InvalidColumnType(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::Utf8Error(..)
        );
        let code = error.sqlite_error_code();
        // Its own cause repeats the message.
        let source = error.to_string().into();
        match code {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged {
                path,
                source: Some(source),
            },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                Self::ReadOnly { path, source }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy {
                path,
                seconds: MAX_WAIT.as_secs(),
            },
            None if damaged => Self::Damaged {
                path,
                source: Some(source),
            },
            _ => Self::Unusable { path, source },
        }
    }

    /// Converts an error of the file system.
    pub(crate) fn from_io(path: &Path, error: std::io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied => {
                let source = error.into();
                Self::ReadOnly { path, source }
            }
            _ => {
                let source = error.into();
                Self::Unusable { path, source }
            }
        }
    }
}
