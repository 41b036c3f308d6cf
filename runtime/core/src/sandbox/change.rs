//! Changes to files, and the conditions under which they are made.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The version of a file's contents that a caller has read; every change of the file changes its version.
///
/// A version is opaque, comparable, and the same for another process on the same files.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileVersion(String);

impl FileVersion {
    /// Creates a version from the properties that distinguish contents: size, time, digest.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text that distinguishes the contents.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The condition under which a file may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteCondition {
    /// Always, whether the file exists or not.
    Always,
    /// Only if nothing exists at the path.
    Absent,
    /// Only if the file still has this version.
    Unchanged(FileVersion),
}

/// A change; several changes are made together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Replaces the contents of a file, and keeps its mode; the parent folders of a new file are created.
    Write {
        /// The file.
        path: PathBuf,
        /// The new contents.
        bytes: Vec<u8>,
        /// The condition.
        condition: WriteCondition,
    },
    /// Removes a file, or an empty folder.
    Remove {
        /// The file.
        path: PathBuf,
        /// The condition.
        condition: WriteCondition,
    },
    /// Moves a file to a path that does not exist; the parent folders of the new path are created.
    Rename {
        /// The file.
        from: PathBuf,
        /// The new path.
        to: PathBuf,
        /// The condition, for the file at its old path.
        condition: WriteCondition,
    },
}
