//! Moves new files at protected paths to the quarantine folder: they would run outside of the sandbox, or configure a
//! program that runs there.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, FileType, Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::super::protection::SweepPhase;
use super::super::{Protection, owner_access};
use crate::sandbox::SandboxPolicy;
use helve_core::dangerous_paths::find_for_commands;

/// The current plan, and the quarantine folder.
#[derive(Debug)]
pub(super) struct Sweeper {
    pub(super) plan: Protection,
    pub(super) quarantine: PathBuf,
    /// The files that are covered by a mount inside.
    pub(super) covered: FileIdentities,
    /// The duration of the last scan.
    pub(super) took: Duration,
    /// Files that commands made and that may stay because of their contents, since a process runs that could change
    /// them.
    pub(super) made: BTreeSet<PathBuf>,
    moved: u32,
}

/// The result of the check of a staged command's changes.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct StageVerdict {
    /// The reasons why none of the changes is applied; empty if all are applied.
    pub(super) refused: BTreeSet<String>,
    /// The notes to report if the changes are applied.
    pub(super) notes: Vec<String>,
}

/// The identity of the file or folder at each path; `None` if the path does not exist.
pub(super) type FileIdentities = BTreeMap<PathBuf, Option<FileIdentity>>;

/// The identity of a file or folder: device, inode number and creation time, since the number of a removed file is
/// reused immediately.
type FileIdentity = (u64, u64, Option<SystemTime>);

pub(super) fn identities(plan: &Protection) -> FileIdentities {
    let identity = |path: &PathBuf| {
        let found = path.symlink_metadata().ok();
        let found = found.map(|found| (found.dev(), found.ino(), found.created().ok()));
        (path.clone(), found)
    };
    plan.covered().map(identity).collect()
}

/// Reports whether a path is equal to, or below, one of the others.
fn is_at_or_below(path: &Path, others: &BTreeSet<PathBuf>) -> bool {
    path.ancestors().any(|up| others.contains(up))
}

impl Sweeper {
    pub(super) fn new(plan: Protection, quarantine: PathBuf, took: Duration) -> Self {
        Self {
            covered: identities(&plan),
            plan,
            quarantine,
            took,
            made: BTreeSet::new(),
            moved: 0,
        }
    }

    /// Checks all new files in the folders of a policy as files that a command made.
    pub(super) fn judge(&mut self, policy: &SandboxPolicy) -> StageVerdict {
        let mut plan = Protection::plan(policy);
        // A path that cannot be scanned may contain any file.
        let unseen = plan
            .stopped
            .clone()
            .filter(|_| plan.stopped != self.plan.stopped);
        let (unwelcome, notes) = self.find_created(&mut plan, SweepPhase::Ended);
        let appeared = self.plan.rejected_paths(SweepPhase::Ended).into_iter();
        let links = self.plan.changed_links().into_iter();
        let links = links.map(|(link, _)| link.clone());
        let refused = appeared.chain(links).chain(unwelcome);
        StageVerdict {
            refused: refused
                .map(|path| refusal_message(&path))
                .chain(unseen)
                .collect(),
            notes,
        }
    }

    /// Returns the current files at the covered paths; `None` if they are the covered files.
    pub(super) fn changed_identities(&self) -> Option<FileIdentities> {
        let now = identities(&self.plan);
        (now != self.covered).then_some(now)
    }

    /// Returns the covered paths that do not exist any more.
    pub(super) fn removed_paths(&self, now: &FileIdentities) -> BTreeSet<PathBuf> {
        self.covered_if(|path, _| now.get(path).is_none_or(Option::is_none))
    }

    /// Returns the covered paths at which another file, or none, exists.
    pub(super) fn replaced_paths(&self) -> BTreeSet<PathBuf> {
        let now = identities(&self.plan);
        self.covered_if(|path, was| now.get(path) != Some(was))
    }

    /// Returns the covered paths that fulfil a test.
    fn covered_if(
        &self,
        holds: impl Fn(&Path, &Option<FileIdentity>) -> bool,
    ) -> BTreeSet<PathBuf> {
        let covered = self.covered.iter().filter(|(_, was)| was.is_some());
        let found = covered.filter(|(path, was)| holds(path, was));
        found.map(|(path, _)| path.clone()).collect()
    }

    /// Marks paths as absent: the covered file was removed, and its mount with it. A file that appears there is new.
    pub(super) fn uncover(&mut self, removed: &BTreeSet<PathBuf>) {
        self.forget_covered(removed);
        let plan = &mut self.plan;
        plan.pinned.retain(|path| !is_at_or_below(path, removed));
        let is_removed = |path: &mut PathBuf| is_at_or_below(path, removed);
        let gone = plan.read_only.extract_if(.., is_removed);
        plan.watched.extend(gone);
    }

    /// Forgets the covered files at paths, so that the next plan is applied there again.
    pub(super) fn forget_covered(&mut self, removed: &BTreeSet<PathBuf>) {
        self.covered
            .retain(|path, _| !is_at_or_below(path, removed));
    }

    /// Like [`sweep`](Self::sweep), if no file was created since: only the contents of existing files can have changed.
    pub(super) fn sweep_contents(&mut self, roots: &[PathBuf]) -> Vec<String> {
        let unwelcome = self.plan.changed_contents();
        self.quarantine_all(roots, &unwelcome)
    }

