//! The state of all entries of the folders, by which the changes of commands are found.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::contents::{Contents, MAX_BYTES};
use super::state::{EntryState, Stamp, observe, observe_entry};
use crate::sandbox::{LocalFs, SandboxFs as _};

/// The greatest number of entries that are compared.
const MAX_ENTRIES: usize = 20_000;
/// The greatest number of files whose contents are held.
const MAX_HELD_FILES: usize = 2_000;
/// Why the contents of a file before a command are not known.
const NOT_HELD: &str =
    "the contents of 2,000 files and 50 MB are held while a command runs, and it is not among them";
/// The greatest step of the clock of a file system: a file that changed within it can change again unnoticed.
const CLOCK_STEP: Duration = Duration::from_millis(20);

/// The entries of the folders as of the last scan.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    seen: BTreeMap<PathBuf, Seen>,
    is_taken: bool,
    /// The folders whose entries are not compared.
    pub(super) skipped: BTreeSet<PathBuf>,
    /// Whether there are more entries than are compared.
    pub(super) is_partial: bool,
}

#[derive(Debug, Clone)]
struct Seen {
    stamp: Stamp,
    state: EntryState,
    /// Whether the file changed so recently that the stamp proves nothing.
    is_recent: bool,
}

/// A change that a scan has found.
#[derive(Debug)]
pub(super) struct FoundChange {
    pub(super) path: PathBuf,
    pub(super) before: EntryState,
    pub(super) after: EntryState,
}

impl Snapshot {
    /// Compares the folders with the last scan; the first scan finds no change. The contents of the files are held.
    pub(super) fn scan(&mut self, files: &LocalFs, contents: &mut Contents) -> Vec<FoundChange> {
        if contents.held_bytes() > MAX_BYTES / 2 && self.live_bytes() < MAX_BYTES / 4 {
            self.hold_again(contents);
        }
        let before = std::mem::take(&mut self.seen);
        self.skipped.clear();
        self.is_partial = false;
        let mut held_files = 0;
        let mut pending: VecDeque<PathBuf> = files.roots().iter().cloned().collect();
        let recent = nanoseconds(SystemTime::now().checked_sub(CLOCK_STEP));
        while let Some(folder) = pending.pop_front() {
            let left = MAX_ENTRIES.saturating_sub(self.seen.len());
            let Ok((entries, truncated)) = files.entries_in(&folder, left) else {
                // What cannot be listed is not compared.
                self.skipped.insert(folder);
                continue;
            };
            self.is_partial |= truncated;
            for (name, stat) in entries {
                let path = folder.join(&name);
                let stamp = Stamp::from_metadata(&stat);
                let old = before.get(&path);
                let same = old.filter(|old| old.stamp == stamp && !old.is_recent);
                held_files += usize::from(stat.is_file());
                let state = match same {
                    Some(old) => old.state.clone(),
                    None => read_entry(files, contents, &path, &stat, held_files),
                };
                if stat.is_dir() {
                    if is_skipped(files, &path) {
                        self.skipped.insert(path.clone());
                    } else {
                        pending.push_back(path.clone());
                    }
                }
                let is_recent = stamp.changed >= recent;
                let seen = Seen {
                    stamp,
                    state,
                    is_recent,
                };
                self.seen.insert(path, seen);
            }
        }
        if !std::mem::replace(&mut self.is_taken, true) {
            return Vec::new();
        }
        self.compare(&before)
    }

    fn compare(&self, before: &BTreeMap<PathBuf, Seen>) -> Vec<FoundChange> {
        let mut found = Vec::new();
        let state_in = |entries: &BTreeMap<PathBuf, Seen>, path: &PathBuf| {
            let seen = entries.get(path);
            seen.map_or(EntryState::Absent, |seen| seen.state.clone())
        };
        let paths: BTreeSet<&PathBuf> = before.keys().chain(self.seen.keys()).collect();
        for path in paths {
            let (old, new) = (before.get(path), self.seen.get(path));
            if old.map(|old| old.stamp) == new.map(|new| new.stamp)
                && old.map(|old| &old.state) == new.map(|new| &new.state)
            {
                continue;
            }
            // Of a folder that is no longer compared, nothing is known; its entries are not gone.
            let is_below = self
                .skipped
                .iter()
                .any(|skipped| path.starts_with(skipped) && path != skipped);
            if new.is_none() && (is_below || self.is_partial) {
                continue;
            }
            let (before, after) = (state_in(before, path), state_in(&self.seen, path));
            if before != after || matches!(after, EntryState::Unknown { .. }) {
                let path = path.clone();
                found.push(FoundChange {
                    path,
                    before,
                    after,
                });
            }
        }
        found
    }

    /// Replaces the state of one entry after a change that is recorded already.
    pub(super) fn update(
        &mut self,
        files: &LocalFs,
        contents: &mut Contents,
        path: &Path,
    ) -> EntryState {
        let stat = files.entry(path).ok().flatten();
        let Some(stat) = stat.filter(|_| self.is_taken) else {
            self.seen.remove(path);
            return observe(files, path).0;
        };
        let state = read_entry(files, contents, path, &stat, 0);
        let seen = Seen {
            stamp: Stamp::from_metadata(&stat),
            state: state.clone(),
            is_recent: true,
        };
        self.seen.insert(path.to_owned(), seen);
        state
    }

    /// Returns the state of an entry as of the last scan, if there was one.
    pub(super) fn state(&self, path: &Path) -> Option<EntryState> {
        let is_below = self.skipped.iter().any(|skipped| path.starts_with(skipped));
        if !self.is_taken || is_below || self.is_partial {
            return None;
        }
        let seen = self.seen.get(path);
        Some(seen.map_or(EntryState::Absent, |seen| seen.state.clone()))
    }

    fn live_bytes(&self) -> u64 {
        let sizes = self.seen.values().map(|seen| match seen.state {
            EntryState::File { size, .. } => size,
            _ => 0,
        });
        sizes.sum()
    }

    /// Releases the contents that are held, and reads all files again.
    fn hold_again(&mut self, contents: &mut Contents) {
        contents.release_held();
        for seen in self.seen.values_mut() {
            seen.is_recent = true;
        }
    }
}

fn read_entry(
    files: &LocalFs,
    contents: &mut Contents,
    path: &Path,
    stat: &fs::Metadata,
    held_files: usize,
) -> EntryState {
    let is_beyond = held_files > MAX_HELD_FILES || contents.held_bytes() + stat.len() > MAX_BYTES;
    if stat.is_file() && is_beyond {
        return EntryState::Unknown {
            why: NOT_HELD.to_owned(),
            stamp: Some(format!("{:?}", Stamp::from_metadata(stat))),
        };
    }
    let (state, bytes) = observe_entry(files, path, stat);
    if let (EntryState::File { sha256, .. }, Some(bytes)) = (&state, bytes) {
        contents.hold(sha256, &bytes);
    }
    state
}

/// Reports whether the entries of a folder are not compared: the records of Git, the packages of others, and caches.
fn is_skipped(files: &LocalFs, folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    if matches!(name, Some(".git" | ".hg" | ".jj" | ".svn" | "node_modules")) {
        return true;
    }
    let is_there =
        |name: &str| matches!(files.entry(&folder.join(name)), Ok(Some(stat)) if stat.is_file());
    is_there("CACHEDIR.TAG") || is_there("pyvenv.cfg")
}

fn nanoseconds(time: Option<SystemTime>) -> i128 {
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(i128::MIN, |since| {
        i128::try_from(since.as_nanos()).unwrap_or(i128::MAX)
    })
}
