//! A watch on the folders of a sandbox, which reports new files of a command immediately and without a scan of all
//! folders.
//!
//! A folder is watched before it is read, so that no new entry is missed. Folders may be renamed at any moment, so a
//! path is only used after the kernel has confirmed that it leads to the expected folder; a folder that replaced it is
//! reported by a separate event.

mod coverage;
mod queue;
mod reporter;
mod tree;
mod triggers;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::WatchFlags;

use super::protection::{outermost, real};
use super::{Protection, owner_access};
use crate::sandbox::SandboxPolicy;
use queue::{FolderId, InotifyQueue, WatchEvent, WatchEventKind};
use reporter::ChangeReporter;
pub(super) use reporter::ReportedChanges;
use tree::WatchTree;
pub(super) use triggers::Triggers;

/// The greatest number of moved folders that are waited for. Above it, folders are forgotten only while no command
/// runs.
const MAX_LOST_FOLDERS: usize = 10_000;

/// The pending reads of a folder.
#[derive(Debug)]
enum PendingRead {
    All,
    /// The subfolders with these names.
    Folders(Vec<OsString>),
    /// The events of closed files.
    CloseEvents,
}

#[derive(Debug)]
pub(super) struct Watch {
    queue: InotifyQueue,
    tree: WatchTree,
    triggers: Triggers,
    reporter: ChangeReporter,
    /// The folders that report removed entries.
    reports_removals: HashMap<PathBuf, FolderId>,
    /// The removed paths that a mount covered: the kernel removes the mount with the file.
    removed: BTreeSet<PathBuf>,
    pending_reads: VecDeque<(FolderId, PendingRead)>,
    /// The pending reads of folders that were moved: another event will report their new location.
    lost_reads: Vec<(FolderId, PendingRead)>,
    /// Whether a new file must be checked before commands continue.
    must_intervene: bool,
    /// Whether an earlier plan may be incomplete.
    is_plan_stale: bool,
    overflowed: bool,
    /// Whether an event occurred since the last check.
    changed: bool,
    gap: Option<String>,
    /// Whether the gap is not reported yet.
    has_new_gap: bool,
    /// Whether new findings are new files, not files that existed before the watch.
    has_begun: bool,
}

