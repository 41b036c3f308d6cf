//! A bounded walk over the folders of a policy, which reads names only and never follows links.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::owner_access;
use super::git::GitFolderMarkers;
use super::names::NamePatterns;

/// Folders with large amounts of third-party files, which are visited after all others.
const VISITED_LAST: &[&str] = &[
    "node_modules",
    "target",
    ".venv",
    "venv",
    ".tox",
    ".cache",
    ".mypy_cache",
    "__pycache__",
];

/// A finding of a walk.
#[derive(Debug)]
pub(in super::super) enum WalkFinding {
    /// A folder that contains an entry named `.git`.
    Repository(PathBuf),
    /// A folder that Git recognises as a bare repository by its contents.
    Bare(PathBuf),
    /// An entry whose name is masked.
    Masked(PathBuf),
}

/// A breadth-first walk, so that a walk that is stopped early has visited the most important folders.
#[derive(Debug)]
pub(super) struct Walk {
    next: VecDeque<QueuedFolder>,
    deferred: VecDeque<QueuedFolder>,
    remaining: usize,
}

#[derive(Debug)]
struct QueuedFolder {
    path: PathBuf,
    writable: bool,
}

impl Walk {
    /// The greatest number of entries that a full walk reads. A walk of that size takes a few seconds.
    pub(super) const FULL_WALK: usize = 3_000_000;
    /// The greatest number of entries that a quick walk reads.
    pub(super) const QUICK_WALK: usize = 1000;

    pub(super) fn new(writable: Vec<PathBuf>, readable: Vec<PathBuf>, entries: usize) -> Self {
        let folder = |writable| move |path| QueuedFolder { path, writable };
        let writable = writable.into_iter().map(folder(true));
        Self {
            next: writable
                .chain(readable.into_iter().map(folder(false)))
                .collect(),
            deferred: VecDeque::new(),
            remaining: entries,
        }
    }

    /// Walks the folders, and returns the reason if the walk stopped early.
    pub(super) fn run(
        mut self,
        masked: &NamePatterns,
        mut report: impl FnMut(WalkFinding),
    ) -> Option<String> {
        while let Some(folder) = self.next.pop_front().or_else(|| self.deferred.pop_front()) {
            if !self.visit(&folder, masked, &mut report) {
                return Some(format!(
                    "too many files: nested repositories and secrets were not searched in \
                     `{}` and what follows it",
                    folder.path.display()
                ));
            }
        }
        None
    }

    /// Visits a folder; returns false if the walk has reached its bound. A command can remove the permissions of its
    /// writable folders and restore them; a read-only folder that cannot be read here cannot be read by a command
    /// either.
    fn visit(
        &mut self,
        folder: &QueuedFolder,
        masked: &NamePatterns,
        report: &mut impl FnMut(WalkFinding),
    ) -> bool {
        // A read-only folder is only searched for masked names.
        if !folder.writable && masked.is_empty() {
            return true;
        }
        let listed = if folder.writable {
            owner_access::list(&folder.path)
        } else {
            fs::read_dir(&folder.path)
        };
        let Ok(entries) = listed else {
            return true;
        };
        let mut signs = GitFolderMarkers::default();
        for entry in entries.flatten() {
            if self.remaining == 0 {
                return false;
            }
            self.remaining -= 1;
            let name = entry.file_name();
            if name == ".git" {
                if folder.writable {
                    report(WalkFinding::Repository(folder.path.clone()));
                }
                continue;
            }
            signs.add_name(&name);
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !is_folder {
                if masked.matches(name.as_bytes()) {
                    report(WalkFinding::Masked(folder.path.join(&name)));
                }
                continue;
            }
            let below = QueuedFolder {
                path: folder.path.join(&name),
                writable: folder.writable,
            };
            if is_deferred(&name) {
                self.deferred.push_back(below);
            } else {
                self.next.push_back(below);
            }
        }
        if signs.is_git_folder() && folder.writable {
            report(WalkFinding::Bare(folder.path.clone()));
        }
        true
    }
}

fn is_deferred(name: &std::ffi::OsStr) -> bool {
    VISITED_LAST
        .iter()
        .any(|last| Path::new(last) == Path::new(name))
}
