//! Files that commands may change, and whose changes are reported: they run later, or steer an agent.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::PathBuf;

use super::queue::FolderId;
use super::tree::WatchTree;
use helve_core::dangerous_paths::{Row, find_watched, is_named, with_watch};

/// How many paths are remembered. A command can change more without an end.
const MAX_REMEMBERED: usize = 1000;

/// What has changed.
#[derive(Debug, Default)]
pub(in super::super) struct ReportedChanges {
    pub(in super::super) paths: BTreeSet<PathBuf>,
    /// Whether there were more.
    pub(in super::super) is_truncated: bool,
}

#[derive(Debug)]
pub(super) struct ChangeReporter {
    /// The names of files.
    names: HashSet<&'static OsStr>,
    /// The same, with a `*` in them.
    patterns: Vec<&'static str>,
    /// The names of folders of which all files matter.
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

    /// Whether a file by this name may matter, wherever it is.
    pub(super) fn may_matter(&self, name: &OsStr) -> bool {
        let fits = |pattern: &&str| name.to_str().is_some_and(|name| is_named(pattern, name));
        self.names.contains(name) || self.patterns.iter().any(fits)
    }

    /// Whether all files of a folder may matter.
    pub(super) fn may_matter_in(&self, tree: &WatchTree, folder: FolderId) -> bool {
        tree.is_below(folder, |name| self.folders.contains(name))
    }

    /// Takes a change of an entry; returns whether it is reported.
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
