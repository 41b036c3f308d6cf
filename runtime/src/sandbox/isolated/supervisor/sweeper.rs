//! What appeared at protected paths is taken away when the command that ran ends: it would run outside of the sandbox, or
//! configure what runs there.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt as _};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, FileType, Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::super::protection::Moment;
use super::super::wire::InitRequest;
use super::super::{Protection, access};
use crate::dangerous_paths::find_for_commands;
use crate::sandbox::SandboxPolicy;

/// The plan that holds, and where what is taken away goes.
#[derive(Debug)]
pub(super) struct Sweeper {
    pub(super) plan: Protection,
    quarantine: PathBuf,
    /// What is covered by a mount inside.
    pub(super) covered: Identities,
    /// How long the last look took.
    pub(super) took: Duration,
    /// What commands made and what may stay because of its contents, since something runs that could change them.
    made: BTreeSet<PathBuf>,
    moved: u32,
}

/// What is said of the changes of a staged command.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Verdict {
    /// Why none of them is applied; nothing where all are.
    pub(super) refused: BTreeSet<String>,
    /// What is told where they are applied.
    pub(super) notes: Vec<String>,
}

/// What commands made, by a new plan.
pub(super) struct Made {
    /// What must go.
    pub(super) unwelcome: Vec<PathBuf>,
    pub(super) notes: Vec<String>,
}

/// Which file or folder is at a path; nothing where nothing is.
pub(super) type Identities = BTreeMap<PathBuf, Option<Identity>>;

/// Which file or folder something is: by device and number, and by when it came into being, since the number of one that
/// was removed is used again at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    number: u64,
    born: Option<SystemTime>,
}

pub(super) fn identities(plan: &Protection) -> Identities {
    let identity = |path: &PathBuf| {
        let found = path.symlink_metadata().ok();
        let found = found.map(|found| Identity {
            device: found.dev(),
            number: found.ino(),
            born: found.created().ok(),
        });
        (path.clone(), found)
    };
    plan.covered().map(identity).collect()
}

