//! Where the paths of a call lead, looked up before the call is judged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the paths of a call lead through links: what the file system said of them a moment ago.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links(BTreeMap<String, Target>);

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// To this place, which is another than the one that it names.
    Place(PathBuf),
    /// Out of what the host granted, or nobody could say in time.
    Unknown,
}

impl Links {
    /// Takes in where a path leads.
    pub(crate) fn insert(&mut self, path: &str, target: Target) {
        self.0.insert(path.to_owned(), target);
    }

    /// Reports whether every path leads where it says.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns where a path leads, where that is another place than it names.
    pub(crate) fn target(&self, path: &str) -> Option<&Target> {
        self.0.get(path)
    }

    /// Returns the other place that a path leads to.
    pub(crate) fn place(&self, path: &str) -> Option<&Path> {
        match self.target(path)? {
            Target::Place(place) => Some(place),
            Target::Unknown => None,
        }
    }
}
