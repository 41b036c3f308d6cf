//! Files that commands may change, and whose changes are told: they run later, or steer an agent.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::PathBuf;

use super::queue::FolderId;
use super::tree::Tree;
use crate::dangerous_paths::{Row, find_told, is_named, told};

/// How many paths are remembered. A command can change more without an end.
const REMEMBERED: usize = 1000;

/// What has changed.
#[derive(Debug, Default)]
pub(in super::super) struct ToldChanges {
    pub(in super::super) paths: BTreeSet<PathBuf>,
    /// Whether there were more.
    pub(in super::super) are_more: bool,
}

#[derive(Debug)]
pub(super) struct Told {
    /// The names of files.
    names: HashSet<&'static OsStr>,
    /// The same, with a `*` in them.
    patterns: Vec<&'static str>,
    /// The names of folders of which all files matter.
    folders: HashSet<&'static OsStr>,
    changes: ToldChanges,
}

impl Told {
    pub(super) fn new() -> Self {
        let (folders, files): (Vec<&Row>, Vec<&Row>) =
            told().partition(|row| row.pattern.ends_with('/'));
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
            changes: ToldChanges::default(),
        }
    }

    /// Whether a file by this name may matter, wherever it is.
    pub(super) fn may_concern(&self, name: &OsStr) -> bool {
        let fits = |pattern: &&str| name.to_str().is_some_and(|name| is_named(pattern, name));
        self.names.contains(name) || self.patterns.iter().any(fits)
    }

    /// Whether all files of a folder may matter.
    pub(super) fn may_concern_all_in(&self, tree: &Tree, folder: FolderId) -> bool {
        tree.is_below(folder, |name| self.folders.contains(name))
    }

    /// Takes a change of an entry; returns whether it is told.
    pub(super) fn take(&mut self, tree: &Tree, folder: FolderId, name: &OsStr) -> bool {
        let concerns = self.may_concern(name)
            || self.folders.contains(name)
            || self.may_concern_all_in(tree, folder);
        if !concerns {
            return false;
        }
        let Some(path) = tree.path(folder).map(|folder| folder.join(name)) else {
            return false;
        };
        let is_told = find_told(&path).is_some();
        if is_told && self.changes.paths.len() < REMEMBERED {
            self.changes.paths.insert(path);
        } else if is_told {
            self.changes.are_more |= !self.changes.paths.contains(&path);
        }
        is_told
    }

    pub(super) fn take_changes(&mut self) -> ToldChanges {
        std::mem::take(&mut self.changes)
    }
}
