//! Why it cannot be read or kept what was accepted.

use std::io;
use std::path::PathBuf;

/// An error of reading or storing acceptances.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptanceError {
    /// The file cannot be read.
    #[error("failed to read acceptances from `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file holds something else.
    #[error(
        "`{}` is not a valid acceptance file: move it away and accept the items again",
        path.display()
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: serde_json::Error,
    },
    /// The file cannot be written.
    #[error("failed to write acceptances to `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There is no place for the file.
    #[error(
        "acceptances cannot be stored: no home folder was found; set `HOME` or `XDG_DATA_HOME`"
    )]
    NoStorage,
    /// A file of a project cannot be named.
    #[error("`{}` cannot be accepted: the path of its folder cannot be recorded", path.display())]
    InvalidPath {
        /// The file.
        path: PathBuf,
    },
}
