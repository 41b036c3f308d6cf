//! The names that stop all commands until the supervisor has checked them.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use super::super::Protection;
use super::super::protection::NamePatterns;
use super::queue::FolderId;
use super::tree::{WatchTree, is_git};
use crate::sandbox::SandboxPolicy;

/// Names in a Git folder that Git trusts, besides hooks.
const GIT_NAMES: &[&str] = &[
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "hooks",
    "info",
    "attributes",
];

/// The names that make a folder a Git folder.
const NEW_GIT_NAMES: &[&str] = &["HEAD", "objects", "refs"];

/// The files that may stay or must be removed depending on their contents.
const JUDGED_BY_CONTENTS: &[&str] = &[".git", "config", "config.worktree", "commondir", "gitdir"];

/// Iterates over the components of a path.
pub(super) fn names_in(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    })
}

#[derive(Debug)]
pub(in super::super) struct Triggers {
    /// The masked names.
    masked: NamePatterns,
    /// Names that are relevant in every folder.
    names: HashSet<OsString>,
    /// The last components of `watched` paths.
    watched: HashSet<OsString>,
    /// Covered paths, and their last components.
    covered: HashSet<PathBuf>,
    covered_names: HashSet<OsString>,
}

impl Triggers {
    pub(in super::super) fn new(policy: &SandboxPolicy) -> Self {
        let mut names = HashSet::new();
        for protected in &policy.protected {
            // Paths below `.git` are only relevant in a Git folder.
            let is_of_git = protected.starts_with(".git/");
            let parts = names_in(Path::new(protected)).map(OsStr::to_owned);
            names.extend(parts.take(if is_of_git { 1 } else { usize::MAX }));
        }
        Self {
            masked: NamePatterns::new(&policy.masked),
            names,
            watched: HashSet::new(),
            covered: HashSet::new(),
            covered_names: HashSet::new(),
        }
    }

    pub(super) fn has_masked(&self) -> bool {
        !self.masked.is_empty()
    }

    pub(super) fn masks(&self, name: &OsStr) -> bool {
        self.masked.matches(name.as_bytes())
    }

    /// Replaces the watched and covered paths with those of a plan.
    pub(in super::super) fn update_from_plan(&mut self, plan: &Protection) {
        self.covered = plan.covered().cloned().collect();
        let named = |path: &PathBuf| path.file_name().map(OsStr::to_owned);
        self.covered_names = self.covered.iter().filter_map(named).collect();
        self.watched.clear();
        let links = plan.links.iter().map(|(link, _)| link);
        // Many of these paths have the same parent.
        let mut absent = HashMap::new();
        let mut is_absent = |path: &'_ Path| match absent.get(path) {
            Some(&known) => known,
            None => {
                let found = path.symlink_metadata().is_err();
                absent.insert(path.to_owned(), found);
                found
            }
        };
        for path in plan.watched.iter().chain(links) {
            // Missing parents are created first.
            let mut at = Some(path.as_path());
            while let Some((path, name)) = at.and_then(|path| Some((path, path.file_name()?))) {
                if !GIT_NAMES.iter().any(|known| name == *known) {
                    self.watched.insert(name.to_owned());
                }
                at = path.parent().filter(|parent| is_absent(parent));
            }
        }
    }

    /// Reports whether a created path may need a check, as far as its names show.
    pub(in super::super) fn may_matter(&self, path: &Path) -> bool {
        let concerns = |name: &OsStr| {
            let named = [&self.names, &self.watched, &self.covered_names];
            let mut of_git = GIT_NAMES.iter().chain(NEW_GIT_NAMES);
            is_git(name)
                || named.into_iter().any(|names| names.contains(name))
                || of_git.any(|known| name == *known)
        };
        names_in(path).any(concerns)
    }

    /// Reports whether a new entry must be checked before commands continue.
    pub(super) fn must_check(&self, tree: &WatchTree, folder: FolderId, name: &OsStr) -> bool {
        if is_git(name) || self.names.contains(name) || self.watched.contains(name) {
            return true;
        }
        let of_git = |folder| tree.is_git_folder(folder);
        let above = || tree.parent(folder).is_some_and(of_git);
        let text = name.to_str().unwrap_or_default();
        let concerns_git = match text {
            "commondir" => true,
            // A folder named `.git` is a Git folder without these names.
            text if NEW_GIT_NAMES.contains(&text) => !tree.is_named(folder, ".git"),
            text if GIT_NAMES.contains(&text) => of_git(folder) || above(),
            text => tree.is_named(folder, "hooks") && !text.ends_with(".sample") && above(),
        };
        concerns_git || self.covered_path(tree, folder, name).is_some()
    }

    /// Reports whether a written file must be checked.
    pub(super) fn is_judged_by_contents(name: &OsStr) -> bool {
        JUDGED_BY_CONTENTS.iter().any(|judged| name == *judged)
    }

    /// Returns the path of an entry if a mount covers it.
    pub(super) fn covered_path(
        &self,
        tree: &WatchTree,
        folder: FolderId,
        name: &OsStr,
    ) -> Option<PathBuf> {
        if !self.covered_names.contains(name) {
            return None;
        }
        let path = tree.path(folder)?.join(name);
        self.covered.contains(&path).then_some(path)
    }
}