impl Watch {
    /// Watches all folders of a policy; read-only folders are watched for masked names.
    pub(super) fn start(policy: &SandboxPolicy) -> io::Result<Self> {
        let mut watch = Self {
            queue: InotifyQueue::open()?,
            tree: WatchTree::default(),
            triggers: Triggers::new(policy),
            reporter: ChangeReporter::new(),
            reports_removals: HashMap::new(),
            removed: BTreeSet::new(),
            pending_reads: VecDeque::new(),
            lost_reads: Vec::new(),
            must_intervene: false,
            is_plan_stale: false,
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
        watch.must_intervene = false;
        watch.is_plan_stale = false;
        watch.has_new_gap = false;
        watch.has_begun = true;
        Ok(watch)
    }

    fn add_root(&mut self, path: &Path, writable: bool) -> io::Result<()> {
        let opened =
            tree::open_root(path).and_then(|folder| Ok((self.queue.add(&folder)?, folder)));
        match opened {
            Ok((id, folder)) => {
                self.tree.add_root(id, path, folder, writable);
                self.push_read(id, PendingRead::All);
                Ok(())
            }
            // A folder that cannot be read here cannot be read by a command.
            Err(_) if !writable => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }

    /// Reports whether a new file must be checked before commands continue.
    pub(super) fn must_intervene(&self) -> bool {
        self.must_intervene
    }

    /// Reports whether an earlier plan may be incomplete.
    pub(super) fn is_plan_stale(&self) -> bool {
        self.is_plan_stale || self.must_intervene
    }

    /// Marks the new files as checked, and the plan as stale.
    pub(super) fn clear_intervention(&mut self) {
        self.must_intervene = false;
        self.is_plan_stale = true;
    }

    /// Marks the plan as up to date with all events before it.
    pub(super) fn clear_stale_plan(&mut self) {
        self.must_intervene = false;
        self.is_plan_stale = false;
    }

    /// Reports whether the kernel dropped events since the last call.
    pub(super) fn take_overflow(&mut self) -> bool {
        std::mem::take(&mut self.overflowed)
    }

    /// Reports whether entries were created or removed since the last call.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed) || !self.lost_reads.is_empty()
    }

    /// Returns the reason why not all folders are watched; `None` if they are.
    pub(super) fn gap(&self) -> Option<&str> {
        self.gap.as_deref()
    }

    /// Returns the reason why not all folders are watched any more, once.
    pub(super) fn take_new_gap(&mut self) -> Option<&str> {
        let is_new = std::mem::take(&mut self.has_new_gap);
        self.gap.as_deref().filter(|_| is_new)
    }

    /// Returns the reportable changes since the last call.
    pub(super) fn take_reported(&mut self) -> ReportedChanges {
        self.reporter.take_changes()
    }

    /// Widens the permissions on the paths to all findings until the result is dropped.
    pub(super) fn widen_access(&self) -> owner_access::WidenedFolders {
        self.tree.widen_access()
    }

    /// Makes a plan from the findings of the watch.
    pub(super) fn plan(&self, policy: &SandboxPolicy) -> Protection {
        Protection::from_findings(policy, self.tree.findings())
    }

    /// Handles the pending events. Later events are left for the next call: a process outside may cause events without
    /// end.
    pub(super) fn drain(&mut self) {
        if !self.lost_reads.is_empty() {
            self.read_folders();
        }
        if let Err(error) = self.read_events() {
            self.record_gap(&format!("its queue cannot be read: {error}"));
        }
    }

    fn read_events(&mut self) -> io::Result<()> {
        for _ in 0..self.queue.batches()? {
            let part = self.queue.read_batch()?;
            if part.overflowed {
                self.overflowed = true;
                self.must_intervene = true;
            }
            if part.changes.is_empty() && !part.overflowed {
                break;
            }
            self.changed = true;
            for change in part.changes {
                self.handle_event(change);
            }
            self.read_folders();
        }
        Ok(())
    }

    /// Reads all folders again, after events were dropped.
    pub(super) fn read_again(&mut self) {
        self.lost_reads.clear();
        let all = self.tree.ids().map(|id| (id, PendingRead::All));
        self.pending_reads = all.collect();
        self.read_folders();
        self.must_intervene = true;
    }

    /// Forgets folders that were not found again. No command may run that could have just moved them.
    pub(super) fn discard_lost(&mut self) {
        self.read_folders();
        for (id, _) in std::mem::take(&mut self.lost_reads) {
            self.tree.remove(id);
            self.queue.remove(id);
        }
    }

    fn handle_event(&mut self, change: WatchEvent) {
        let WatchEvent { folder, name, kind } = change;
        match kind {
            WatchEventKind::Ignored => self.tree.remove(folder),
            WatchEventKind::Written => {
                if self.tree.contains(folder) && Triggers::is_judged_by_contents(&name) {
                    self.must_intervene = true;
                }
            }
            WatchEventKind::Closed => self.report_change(folder, &name),
            WatchEventKind::Removed => self.take_removal(folder, &name),
            WatchEventKind::NewFile => {
                self.record_name(folder, &name, false);
                self.report_change(folder, &name);
            }
            WatchEventKind::NewFolder => {
                self.record_name(folder, &name, true);
                match self.pending_reads.back_mut() {
                    Some((last, PendingRead::Folders(names))) if *last == folder => {
                        names.push(name)
                    }
                    _ => self.push_read(folder, PendingRead::Folders(vec![name])),
                }
            }
        }
    }

    /// Records a change of an entry, if such changes are reported.
    fn report_change(&mut self, folder: FolderId, name: &OsStr) {
        let is_told =
            self.tree.is_writable(folder) && self.reporter.record(&self.tree, folder, name);
        if is_told && self.tree.enable_closes(folder) {
            self.push_read(folder, PendingRead::CloseEvents);
        }
    }

    fn push_read(&mut self, folder: FolderId, want: PendingRead) {
        self.pending_reads.push_back((folder, want));
    }

    /// Watches a folder for closed files that were open for writing.
    fn follow_closings(&mut self, id: FolderId, folder: &OwnedFd) {
        if let Err(error) = self.queue.add_with(folder, WatchFlags::CLOSE_WRITE)
            && self.tree.contains(id)
        {
            self.record_folder_gap(id, &error);
        }
    }

    /// Records the name of an entry that is, or was, in a folder.
    fn record_name(&mut self, folder: FolderId, name: &OsStr, is_folder: bool) {
        if !self.tree.contains(folder) {
            return;
        }
        let is_masked = !is_folder && self.triggers.masks(name);
        self.tree.record_name(folder, name, is_masked);
        self.is_plan_stale |= is_masked;
        if self.tree.is_writable(folder) && self.triggers.must_check(&self.tree, folder, name) {
            self.must_intervene = true;
        }
    }

    /// Handles the pending reads, and those of folders found below.
    fn read_folders(&mut self) {
        // The new location of a folder may be reported after the events in it.
        loop {
            let lost = self.lost_reads.len();
            self.pending_reads.extend(self.lost_reads.drain(..));
            self.read_once();
            if self.lost_reads.is_empty() || self.lost_reads.len() == lost {
                break;
            }
        }
        if self.lost_reads.len() > MAX_LOST_FOLDERS {
            self.must_intervene = true;
        }
    }

    fn read_once(&mut self) {
        while let Some((id, want)) = self.pending_reads.pop_front() {
            if !self.tree.contains(id) {
                continue;
            }
            match self.open(id) {
                None => self.lost_reads.push((id, want)),
                Some(folder) => match want {
                    PendingRead::All => self.list(id, &folder, false),
                    PendingRead::CloseEvents => self.follow_closings(id, &folder),
                    PendingRead::Folders(names) => {
                        for name in names {
                            self.enter(id, &folder, &name);
                        }
                    }
                },
            }
        }
    }

    /// Opens a folder, if it is still at its recorded location.
    fn open(&self, id: FolderId) -> Option<OwnedFd> {
        let folder = self.tree.open(id).ok()?;
        (self.queue.add(&folder).ok()? == id).then_some(folder)
    }

    fn list(&mut self, id: FolderId, folder: &OwnedFd, is_new: bool) {
        let entries = match owner_access::list_fd(folder) {
            Ok(entries) => entries,
            Err(error) => return self.record_failure(id, folder, &error),
        };
        let mut folders = Vec::new();
        let may_tell = self.tree.is_writable(id);
        let mut tells = may_tell && self.reporter.may_matter_in(&self.tree, id);
        for entry in entries {
            let Ok(entry) = entry else {
                return self.record_gap("failed to read a folder completely");
            };
            let name = entry.file_name();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            self.record_name(id, &name, is_folder);
            tells |= may_tell && self.reporter.may_matter(&name);
            if is_new && self.has_begun && !is_folder {
                self.report_change(id, &name);
            }
            if is_folder {
                folders.push(name);
            }
        }
        if tells && self.tree.enable_closes(id) {
            self.follow_closings(id, folder);
        }
        if !folders.is_empty() {
            self.push_read(id, PendingRead::Folders(folders));
        }
    }

    /// Watches a folder that was found in another folder, and reads it if it is new.
    fn enter(&mut self, parent: FolderId, folder: &OwnedFd, name: &OsStr) {
        if self.tree.is_excluded(parent, name) {
            return;
        }
        match tree::open_in(folder, name) {
            Ok(opened) => {
                self.watch_folder(parent, &opened, name);
            }
            Err(error) => self.record_failure(parent, folder, &error),
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
            Err(error) => {
                self.record_failure(parent, folder, &error);
                return None;
            }
        };
        // A folder may have been moved to a location where all of its files are relevant.
        let is_moved = |tree: &WatchTree| {
            tree.is_writable(id)
                && !tree.reports_closes(id)
                && self.reporter.may_matter_in(tree, id)
        };
        if self.tree.insert(id, parent, name) || is_moved(&self.tree) {
            self.list(id, folder, true);
        }
        Some(id)
    }

    /// Records a failed watch or read, if a command could make changes there.
    fn record_failure(&mut self, parent: FolderId, folder: &OwnedFd, error: &io::Error) {
        // A read-only folder that cannot be read here cannot be read by a command.
        let is_gap = !tree::is_missing_or_not_folder(error)
            && self.tree.is_writable(parent)
            && !owner_access::is_unwritable(folder);
        if is_gap {
            self.record_folder_gap(parent, error);
        }
    }

    fn record_folder_gap(&mut self, parent: FolderId, error: &io::Error) {
        let path = self.tree.path(parent).unwrap_or_default();
        let why = match error.raw_os_error() {
            Some(libc::ENOSPC) => {
                "the limit of watched folders is reached (`sysctl fs.inotify.max_user_watches`)"
                    .to_owned()
            }
            _ => error.to_string(),
        };
        self.record_gap(&format!(
            "a folder in `{}` cannot be watched: {why}",
            path.display()
        ));
    }

    /// Records that not all folders are watched from now on.
    fn record_gap(&mut self, why: &str) {
        self.must_intervene = true;
        if self.gap.is_none() {
            self.gap = Some(why.to_owned());
            self.has_new_gap = true;
        }
    }
}
