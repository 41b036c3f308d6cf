//! The history itself: records the changes, and what was before them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::contents::{Contents, MAX_BYTES};
use super::log::{ChangeSource, HistoryRecord, Log};
use super::snapshot::Snapshot;
use super::state::{EntryState, observe};
use crate::sandbox::{LocalFs, SandboxFs as _};
use helve_storage::file_lock::FileLock;
use helve_storage::private_files;

/// The greatest number of entries of a folder that is removed or moved at once.
pub(super) const MAX_TREE_ENTRIES: usize = 20_000;

/// The history of the files of a session.
#[derive(Debug)]
pub struct FileHistory {
    pub(super) files: LocalFs,
    pub(super) log: Log,
    pub(super) contents: Contents,
    snapshot: Snapshot,
    /// The command lines that run and may write, by the ids of their processes.
    running: BTreeMap<String, String>,
    /// Whether no turn runs, so that a change may be the user's.
    is_idle: bool,
    /// The error of the first record that could not be written.
    pub(super) failure: Option<String>,
    _lock: FileLock,
}

/// A change that a tool is about to make.
#[derive(Debug)]
pub(crate) enum Intent {
    /// An entry gets this state.
    Set(PathBuf, EntryState),
    /// An entry is removed, and everything below it.
    Remove(PathBuf),
    /// An entry is moved.
    Move(PathBuf, PathBuf),
}

impl FileHistory {
    /// Opens the history in a folder, which is created if it does not exist, and locks it. `files` are the files that
    /// are restored.
    ///
    /// # Errors
    /// The folder cannot be read or written, or another process has opened the history.
    pub fn open(folder: &Path, files: LocalFs) -> io::Result<Self> {
        Self::with_limit(folder, files, MAX_BYTES)
    }

    /// Opens a history that keeps this number of bytes at most.
    #[doc(hidden)]
    pub fn with_limit(folder: &Path, files: LocalFs, limit: u64) -> io::Result<Self> {
        private_files::create_folder(folder)?;
        let lock = FileLock::try_lock(private_files::read_write().open(folder.join("lock"))?)?;
        let lock = lock.ok_or_else(|| {
            let why = "another process uses the history of the files";
            io::Error::new(io::ErrorKind::WouldBlock, why)
        })?;
        let mut contents = Contents::open(folder, limit)?;
        let mut log = Log::open(&folder.join("log"))?;
        let mut unsettled = BTreeMap::new();
        for record in &log.records {
            match record {
                HistoryRecord::Content { sha256, at, size } => {
                    contents.add_recorded(sha256, *at, *size)
                }
                HistoryRecord::Command { id, line } => {
                    drop(unsettled.insert(id.clone(), line.clone()))
                }
                HistoryRecord::Settled { id, .. } => drop(unsettled.remove(id)),
                _ => {}
            }
        }
        // The process ended while these ran.
        for (id, line) in unsettled {
            let what = format!("`{line}` was interrupted; what it changed is not known");
            let settled = HistoryRecord::Settled {
                id,
                skipped: Vec::new(),
            };
            log.append(vec![HistoryRecord::Gap { what }, settled], false)?;
        }
        Ok(Self {
            files,
            log,
            contents,
            snapshot: Snapshot::default(),
            running: BTreeMap::new(),
            is_idle: false,
            failure: None,
            _lock: lock,
        })
    }

