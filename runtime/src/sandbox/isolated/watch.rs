//! A watch over the folders of a sandbox, so that what a command leaves there is seen at once, and without a walk through
//! all folders.
//!
//! A folder is watched before it is read, so that nothing that is made in it is missed. Folders may be renamed at any
//! moment, so a path is only used after the kernel has told that it leads to the folder that is meant: whatever replaced
//! the folder comes with a change of its own.

mod follow;
mod queue;
mod removals;
mod told;
mod tree;
mod triggers;

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use super::protection::{outermost, real};
use super::{Protection, access};
use crate::sandbox::SandboxPolicy;
use queue::{Change, ChangeKind, FolderId, Queue};
use removals::Removals;
use told::Told;
pub(super) use told::ToldChanges;
use tree::Tree;
pub(super) use triggers::Triggers;

/// How many folders may be waited for that are not where they were. More are forgotten only when nothing runs.
const LOST: usize = 10_000;

/// What is still to be read of a folder.
#[derive(Debug)]
enum Want {
    All,
    /// The folders in it by these names.
    Folders(Vec<OsString>),
    /// The ends of writing to its files.
    Closings,
}

#[derive(Debug)]
pub(super) struct Watch {
    queue: Queue,
    tree: Tree,
    triggers: Triggers,
    told: Told,
    removals: Removals,
    to_read: VecDeque<(FolderId, Want)>,
    /// What could not be read, because the folder is not where it was: another change will tell where it is.
    lost: Vec<(FolderId, Want)>,
    /// Whether something came into being that has to be looked at before anything goes on.
    alarm: bool,
    /// Whether a plan that was made before may leave something out.
    news: bool,
    overflowed: bool,
    /// Whether anything was told since the last look.
    changed: bool,
    gap: Option<String>,
    /// Whether nobody was told of the gap.
    has_new_gap: bool,
    /// Whether what is found now is new, and was not there before there was a watch.
    has_begun: bool,
}

impl Watch {
    /// Watches all folders of a policy; the masked names of those that are only read are looked for, too.
    pub(super) fn start(policy: &SandboxPolicy) -> io::Result<Self> {
        let mut watch = Self {
            queue: Queue::open()?,
            tree: Tree::default(),
            triggers: Triggers::new(policy),
            told: Told::new(),
            removals: Removals::default(),
            to_read: VecDeque::new(),
            lost: Vec::new(),
            alarm: false,
            news: false,
            overflowed: false,
            changed: false,
            gap: None,
            has_new_gap: false,
            has_begun: false,
        };
        let writable = policy.roots();
        let writable = outermost(writable.map(|folder| real(folder)).collect());
        let is_writable = |path: &Path| writable.iter().any(|root| path.starts_with(root));
        let readable = policy.readable.iter().map(|folder| real(folder));
        let readable = readable.filter(|path| !is_writable(path) && path.is_dir());
        let readable = outermost(readable.collect());
        for root in &writable {
            watch.add_root(root, true)?;
        }
        if watch.triggers.has_masked() {
            for root in &readable {
                watch.add_root(root, false)?;
            }
        }
        watch.read_folders();
        watch.alarm = false;
        watch.news = false;
        watch.has_new_gap = false;
        watch.has_begun = true;
        Ok(watch)
    }

    fn add_root(&mut self, path: &Path, writable: bool) -> io::Result<()> {
        let opened =
            tree::open_root(path).and_then(|folder| Ok((self.queue.add(&folder)?, folder)));
        let (id, folder) = match opened {
            Ok(opened) => opened,
            // What cannot be read here cannot be read by a command.
            Err(_) if !writable => return Ok(()),
            Err(error) => return Err(error),
        };
        self.tree.add_root(id, path, folder, writable);
        self.to_read.push_back((id, Want::All));
        Ok(())
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }

    /// Whether something came into being that has to be looked at before anything goes on.
    pub(super) fn has_alarm(&self) -> bool {
        self.alarm
    }

    /// Whether a plan that was made before may leave something out.
    pub(super) fn has_news(&self) -> bool {
        self.news || self.alarm
    }

    /// Says that the alarm was looked into.
    pub(super) fn clear_alarm(&mut self) {
        self.alarm = false;
        self.news = true;
    }

    /// Says that a plan holds which knows all that came before.
    pub(super) fn clear_news(&mut self) {
        self.alarm = false;
        self.news = false;
    }

    /// Whether the kernel dropped changes since this was asked last.
    pub(super) fn take_overflow(&mut self) -> bool {
        std::mem::take(&mut self.overflowed)
    }