    /// Quarantines files that appeared at protected paths of the current plan; returns notes on them.
    pub(super) fn sweep(&mut self, roots: &[PathBuf], moment: SweepPhase) -> Vec<String> {
        let unwelcome = self.plan.rejected_paths(moment);
        let mut notes = self.quarantine_all(roots, &unwelcome);
        let changed: Vec<_> = self.plan.changed_links().into_iter().cloned().collect();
        for (link, target) in changed {
            let there = link.symlink_metadata().is_ok();
            if there {
                notes.extend(self.quarantine_path(roots, &link));
            }
            let restored = open_above(roots, &link)
                .and_then(|(folder, name)| Ok(rustix::fs::symlinkat(&target, folder, name)?));
            notes.push(match restored {
                Ok(()) => format!("`{}` is protected; its link was restored", link.display()),
                Err(error) => format!(
                    "`{}` is protected, but its link cannot be restored: {error}",
                    link.display()
                ),
            });
        }
        notes
    }

    /// Finds paths that a new plan protects and the current plan does not contain: they were created by the command.
    /// Git creates no links at protected paths, so every new link must be removed. Returns the paths to remove, and
    /// notes.
    pub(super) fn find_created(
        &mut self,
        plan: &mut Protection,
        moment: SweepPhase,
    ) -> (Vec<PathBuf>, Vec<String>) {
        let known: BTreeSet<_> = self.plan.links.iter().collect();
        let is_new = |link: &mut (PathBuf, PathBuf)| !known.contains(link);
        let links: Vec<_> = plan.links.extract_if(.., is_new).collect();
        let known: BTreeSet<_> = self.plan.read_only.iter().collect();
        let awaited: BTreeSet<_> = self.plan.watched.iter().collect();
        let fresh = |path: &&PathBuf| !known.contains(path) || self.made.contains(*path);
        // A repository that the command created, such as a clone, may contain files that programs execute later.
        let (brought, made): (Vec<PathBuf>, Vec<PathBuf>) = plan
            .read_only
            .iter()
            .filter(fresh)
            .cloned()
            .partition(|path| !awaited.contains(path) && may_come_with_repository(path));
        let held = std::mem::take(&mut plan.watched);
        plan.watched.clone_from(&made);
        self.made.extend(made);
        let notes = match moment {
            SweepPhase::Ended => brought
                .iter()
                .filter_map(|path| repository_note(path))
                .collect(),
            // This does not end the command, which may still be writing the repository.
            SweepPhase::Running => Vec::new(),
        };
        let new_links = links.into_iter().map(|(link, _)| link);
        let unwelcome = new_links.chain(plan.rejected_paths(moment)).collect();
        plan.watched = held;
        (unwelcome, notes)
    }

    /// Quarantines the files at paths; returns notes on them.
    pub(super) fn quarantine_all(&mut self, roots: &[PathBuf], paths: &[PathBuf]) -> Vec<String> {
        let taken = paths.iter();
        taken
            .filter_map(|path| self.quarantine_path(roots, path))
            .collect()
    }

    fn quarantine_path(&mut self, roots: &[PathBuf], path: &Path) -> Option<String> {
        let (folder, name) = open_above(roots, path).ok()?;
        self.moved += 1;
        let shown = path.display();
        Some(match self.move_to_quarantine(&folder, &name) {
            Ok(place) => format!(
                "`{shown}` is protected: the new file was moved to `{}`",
                place.display()
            ),
            Err(error) => {
                format!("`{shown}` is protected, but the new file cannot be moved away: {error}")
            }
        })
    }

    fn move_to_quarantine(&self, folder: &OwnedFd, name: &OsStr) -> io::Result<PathBuf> {
        let mut aside = name.to_owned();
        aside.push(format!(".{}", self.moved));
        let move_into = |target: &OwnedFd, aside: &OsStr| {
            owner_access::with_owner_access(folder, || {
                Ok(rustix::fs::renameat(folder, name, target, aside)?)
            })
        };
        let moved = owner_access::create_folder(&self.quarantine)
            .and_then(|()| owner_access::open_folder(&self.quarantine))
            .and_then(|quarantine| move_into(&quarantine, &aside));
        if moved.is_ok() {
            return Ok(self.quarantine.join(aside));
        }
        // The quarantine folder is on another file system: no program runs the file under a new name.
        let mut aside = name.to_owned();
        aside.push(format!(".quarantined-{}", self.moved));
        move_into(folder, &aside)?;
        Ok(aside.into())
    }
}

/// Opens the parent of a path, below one of the roots and never through a link: a link on the way is itself the file to
/// remove.
fn open_above(roots: &[PathBuf], path: &Path) -> io::Result<(OwnedFd, OsString)> {
    let root = roots
        .iter()
        .find(|root| path.starts_with(root) && path != *root);
    let root = root.ok_or(io::ErrorKind::PermissionDenied)?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = rustix::fs::openat(CWD, root, flags | OFlags::DIRECTORY, Mode::empty())?;
    let below = path.strip_prefix(root).unwrap_or(path);
    let mut names = below.components().peekable();
    while let Some(Component::Normal(name)) = names.next() {
        if names.peek().is_none() {
            return Ok((folder, name.to_owned()));
        }
        let next = rustix::fs::openat(&folder, name, flags, Mode::empty())?;
        let mode = rustix::fs::fstat(next.as_fd())?.st_mode;
        if FileType::from_raw_mode(mode).is_symlink() {
            return Ok((folder, name.to_owned()));
        }
        folder = next;
    }
    Err(io::ErrorKind::InvalidInput.into())
}

/// Returns the reason why none of the changes of a staged command is applied.
pub(super) fn refusal_message(path: &Path) -> String {
    format!("`{}` is protected", path.display())
}

/// Reports whether a path may stay that belongs to a new repository: no program executes it before a user works there.
fn may_come_with_repository(path: &Path) -> bool {
    find_for_commands(path).is_some_and(|row| !row.is_of_git())
}

fn repository_note(path: &Path) -> Option<String> {
    let row = find_for_commands(path)?;
    Some(format!(
        "`{}` was created with a new repository ({}); it is protected from now on",
        path.display(),
        row.reason
    ))
}