    /// Returns the current position, to which the files can be put back later.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.log.records.len() as u64
    }

    /// Returns contents that are kept, if the state is that of a file.
    #[must_use]
    pub fn contents(&self, state: &EntryState) -> Option<Vec<u8>> {
        match state {
            EntryState::File { sha256, .. } => self.contents.read(sha256),
            _ => None,
        }
    }

    /// Reads the contents that a file has now, if it is still in this state.
    #[must_use]
    pub fn current_contents(&self, path: &Path, state: &EntryState) -> Option<Vec<u8>> {
        let (current, bytes) = observe(&self.files, path);
        bytes.filter(|_| current == *state)
    }

    /// Records the changes that a tool is about to make, with the states before. Returns the paths.
    ///
    /// # Errors
    /// Nothing was recorded, and the changes must not be made.
    pub(crate) fn begin_changes(&mut self, intents: Vec<Intent>) -> io::Result<Vec<PathBuf>> {
        let mut wanted: Vec<(PathBuf, EntryState)> = Vec::new();
        for intent in intents {
            match intent {
                Intent::Set(path, after) => {
                    self.add_missing_folders(&path, &mut wanted);
                    wanted.push((path, after));
                }
                Intent::Remove(path) => {
                    for below in self.tree(&path) {
                        wanted.push((below, EntryState::Absent));
                    }
                }
                Intent::Move(from, to) => {
                    self.add_missing_folders(&to, &mut wanted);
                    for below in self.tree(&from) {
                        let (state, _) = observe(&self.files, &below);
                        let rest = below.strip_prefix(&from).unwrap_or(Path::new(""));
                        let new = if rest.as_os_str().is_empty() {
                            to.clone()
                        } else {
                            to.join(rest)
                        };
                        wanted.push((below, EntryState::Absent));
                        wanted.push((new, state));
                    }
                }
            }
        }
        self.record_changes(&wanted, &ChangeSource::Tool)?;
        Ok(wanted.into_iter().map(|(path, _)| path).collect())
    }

    /// Records changes that are about to be made, on the disk.
    pub(super) fn record_changes(
        &mut self,
        wanted: &[(PathBuf, EntryState)],
        by: &ChangeSource,
    ) -> io::Result<()> {
        let mut records = Vec::new();
        for (path, after) in wanted {
            self.settle_entry(path, &mut records);
            let (before, bytes) = observe(&self.files, path);
            if let (EntryState::File { sha256, size, .. }, Some(bytes)) = (&before, bytes) {
                self.keep(sha256, &bytes, *size, &mut records);
            }
            let after = match after.mode() {
                None => after.clone().with_mode(before.mode()),
                Some(_) => after.clone(),
            };
            let (path, by) = (path.clone(), by.clone());
            records.push(HistoryRecord::Change {
                path,
                before,
                after,
                by,
            });
        }
        self.append(records, true)
    }

    /// Records the states that changes have left.
    pub(crate) fn end_changes(&mut self, paths: &[PathBuf]) {
        let mut records = Vec::new();
        for path in paths {
            let state = self.snapshot.update(&self.files, &mut self.contents, path);
            let path = path.clone();
            records.push(HistoryRecord::Left { path, state });
        }
        let _ = self.append(records, false);
    }

    /// Adds the folders that have to be created for an entry.
    fn add_missing_folders(&self, path: &Path, wanted: &mut Vec<(PathBuf, EntryState)>) {
        let mut missing = Vec::new();
        for folder in path.ancestors().skip(1) {
            let is_known = wanted.iter().any(|(known, _)| known == folder);
            let is_root = self.files.roots().iter().any(|root| root == folder);
            if is_known || is_root || !matches!(self.files.entry(folder), Ok(None)) {
                break;
            }
            missing.push((folder.to_owned(), EntryState::Folder { mode: None }));
        }
        wanted.extend(missing.into_iter().rev());
    }

    /// Lists an entry and everything below it, each folder before its entries.
    fn tree(&self, path: &Path) -> Vec<PathBuf> {
        let mut all = vec![path.to_owned()];
        let mut next = 0;
        while next < all.len() && all.len() < MAX_TREE_ENTRIES {
            let folder = all[next].clone();
            next += 1;
            let is_folder = matches!(self.files.entry(&folder), Ok(Some(stat)) if stat.is_dir());
            if is_folder && let Ok((entries, _)) = self.files.entries_in(&folder, MAX_TREE_ENTRIES)
            {
                all.extend(entries.into_iter().map(|(name, _)| folder.join(name)));
            }
        }
        all
    }

    /// Keeps contents, and adds the record of them. Contents that exceed the limit, or that the disk has no place for,
    /// are not kept, which a rewind reports.
    fn keep(&mut self, sha256: &str, bytes: &[u8], size: u64, records: &mut Vec<HistoryRecord>) {
        match self.contents.keep(sha256, bytes) {
            Ok(Some(at)) => records.push(HistoryRecord::Content {
                sha256: sha256.to_owned(),
                at,
                size,
            }),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the contents of a file could not be kept"),
        }
    }

    pub(super) fn append(
        &mut self,
        records: Vec<HistoryRecord>,
        is_synced: bool,
    ) -> io::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        let has_contents = |record: &HistoryRecord| matches!(record, HistoryRecord::Content { .. });
        let mut written = Ok(());
        if is_synced && records.iter().any(has_contents) {
            written = self.contents.sync();
        }
        let written = written.and_then(|()| self.log.append(records, is_synced));
        if let Err(error) = &written {
            self.failure.get_or_insert_with(|| error.to_string());
        }
        written
    }

    /// Records that a command starts that may write. The folders are scanned first.
    pub(crate) fn command_started(&mut self, id: &str, line: &str) {
        self.settle();
        let (id, line) = (id.to_owned(), line.to_owned());
        self.running.insert(id.clone(), line.clone());
        let _ = self.append(vec![HistoryRecord::Command { id, line }], true);
    }

    /// Records what changed until the end of a command.
    pub(crate) fn command_ended(&mut self, id: &str) {
        if !self.running.contains_key(id) {
            return;
        }
        self.settle();
        self.running.remove(id);
        let mut skipped: Vec<String> = self
            .snapshot
            .skipped
            .iter()
            .map(|path| self.display(path))
            .collect();
        if self.snapshot.is_partial {
            skipped.push("what exceeds 20,000 files and folders".to_owned());
        }
        let id = id.to_owned();
        let _ = self.append(vec![HistoryRecord::Settled { id, skipped }], false);
    }

    /// Reports whether a command runs that may write.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// Reports whether a process is a command that may write.
    pub(crate) fn runs(&self, id: &str) -> bool {
        self.running.contains_key(id)
    }

    /// Scans the folders, and records what the commands that run have changed since the last scan.
    pub fn settle(&mut self) {
        let found = self.snapshot.scan(&self.files, &mut self.contents);
        if self.running.is_empty() {
            return;
        }
        let mut records = Vec::new();
        for change in found {
            let after = match change.after {
                // The scan did not read it.
                EntryState::Unknown { .. } => observe(&self.files, &change.path).0,
                known => known,
            };
            self.add_found(change.path, change.before, after, &mut records);
        }
        let _ = self.append(records, true);
    }

    /// Sets whether a turn runs. What commands in the background have changed until now is recorded first.
    pub fn set_idle(&mut self, is_idle: bool) {
        if self.is_running() {
            self.settle();
        }
        self.is_idle = is_idle;
    }

    /// Records the end of the commands that run, when the session ends.
    pub fn close(&mut self) {
        let running: Vec<String> = self.running.keys().cloned().collect();
        for id in running {
            self.command_ended(&id);
        }
    }

    /// Records what commands have changed of an entry that a tool is about to change.
    fn settle_entry(&mut self, path: &Path, records: &mut Vec<HistoryRecord>) {
        if self.running.is_empty() {
            return;
        }
        let Some(before) = self.snapshot.state(path) else {
            return;
        };
        let (after, _) = observe(&self.files, path);
        if before != after {
            self.add_found(path.to_owned(), before, after, records);
        }
    }

    fn add_found(
        &mut self,
        path: PathBuf,
        before: EntryState,
        after: EntryState,
        records: &mut Vec<HistoryRecord>,
    ) {
        if let EntryState::File { sha256, size, .. } = &before
            && !self.contents.is_kept(sha256)
            && let Some(bytes) = self.contents.read(sha256)
        {
            self.keep(sha256, &bytes, *size, records);
        }
        let lines: Vec<&str> = self.running.values().map(String::as_str).collect();
        let lines = lines.join("; ");
        let by = match self.is_idle {
            true => ChangeSource::Background(lines),
            false => ChangeSource::Command(lines),
        };
        let left = HistoryRecord::Left {
            path: path.clone(),
            state: after.clone(),
        };
        records.push(HistoryRecord::Change {
            path,
            before,
            after,
            by,
        });
        records.push(left);
    }

    /// Renders a path relative to the first folder.
    pub(super) fn display(&self, path: &Path) -> String {
        crate::sandbox::display_below(self.files.roots().first(), path)
    }
}
