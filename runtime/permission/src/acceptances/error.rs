//! Errors of reading and storing acceptances.

use std::io;
use std::path::PathBuf;

/// An error of reading or storing acceptances.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptanceError {
    /// The file cannot be read.
    #[error("failed to read acceptances from `{}`", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The content of the file is not valid.
    #[error(
        "`{}` is not a valid acceptance file: move it away and accept the items again",
        path.display()
    )]
    Invalid {
        /// The path of the file.
        path: PathBuf,
        /// The parse error, with its position.
        #[source]
        source: serde_json::Error,
    },
    /// The file cannot be written.
    #[error("failed to write acceptances to `{}`", path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// No location for the file is available.
    #[error(
        "acceptances cannot be stored: no home folder was found; set `HOME` or `XDG_DATA_HOME`"
    )]
    NoStorage,
    /// The path of a project's file cannot be recorded.
    #[error("`{}` cannot be accepted: the path of its folder cannot be recorded", path.display())]
    InvalidPath {
        /// The path of the file.
        path: PathBuf,
    },
}
