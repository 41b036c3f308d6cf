//! A change to files, and on what condition it is made.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The version of a file's contents that a caller has read: every change of the file changes it.
///
/// It is opaque, comparable, and the same for another process on the same files.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileVersion(String);

impl FileVersion {
    /// Creates a version of what distinguishes contents: size, time, digest.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns what distinguishes the contents.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// When a file may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteCondition {
    /// Whatever is there.
    Always,
    /// Only where nothing is there.
    Absent,
    /// Only where the file is still the one that was seen.
    Unchanged(FileVersion),
}

/// One change; several are made together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Replaces the contents of a file, and keeps its mode; a new file's folders are made.
    Write {
        /// The file.
        path: PathBuf,
        /// Its new contents.
        bytes: Vec<u8>,
        /// When.
        condition: WriteCondition,
    },
    /// Removes a file, or an empty folder.
    Remove {
        /// The file.
        path: PathBuf,
        /// When.
        condition: WriteCondition,
    },
    /// Moves a file to where nothing is; folders on its new way are made.
    Rename {
        /// The file.
        from: PathBuf,
        /// Its new path.
        to: PathBuf,
        /// When, of the file as it was at its old path.
        condition: WriteCondition,
    },
}
