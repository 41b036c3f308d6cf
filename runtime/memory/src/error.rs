//! Errors of the memory.

use std::io;
use std::path::{Path, PathBuf};

use crate::path::{InvalidMemoryPath, MemoryPath, MemoryScope};

/// The reason why the memory was not read or changed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The path is no path of the memory.
    #[error(transparent)]
    Path(#[from] InvalidMemoryPath),
    /// The scope does not exist here.
    #[error("there is no memory of the {scope} here: {why}")]
    NoScope {
        /// The scope.
        scope: MemoryScope,
        /// The reason.
        why: String,
    },
    /// There is no such file or folder.
    #[error("the path {path} does not exist")]
    NotFound {
        /// The path.
        path: MemoryPath,
    },
    /// There is no such entry, as a person names it.
    #[error("there is no entry `{id}`")]
    NoEntry {
        /// The id.
        id: String,
    },
    /// There is no such version of an entry.
    #[error(
        "there is no version `{version}` of `{id}`; `memory show {id} --history` lists the versions"
    )]
    NoVersion {
        /// The id of the entry.
        id: String,
        /// The version.
        version: String,
    },
    /// The file exists.
    #[error("the file {path} already exists")]
    Exists {
        /// The path.
        path: MemoryPath,
    },
    /// A name differs from that of another file in its case alone.
    #[error("{path} differs from {existing} in upper and lower case alone; use the existing name")]
    CaseClash {
        /// The path.
        path: MemoryPath,
        /// The path that exists.
        existing: MemoryPath,
    },
    /// The path is that of a folder.
    #[error("{path} is a folder")]
    IsFolder {
        /// The path.
        path: MemoryPath,
    },
    /// The path is that of a whole scope.
    #[error("{path} is the folder of a scope, which stays: delete what is in it")]
    WholeScope {
        /// The path.
        path: MemoryPath,
    },
    /// The new path of a file is in another scope.
    #[error("{to} is in another scope than {from}: create it there, and delete the old one")]
    OtherScope {
        /// The path that exists.
        from: MemoryPath,
        /// The new path.
        to: MemoryPath,
    },
    /// The file was changed since it was read.
    #[error("{path} was changed meanwhile; view it again")]
    Changed {
        /// The path.
        path: MemoryPath,
    },
    /// The path leads through a symbolic link, or to something other than a file.
    #[error("`{}` is a symbolic link or no regular file; the memory consists of plain files and folders", path.display())]
    NotPlain {
        /// The path on disk.
        path: PathBuf,
    },
    /// The text is too long.
    #[error("{path} would have {size} bytes; a file of the memory has at most {limit}: split it")]
    TooLarge {
        /// The path.
        path: MemoryPath,
        /// The size, in bytes.
        size: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The scope is full.
    #[error(
        "the memory of the {scope} is full ({limit}): delete or merge what is no longer needed"
    )]
    Full {
        /// The scope.
        scope: MemoryScope,
        /// The limit that was reached, such as `256 files`.
        limit: String,
    },
    /// The text contains a secret.
    #[error(
        "the text contains a secret ({label}), which the memory does not store: say where the secret is found instead"
    )]
    Secret {
        /// The kind of secret.
        label: String,
    },
    /// As many changes wait for a review as can wait.
    #[error(
        "{count} changes wait for a review already: a person accepts or rejects them with `memory review`"
    )]
    TooManyPending {
        /// The number of the changes that wait.
        count: usize,
    },
    /// A folder contains what is no entry of the memory, and would be lost with it.
    #[error("{path} contains `{other}`, which is no entry of the memory: move or remove it first")]
    NotOnlyEntries {
        /// The path of the folder.
        path: MemoryPath,
        /// What it contains, relative to the folder.
        other: String,
    },
    /// A person rejected the same text before.
    #[error("the user has rejected this text before; it is not stored")]
    Rejected,
    /// There is no such change to review.
    #[error("no change `{id}` waits for a review")]
    NoChange {
        /// The id.
        id: String,
    },
    /// A file or folder cannot be read or written.
    #[error("failed to access `{}`", path.display())]
    Io {
        /// The path on disk.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The process stops.
    #[error("the memory is not available while the program stops")]
    Stopped,
}

impl MemoryError {
    /// Creates a function that wraps an input or output error of a path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