    /// Whether entries came or went since this was asked last.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed) || !self.lost.is_empty()
    }

    /// Why not all folders are watched; nothing where they are.
    pub(super) fn gap(&self) -> Option<&str> {
        self.gap.as_deref()
    }

    /// Why not all folders are watched, once, where they were before.
    pub(super) fn take_new_gap(&mut self) -> Option<&str> {
        let is_new = std::mem::take(&mut self.has_new_gap);
        self.gap.as_deref().filter(|_| is_new)
    }

    /// Returns what has changed since this was asked last, of what commands may change.
    pub(super) fn take_told(&mut self) -> ToldChanges {
        self.told.take_changes()
    }

    /// Opens the ways to what was seen, whatever the permissions on them are, until the result is dropped.
    pub(super) fn open_ways(&self) -> access::Opened {
        self.tree.open_ways()
    }

    /// Plans what is protected from what was seen.
    pub(super) fn plan(&self, policy: &SandboxPolicy) -> Protection {
        Protection::of(policy, self.tree.found())
    }

    /// Takes what has happened until now. What happens meanwhile is left for the next time: somebody outside may go on
    /// without an end.
    pub(super) fn drain(&mut self) {
        if !self.lost.is_empty() {
            self.read_folders();
        }
        let unreadable = |error: io::Error| format!("its queue cannot be read: {error}");
        let parts = match self.queue.parts() {
            Ok(parts) => parts,
            Err(error) => return self.leave_out(&unreadable(error)),
        };
        for _ in 0..parts {
            let part = match self.queue.take() {
                Ok(part) => part,
                Err(error) => return self.leave_out(&unreadable(error)),
            };
            if part.overflowed {
                self.overflowed = true;
                self.alarm = true;
            }
            if part.changes.is_empty() && !part.overflowed {
                return;
            }
            self.changed = true;
            for change in part.changes {
                self.take(change);
            }
            self.read_folders();
        }
    }

    /// Reads all folders again, after changes were dropped.
    pub(super) fn read_again(&mut self) {
        self.lost.clear();
        self.to_read = self
            .tree
            .ids()
            .into_iter()
            .map(|id| (id, Want::All))
            .collect();
        self.read_folders();
        self.alarm = true;
    }

    /// Forgets folders that were not found again. Nothing may run that could have moved them a moment ago.
    pub(super) fn forget_lost(&mut self) {
        self.read_folders();
        for (id, _) in std::mem::take(&mut self.lost) {
            self.tree.remove(id);
            self.queue.remove(id);
        }
    }

    fn take(&mut self, change: Change) {
        let Change { folder, name, kind } = change;
        match kind {
            ChangeKind::Gone => self.tree.remove(folder),
            ChangeKind::Written => {
                if self.tree.contains(folder) && Triggers::concerns_contents(&name) {
                    self.alarm = true;
                }
            }
            ChangeKind::Closed => self.tell(folder, &name),
            ChangeKind::Removed => self.take_removal(folder, &name),
            ChangeKind::NewFile => {
                self.note(folder, &name, false);
                self.tell(folder, &name);
            }
            ChangeKind::NewFolder => {
                self.note(folder, &name, true);
                match self.to_read.back_mut() {
                    Some((last, Want::Folders(names))) if *last == folder => names.push(name),
                    _ => self.to_read.push_back((folder, Want::Folders(vec![name]))),
                }
            }
        }
    }

    /// Takes a change of an entry, where changes of it are told.
    fn tell(&mut self, folder: FolderId, name: &OsStr) {
        let is_told = self.tree.is_writable(folder) && self.told.take(&self.tree, folder, name);
        if is_told && self.tree.begin_closings(folder) {
            self.to_read.push_back((folder, Want::Closings));
        }
    }

    /// Watches for the ends of writing to the files of a folder.
    fn follow_closings(&mut self, id: FolderId, folder: &OwnedFd) {
        if let Err(error) = self.queue.add_with_closings(folder)
            && self.tree.contains(id)
        {
            self.leave_out_folder(id, &error);
        }
    }

    /// Takes the name of an entry that is, or was, in a folder.
    fn note(&mut self, folder: FolderId, name: &OsStr, is_folder: bool) {
        if !self.tree.contains(folder) {
            return;
        }
        let is_masked = !is_folder && self.triggers.masks(name);
        self.tree.note(folder, name, is_masked);
        self.news |= is_masked;
        if self.tree.is_writable(folder) && self.triggers.concerns(&self.tree, folder, name) {
            self.alarm = true;
        }
    }

    /// Reads what is to be read, and what is found below.
    fn read_folders(&mut self) {
        // Where a folder is now may be told later than what happened in it.
        loop {
            let lost = self.lost.len();
            self.to_read.extend(self.lost.drain(..));
            self.read_once();
            if self.lost.is_empty() || self.lost.len() == lost {
                break;
            }
        }
        if self.lost.len() > LOST {
            self.alarm = true;
        }
    }

    fn read_once(&mut self) {
        while let Some((id, want)) = self.to_read.pop_front() {
            if !self.tree.contains(id) {
                continue;
            }
            match self.open(id) {
                None => self.lost.push((id, want)),
                Some(folder) => match want {
                    Want::All => self.list(id, &folder, false),
                    Want::Closings => self.follow_closings(id, &folder),
                    Want::Folders(names) => {
                        for name in names {
                            self.enter(id, &folder, &name);
                        }
                    }
                },
            }
        }
    }

    /// Opens a folder, if it is still where it was.
    fn open(&self, id: FolderId) -> Option<OwnedFd> {
        let folder = self.tree.open(id).ok()?;
        (self.queue.add(&folder).ok()? == id).then_some(folder)
    }

    fn list(&mut self, id: FolderId, folder: &OwnedFd, is_new: bool) {
        let entries = match access::list_opened(folder) {
            Ok(entries) => entries,
            // What is only readable and cannot be read here cannot be read by a command.
            Err(_) if !self.tree.is_writable(id) => return,
            Err(error) if tree::is_elsewhere(&error) => return,
            Err(_) if access::is_closed(folder) => return,
            Err(error) => return self.leave_out_folder(id, &error),
        };
        let mut folders = Vec::new();
        let may_tell = self.tree.is_writable(id);
        let mut tells = may_tell && self.told.may_concern_all_in(&self.tree, id);
        for entry in entries {
            let Ok(entry) = entry else {
                return self.leave_out("a folder cannot be read to its end");
            };
            let name = entry.file_name();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            self.note(id, &name, is_folder);
            tells |= may_tell && self.told.may_concern(&name);
            if is_new && self.has_begun && !is_folder {
                self.tell(id, &name);
            }
            if is_folder {
                folders.push(name);
            }
        }
        if tells && self.tree.begin_closings(id) {
            self.follow_closings(id, folder);
        }
        if !folders.is_empty() {
            self.to_read.push_back((id, Want::Folders(folders)));
        }
    }

    /// Watches a folder that was found in another one, and reads it if it is new.
    fn enter(&mut self, parent: FolderId, folder: &OwnedFd, name: &OsStr) {
        if self.tree.is_left_out(parent, name) {
            return;
        }
        match tree::open_in(folder, name) {
            Ok(opened) => {
                self.watch_folder(parent, &opened, name);
            }
            Err(error) if tree::is_elsewhere(&error) => {}
            Err(_) if !self.tree.is_writable(parent) || access::is_closed(folder) => {}
            Err(error) => self.leave_out_folder(parent, &error),
        }
    }

    fn watch_folder(
        &mut self,
        parent: FolderId,
        folder: &OwnedFd,
        name: &OsStr,
    ) -> Option<FolderId> {
        let id = match self.queue.add(folder) {
            Ok(id) => id,
            Err(error) if tree::is_elsewhere(&error) => return None,
            Err(_) if !self.tree.is_writable(parent) || access::is_closed(folder) => return None,
            Err(error) => {
                self.leave_out_folder(parent, &error);
                return None;
            }
        };
        // A folder may have been moved to where all files of it matter.
        let is_moved = |tree: &Tree| {
            tree.is_writable(id)
                && !tree.tells_closings(id)
                && self.told.may_concern_all_in(tree, id)
        };
        if self.tree.place(id, parent, name) || is_moved(&self.tree) {
            self.list(id, folder, true);
        }
        Some(id)
    }

    fn leave_out_folder(&mut self, parent: FolderId, error: &io::Error) {
        let path = self.tree.path(parent).unwrap_or_default();
        let why = match error.raw_os_error() {
            Some(libc::ENOSPC) => {
                "this user may watch no more folders (`sysctl fs.inotify.max_user_watches`)"
                    .to_owned()
            }
            _ => error.to_string(),
        };
        self.leave_out(&format!(
            "a folder in `{}` cannot be watched: {why}",
            path.display()
        ));
    }

    /// From now on, not everything is watched.
    fn leave_out(&mut self, why: &str) {
        self.alarm = true;
        if self.gap.is_none() {
            self.gap = Some(why.to_owned());
            self.has_new_gap = true;
        }
    }
}
