//! A bounded walk over the folders of a policy: names alone, never through a link.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::owner_access;
use super::git::GitFolderMarkers;
use super::names::NamePatterns;

/// Folders that hold what others wrote, in great number: they are looked at when everything else was.
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

/// What a walk reports.
#[derive(Debug)]
pub(in super::super) enum WalkFinding {
    /// A folder with something named `.git` in it.
    Repository(PathBuf),
    /// A folder that Git takes for a repository by what is in it.
    Bare(PathBuf),
    /// An entry whose name is masked.
    Masked(PathBuf),
}

/// The nearest folders are looked at first, so that a walk that is stopped has seen what matters most.
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
    /// The most entries that are looked at. A walk that long takes a few seconds.
    pub(super) const FULL_WALK: usize = 3_000_000;
    /// How many are looked at where there is no time for that.
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

    /// Walks, and returns why it stopped before its end.
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

    /// Returns false where the walk has come to its bound. A command can take the permissions of its folders away and give
    /// them back; what is only readable and cannot be read here cannot be read by a command.
    fn visit(
        &mut self,
        folder: &QueuedFolder,
        masked: &NamePatterns,
        report: &mut impl FnMut(WalkFinding),
    ) -> bool {
        // Nothing is looked for in what is only readable where nothing is masked.
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
