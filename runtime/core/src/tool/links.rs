//! The resolved paths of a call, looked up before the call is judged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::sandbox::JudgedPaths;

/// The paths of a call with links resolved, as reported by the file system shortly before the judgement.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// The paths that resolve to another path than they name.
    targets: BTreeMap<String, LinkTarget>,
    /// The locations of all paths, for the files of the call.
    judged_paths: Arc<JudgedPaths>,
}

/// The target of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// The entry, the target, or both, as far as they differ from the path itself.
    Paths(Vec<PathBuf>),
    /// Outside of the granted roots, or not resolved in time.
    Unknown,
}

impl Links {
    /// Creates the set of paths that resolve to other paths, with the locations of all paths of the call.
    pub fn new(targets: BTreeMap<String, LinkTarget>, judged: JudgedPaths) -> Self {
        Self {
            targets,
            judged_paths: Arc::new(judged),
        }
    }

    /// Reports whether every path resolves to itself.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Returns the locations of all paths of the call.
    pub(crate) fn judged_paths(&self) -> &Arc<JudgedPaths> {
        &self.judged_paths
    }

    /// Returns the target of a path, if it differs from the path itself.
    pub fn target(&self, path: &str) -> Option<&LinkTarget> {
        self.targets.get(path)
    }

    /// Returns the other paths that a path resolves to.
    pub fn places(&self, path: &str) -> impl Iterator<Item = &Path> {
        let places = match self.target(path) {
            Some(LinkTarget::Paths(places)) => &**places,
            Some(LinkTarget::Unknown) | None => &[],
        };
        places.iter().map(PathBuf::as_path)
    }
}
