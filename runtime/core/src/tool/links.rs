//! Where the paths of a call lead, looked up before the call is judged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::sandbox::JudgedPaths;

/// Where the paths of a call lead through links: what the file system said of them a moment ago.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// The paths that lead to another place than they name.
    targets: BTreeMap<String, LinkTarget>,
    /// All of them, for the files of the call.
    judged_paths: Arc<JudgedPaths>,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// To these places, which are others than the one that it names: where it lies, where it leads, or both.
    Paths(Vec<PathBuf>),
    /// Outside of the granted roots, or not resolved in time.
    Unknown,
}

impl Links {
    /// Takes in where paths lead that name another place, and where all paths of the call are.
    pub fn new(targets: BTreeMap<String, LinkTarget>, judged: JudgedPaths) -> Self {
        Self {
            targets,
            judged_paths: Arc::new(judged),
        }
    }

    /// Reports whether every path leads where it says.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Returns where all paths of the call are.
    pub(crate) fn judged_paths(&self) -> &Arc<JudgedPaths> {
        &self.judged_paths
    }

    /// Returns where a path leads, where that is another place than it names.
    pub fn target(&self, path: &str) -> Option<&LinkTarget> {
        self.targets.get(path)
    }

    /// Returns the other places that a path leads to.
    pub fn places(&self, path: &str) -> impl Iterator<Item = &Path> {
        let places = match self.target(path) {
            Some(LinkTarget::Paths(places)) => &**places,
            Some(LinkTarget::Unknown) | None => &[],
        };
        places.iter().map(PathBuf::as_path)
    }
}
