//! What appeared at protected paths is taken away when the command that ran ends: it would run outside of the sandbox, or
//! configure what runs there.

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

/// The plan that holds, and where what is taken away goes.
#[derive(Debug)]
pub(super) struct Sweeper {
    pub(super) plan: Protection,
    pub(super) quarantine: PathBuf,
    /// What is covered by a mount inside.
    pub(super) covered: FileIdentities,
    /// How long the last look took.
    pub(super) took: Duration,
    /// What commands made and what may stay because of its contents, since something runs that could change them.
    pub(super) made: BTreeSet<PathBuf>,
    moved: u32,
}

/// What is said of the changes of a staged command.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct StageVerdict {
    /// Why none of them is applied; nothing where all are.
    pub(super) refused: BTreeSet<String>,
    /// The notes to report where they are applied.
    pub(super) notes: Vec<String>,
}

/// Which file or folder is at a path; nothing where nothing is.
pub(super) type FileIdentities = BTreeMap<PathBuf, Option<FileIdentity>>;

/// Which file or folder something is: by device and number, and by when it came into being, since the number of one that
/// was removed is used again at once.
type FileIdentity = (u64, u64, Option<SystemTime>);

pub(super) fn identities(plan: &Protection) -> FileIdentities {
    let identity = |path: &PathBuf| {
        let found = path.symlink_metadata().ok();
        let found = found.map(|found| (found.dev(), found.ino(), found.created().ok()));
        (path.clone(), found)
    };
    plan.covered().map(identity).collect()
}

/// Reports whether a path, or one above it, is among others.
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

    /// Judges what is now in the folders of a policy as what a command made.
    pub(super) fn judge(&mut self, policy: &SandboxPolicy) -> StageVerdict {
        let mut plan = Protection::plan(policy);
        // What is not looked at may hold anything.
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

    /// Returns what is now at the paths that a mount covers; nothing where that is what was covered.
    pub(super) fn changed_identities(&self) -> Option<FileIdentities> {
        let now = identities(&self.plan);
        (now != self.covered).then_some(now)
    }

    /// Returns where nothing is any more of what was covered.
    pub(super) fn removed_paths(&self, now: &FileIdentities) -> BTreeSet<PathBuf> {
        self.covered_if(|path, _| now.get(path).is_none_or(Option::is_none))
    }

    /// Returns where something else is than what was covered, or nothing.
    pub(super) fn replaced_paths(&self) -> BTreeSet<PathBuf> {
        let now = identities(&self.plan);
        self.covered_if(|path, was| now.get(path) != Some(was))
    }

    /// Returns where something is covered that a test holds for.
    fn covered_if(
        &self,
        holds: impl Fn(&Path, &Option<FileIdentity>) -> bool,
    ) -> BTreeSet<PathBuf> {
        let covered = self.covered.iter().filter(|(_, was)| was.is_some());
        let found = covered.filter(|(path, was)| holds(path, was));
        found.map(|(path, _)| path.clone()).collect()
    }

    /// Counts paths as absent from now on: what a mount covered there was removed, and the mount with it. What comes there is
    /// new.
    pub(super) fn uncover(&mut self, removed: &BTreeSet<PathBuf>) {
        self.forget_covered(removed);
        let plan = &mut self.plan;
        plan.pinned.retain(|path| !is_at_or_below(path, removed));
        let is_removed = |path: &mut PathBuf| is_at_or_below(path, removed);
        let gone = plan.read_only.extract_if(.., is_removed);
        plan.watched.extend(gone);
    }

    /// Forgets what was covered at paths, so that the next plan is carried out there.
    pub(super) fn forget_covered(&mut self, removed: &BTreeSet<PathBuf>) {
        self.covered
            .retain(|path, _| !is_at_or_below(path, removed));
    }

    /// [`sweep`](Self::sweep), where nothing came into being since: only the contents of what was there can have changed.
    pub(super) fn sweep_contents(&mut self, roots: &[PathBuf]) -> Vec<String> {
        let unwelcome = self.plan.changed_contents();
        self.quarantine_all(roots, &unwelcome)
    }

    /// Takes away what appeared at paths that are known to be protected, and says so.
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

    /// Finds what a plan protects and the plan before did not know: what was not there before the command is what the command
    /// made. Git makes no link at a protected path, so every new link must go. Returns what must go, and notes.
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
        // A repository that the command made, such as a clone, may bring what programs run in it.
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
            // It is no reason to end the command, which may still be making it.
            SweepPhase::Running => Vec::new(),
        };
        let new_links = links.into_iter().map(|(link, _)| link);
        let unwelcome = new_links.chain(plan.rejected_paths(moment)).collect();
        plan.watched = held;
        (unwelcome, notes)
    }

    /// Takes away what is at paths, and says so.
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
        // Another file system: under another name nothing starts it.
        let mut aside = name.to_owned();
        aside.push(format!(".quarantined-{}", self.moved));
        move_into(folder, &aside)?;
        Ok(aside.into())
    }
}

/// Opens the folder above a path, below one of the roots and never through a link: a link on the way is itself what has
/// to go.
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

/// Returns why nothing of what a staged command changed is applied.
pub(super) fn refusal_message(path: &Path) -> String {
    format!("`{}` is protected", path.display())
}

/// Reports whether a path may stay that came with a new repository: nothing executes it before a user works there.
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
