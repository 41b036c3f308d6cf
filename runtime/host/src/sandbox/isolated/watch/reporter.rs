//! Files that commands may change, and whose changes are reported: they are executed later, or instruct an agent.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::PathBuf;

use super::queue::FolderId;
use super::tree::WatchTree;
use helve_core::dangerous_paths::{Row, find_watched, is_named, with_watch};

/// The greatest number of recorded paths. A command can change files without end.
const MAX_REMEMBERED: usize = 1000;

/// The reported changes.
#[derive(Debug, Default)]
pub(in super::super) struct ReportedChanges {
    pub(in super::super) paths: BTreeSet<PathBuf>,
    /// Whether paths were left out.
    pub(in super::super) is_truncated: bool,
}

#[derive(Debug)]
pub(super) struct ChangeReporter {
    /// The names of reported files.
    names: HashSet<&'static OsStr>,
    /// Patterns of names of reported files, with a `*`.
    patterns: Vec<&'static str>,
    /// The names of folders in which all files are reported.
    folders: HashSet<&'static OsStr>,
    changes: ReportedChanges,
}

impl ChangeReporter {
    pub(super) fn new() -> Self {
        let (folders, files): (Vec<&Row>, Vec<&Row>) =
            with_watch().partition(|row| row.pattern.ends_with('/'));
        let last = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
        let (patterns, names): (Vec<_>, Vec<_>) = files
            .into_iter()
            .map(|row| last(row.name()))
            .partition(|name| name.contains('*'));
        Self {
            names: names.into_iter().map(OsStr::new).collect(),
            patterns,
            folders: folders
                .into_iter()
                .map(|row| OsStr::new(last(row.name())))
                .collect(),
            changes: ReportedChanges::default(),
        }
    }

    /// Reports whether a file with this name may be relevant in some folder.
    pub(super) fn may_matter(&self, name: &OsStr) -> bool {
        let fits = |pattern: &&str| name.to_str().is_some_and(|name| is_named(pattern, name));
        self.names.contains(name) || self.patterns.iter().any(fits)
    }

    /// Reports whether all files of a folder may be relevant.
    pub(super) fn may_matter_in(&self, tree: &WatchTree, folder: FolderId) -> bool {
        tree.is_below(folder, |name| self.folders.contains(name))
    }

    /// Records a change of an entry; returns whether it is reported.
    pub(super) fn record(&mut self, tree: &WatchTree, folder: FolderId, name: &OsStr) -> bool {
        let concerns = self.may_matter(name)
            || self.folders.contains(name)
            || self.may_matter_in(tree, folder);
        if !concerns {
            return false;
        }
        let Some(path) = tree.path(folder).map(|folder| folder.join(name)) else {
            return false;
        };
        let is_told = find_watched(&path).is_some();
        if is_told && self.changes.paths.len() < MAX_REMEMBERED {
            self.changes.paths.insert(path);
        } else if is_told {
            self.changes.is_truncated |= !self.changes.paths.contains(&path);
        }
        is_told
    }

    pub(super) fn take_changes(&mut self) -> ReportedChanges {
        std::mem::take(&mut self.changes)
    }
}