/// Reports whether a path, or one above it, is among others.
fn is_in(path: &Path, others: &BTreeSet<PathBuf>) -> bool {
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

    pub(super) fn plan(&self) -> &Protection {
        &self.plan
    }

    pub(super) fn quarantine(&self) -> &Path {
        &self.quarantine
    }

    /// Judges what is now in the folders of a policy as what a command made.
    pub(super) fn verdict(&mut self, policy: &SandboxPolicy) -> Verdict {
        let mut plan = Protection::plan(policy);
        // What is not looked at may hold anything.
        let unseen = plan
            .stopped
            .clone()
            .filter(|_| plan.stopped != self.plan.stopped);
        let Made { unwelcome, notes } = self.take_made(&mut plan, Moment::Ended);
        let appeared = self.plan.appeared(Moment::Ended).into_iter();
        let links = self.plan.changed_links().into_iter();
        let links = links.map(|(link, _)| link.clone());
        let refused = appeared.chain(links).chain(unwelcome);
        Verdict {
            refused: refused
                .map(|path| refusal_of(&path))
                .chain(unseen)
                .collect(),
            notes,
        }
    }

    /// What commands made, which is judged by its contents.
    pub(super) fn made(&self) -> impl Iterator<Item = &Path> {
        self.made.iter().map(PathBuf::as_path)
    }

    pub(super) fn has_made(&self) -> bool {
        !self.made.is_empty()
    }

    /// Whether something of what commands made must not stay any more.
    pub(super) fn made_changed(&self) -> bool {
        self.plan.has_unwelcome(&self.made)
    }

    /// Nothing runs any more that could change what commands made, and it is covered.
    pub(super) fn forget_made(&mut self) {
        self.made.clear();
    }

    /// Returns what is now at the paths that a mount covers; nothing where that is what was covered.
    pub(super) fn changed(&self) -> Option<Identities> {
        let now = identities(&self.plan);
        (now != self.covered).then_some(now)
    }

    /// Tells how to cover what the plan covers.
    pub(super) fn pin_request(&self) -> InitRequest {
        InitRequest::Pin(Box::new(self.plan.clone()))
    }

    /// Returns where nothing is any more of what was covered.
    pub(super) fn gone(&self, now: &Identities) -> BTreeSet<PathBuf> {
        let is_gone = |path: &PathBuf| now.get(path).is_none_or(Option::is_none);
        let covered = self.covered.iter().filter(|(_, was)| was.is_some());
        covered
            .map(|(path, _)| path)
            .filter(|path| is_gone(path))
            .cloned()
            .collect()
    }

    pub(super) fn covered_again(&mut self, now: Identities) {
        self.covered = now;
    }

    /// Counts paths as absent from now on: what a mount covered there was removed, and the mount with it. What comes there is
    /// new.
    pub(super) fn uncover(&mut self, removed: &BTreeSet<PathBuf>) {
        self.forget_covered(removed);
        let plan = &mut self.plan;
        plan.pinned.retain(|path| !is_in(path, removed));
        let (gone, kept): (Vec<_>, _) = std::mem::take(&mut plan.read_only)
            .into_iter()
            .partition(|path| is_in(path, removed));
        plan.read_only = kept;
        plan.watched.extend(gone);
    }

    /// Forgets what was covered at paths, so that the next plan is carried out there.
    pub(super) fn forget_covered(&mut self, removed: &BTreeSet<PathBuf>) {
        self.covered.retain(|path, _| !is_in(path, removed));
    }

    /// Forgets all that was covered.
    pub(super) fn forget_all_covered(&mut self) {
        self.covered.clear();
    }

    /// Returns where something else is than what was covered, or nothing.
    pub(super) fn replaced(&self) -> BTreeSet<PathBuf> {
        let now = identities(&self.plan);
        let is_same = |path: &PathBuf, was| now.get(path) == Some(was);
        let covered = self.covered.iter().filter(|(_, was)| was.is_some());
        let replaced = covered.filter(|(path, was)| !is_same(path, *was));
        replaced.map(|(path, _)| path.clone()).collect()
    }

    /// [`sweep`](Self::sweep), where nothing came into being since: only the contents of what was there can have changed.
    pub(super) fn sweep_contents(&mut self, roots: &[PathBuf]) -> Vec<String> {
        let unwelcome = self.plan.changed_contents();
        let taken = unwelcome.into_iter();
        taken
            .filter_map(|path| self.take_away(roots, &path))
            .collect()
    }

    /// Takes away what appeared at paths that are known to be protected, and says so.
    pub(super) fn sweep(&mut self, roots: &[PathBuf], moment: Moment) -> Vec<String> {
        let mut notes = Vec::new();
        for path in self.plan.appeared(moment) {
            notes.extend(self.take_away(roots, &path));
        }
        let changed: Vec<_> = self.plan.changed_links().into_iter().cloned().collect();
        for (link, target) in changed {
            let there = link.symlink_metadata().is_ok();
            notes.extend(there.then(|| self.take_away(roots, &link)).flatten());
            let restored = open_above(roots, &link)
                .and_then(|(folder, name)| Ok(rustix::fs::symlinkat(&target, folder, name)?));
            notes.push(match restored {
                Ok(()) => format!(
                    "`{}` is protected; it leads where it did again",
                    link.display()
                ),
                Err(error) => {
                    format!(
                        "`{}` is protected and cannot be put back: {error}",
                        link.display()
                    )
                }
            });
        }
        notes
    }

    /// Finds what a plan protects and the plan before did not know: what was not there before the command is what the command
    /// made. Git makes no link at a protected path, so every new link must go.
    pub(super) fn take_made(&mut self, plan: &mut Protection, moment: Moment) -> Made {
        let known: BTreeSet<_> = self.plan.links.iter().cloned().collect();
        let (old, new) = std::mem::take(&mut plan.links)
            .into_iter()
            .partition(|link| known.contains(link));
        plan.links = old;
        let links: Vec<(PathBuf, PathBuf)> = new;
        let known: BTreeSet<_> = self.plan.read_only.iter().collect();
        let awaited: BTreeSet<_> = self.plan.watched.iter().collect();
        let fresh = |path: &&PathBuf| !known.contains(path) || self.made.contains(*path);
        // A repository that the command made, such as a clone, may bring what programs run in it.
        let (brought, made): (Vec<PathBuf>, Vec<PathBuf>) = plan
            .read_only
            .iter()
            .filter(fresh)
            .cloned()
            .partition(|path| !awaited.contains(path) && may_be_brought(path));
        let held = std::mem::take(&mut plan.watched);
        plan.watched.clone_from(&made);
        self.made.extend(made);
        let notes = match moment {
            Moment::Ended => brought
                .iter()
                .filter_map(|path| note_of_brought(path))
                .collect(),
            // It is no reason to end the command, which may still be making it.
            Moment::Running => Vec::new(),
        };
        let new_links = links.into_iter().map(|(link, _)| link);
        let unwelcome = new_links.chain(plan.appeared(moment)).collect();
        plan.watched = held;
        Made { unwelcome, notes }
    }

    pub(super) fn take_away(&mut self, roots: &[PathBuf], path: &Path) -> Option<String> {
        let (folder, name) = open_above(roots, path).ok()?;
        self.moved += 1;
        let shown = path.display();
        Some(match self.put_aside(&folder, &name) {
            Ok(place) => format!(
                "`{shown}` is protected: what appeared there was moved to `{}`",
                place.display()
            ),
            Err(error) => format!(
                "`{shown}` is protected, and what appeared there cannot be moved away: {error}"
            ),
        })
    }

    fn put_aside(&self, folder: &OwnedFd, name: &OsStr) -> io::Result<PathBuf> {
        let mut aside = name.to_owned();
        aside.push(format!(".{}", self.moved));
        let moved = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.quarantine)
            .and_then(|()| {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let quarantine = rustix::fs::openat(CWD, &self.quarantine, flags, Mode::empty())?;
                access::within(folder, || {
                    Ok(rustix::fs::renameat(folder, name, &quarantine, &aside)?)
                })
            });
        if moved.is_ok() {
            return Ok(self.quarantine.join(aside));
        }
        // Another file system: under another name nothing starts it.
        let mut aside = name.to_owned();
        aside.push(format!(".quarantined-{}", self.moved));
        access::within(folder, || {
            Ok(rustix::fs::renameat(folder, name, folder, &aside)?)
        })?;
        Ok(aside.into())
    }
}

/// Opens the folder above a path, below one of the roots and never through a link: a link on the way is itself what has
/// to go.
fn open_above(roots: &[PathBuf], path: &Path) -> io::Result<(OwnedFd, std::ffi::OsString)> {
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

/// Says why nothing of what a staged command changed is applied.
pub(super) fn refusal_of(path: &Path) -> String {
    format!("`{}` is protected", path.display())
}

/// Reports whether a path may stay that came with a new repository: nothing runs it before somebody works there.
fn may_be_brought(path: &Path) -> bool {
    find_for_commands(path).is_some_and(|row| !row.is_of_git())
}

fn note_of_brought(path: &Path) -> Option<String> {
    let row = find_for_commands(path)?;
    Some(format!(
        "`{}` came with a new repository ({}); it stays as it is from now on",
        path.display(),
        row.reason
    ))
}
