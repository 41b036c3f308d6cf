//! Why it cannot be read or kept what was accepted.

use std::io;
use std::path::PathBuf;

/// Says why it cannot be read or kept what a person accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptanceError {
    /// The file cannot be read.
    #[error("what you have accepted cannot be read from `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file holds something else.
    #[error(
        "`{}` does not say what you have accepted: move it away, and accept again what you are asked about",
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
    #[error("what you accept cannot be written to `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There is no place for the file.
    #[error("nothing can be accepted: you have no home folder; set `HOME` or `XDG_DATA_HOME`")]
    NoStorage,
    /// A file of a project cannot be named.
    #[error("what `{}` says cannot be accepted: its folder has no path that can be recorded", path.display())]
    InvalidPath {
        /// The file.
        path: PathBuf,
    },
}
