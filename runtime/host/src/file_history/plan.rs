//! What a rewind would restore.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::contents;
use super::history::{FileHistory, MAX_TREE_ENTRIES};
use super::log::{ChangeSource, HistoryRecord};
use super::state::{EntryState, observe};

/// What a rewind of the files would restore.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RewindPlan {
    /// The entries that differ from that time, by path.
    pub rows: Vec<RewindRow>,
    /// What else changed since, of which nothing is known.
    pub notes: Vec<String>,
}

/// An entry that differs from an earlier time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RewindRow {
    /// The absolute path.
    pub path: PathBuf,
    /// The path, relative to the first folder.
    pub display: String,
    /// The state now.
    pub current: EntryState,
    /// The state at that time.
    pub target: EntryState,
    /// What changed the entry since.
    pub by: Vec<ChangeSource>,
    /// Whether the entry can be restored.
    pub status: RowStatus,
}

/// Whether an entry can be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowStatus {
    /// The entry is as the session left it.
    Ready,
    /// Something else has changed the entry, too; restoring loses that change.
    ChangedElsewhere,
    /// The entry cannot be restored, for this reason.
    NotKept(String),
}

/// What the log says of one entry since a position.
struct EntryChanges {
    target: EntryState,
    /// The states in which the session may have left the entry: two, if a change was interrupted.
    left: Vec<EntryState>,
    by: BTreeSet<ChangeSource>,
    is_changed_elsewhere: bool,
}

impl FileHistory {
    /// Counts the entries that the session changed from one position to another.
    #[must_use]
    pub fn count_changes(&self, from: u64, to: u64) -> usize {
        let mut paths = BTreeSet::new();
        for record in self.records(from, to) {
            if let HistoryRecord::Change {
                path,
                before,
                after,
                ..
            } = record
                && !(is_folder(before) || is_folder(after))
            {
                paths.insert(path);
            }
        }
        paths.len()
    }

    fn records(&self, from: u64, to: u64) -> &[HistoryRecord] {
        let records = &self.log.records;
        let index = |position: u64| {
            usize::try_from(position).map_or(records.len(), |at| at.min(records.len()))
        };
        let (from, to) = (index(from), index(to));
        &records[from.min(to)..to]
    }

    /// Compares the files with a position.
    pub fn plan(&mut self, position: u64) -> RewindPlan {
        if self.is_running() {
            self.settle();
        }
        let mut rows = Vec::new();
        for (path, changes) in self.changes_since(position) {
            let (current, _) = observe(&self.files, &path);
            if current.agrees_with(&changes.target) {
                continue;
            }
            let is_left = changes.left.iter().any(|left| left.agrees_with(&current));
            let status = match self.obstacle(&changes.target) {
                Some(why) => RowStatus::NotKept(why),
                None if changes.is_changed_elsewhere || !is_left => RowStatus::ChangedElsewhere,
                None => RowStatus::Ready,
            };
            rows.push(RewindRow {
                display: self.display(&path),
                path,
                current,
                target: changes.target,
                by: changes.by.into_iter().collect(),
                status,
            });
        }
        self.find_folders_in_use(&mut rows);
        RewindPlan {
            rows,
            notes: self.notes(position),
        }
    }

    fn changes_since(&self, position: u64) -> BTreeMap<PathBuf, EntryChanges> {
        let mut changes: BTreeMap<PathBuf, EntryChanges> = BTreeMap::new();
        for record in self.records(position, u64::MAX) {
            match record {
                HistoryRecord::Change {
                    path,
                    before,
                    after,
                    by,
                } => {
                    let entry = changes.entry(path.clone()).or_insert_with(|| EntryChanges {
                        target: before.clone(),
                        left: vec![before.clone()],
                        by: BTreeSet::new(),
                        is_changed_elsewhere: false,
                    });
                    let follows = entry.left.iter().any(|left| left.agrees_with(before));
                    entry.is_changed_elsewhere |=
                        !follows || matches!(by, ChangeSource::Background(_));
                    entry.left = vec![before.clone(), after.clone()];
                    entry.by.insert(by.clone());
                }
                HistoryRecord::Left { path, state } => {
                    if let Some(entry) = changes.get_mut(path) {
                        entry.left = vec![state.clone()];
                    }
                }
                _ => {}
            }
        }
        changes
    }

    /// Returns the reason why a state cannot be restored.
    fn obstacle(&self, target: &EntryState) -> Option<String> {
        match target {
            EntryState::File { sha256, .. } if self.contents.read(sha256).is_none() => {
                let megabytes = contents::MAX_BYTES >> 20;
                Some(format!(
                    "its contents before are not kept (a session keeps 2,000 files and {megabytes} MB)"
                ))
            }
            EntryState::Unknown { why, .. } => {
                Some(format!("its contents before are not known: {why}"))
            }
            _ => None,
        }
    }

    /// Finds folders that would be removed, though they have entries that stay.
    fn find_folders_in_use(&self, rows: &mut [RewindRow]) {
        let goes = |row: &&RewindRow| {
            let stays = is_folder(&row.current) && is_folder(&row.target)
                || matches!(row.status, RowStatus::NotKept(_));
            !stays && (row.target == EntryState::Absent || is_folder(&row.current))
        };
        let going = rows.iter().filter(goes).map(|row| row.path.clone());
        let mut going: BTreeSet<PathBuf> = going.collect();
        // The rows are in the order of their paths, so that a folder comes after what is below it.
        for row in rows.iter_mut().rev() {
            if !is_folder(&row.current) || !going.contains(&row.path) {
                continue;
            }
            if let Some(name) = self.find_staying(&row.path, &going) {
                going.remove(&row.path);
                row.status = RowStatus::NotKept(format!("it contains `{name}`, which stays"));
            }
        }
    }

    fn find_staying(&self, folder: &Path, going: &BTreeSet<PathBuf>) -> Option<String> {
        let (entries, _) = self.files.entries_in(folder, MAX_TREE_ENTRIES).ok()?;
        let mut names = entries.into_iter().map(|(name, _)| name);
        let staying = names.find(|name| !going.contains(&folder.join(name)))?;
        Some(staying.to_string_lossy().into_owned())
    }

    /// Returns what changed since a position of which nothing is known.
    fn notes(&self, position: u64) -> Vec<String> {
        let mut notes = Vec::new();
        let mut unseen = BTreeSet::new();
        for record in self.records(position, u64::MAX) {
            match record {
                HistoryRecord::Gap { what } => notes.push(what.clone()),
                HistoryRecord::Settled { skipped, .. } => unseen.extend(skipped),
                _ => {}
            }
        }
        if !unseen.is_empty() {
            let unseen: Vec<&str> = unseen.into_iter().map(String::as_str).collect();
            notes.push(format!(
                "what commands changed here is not known: {}",
                unseen.join(", ")
            ));
        }
        if let Some(failure) = &self.failure {
            notes.push(format!("some changes were not recorded: {failure}"));
        }
        notes
    }
}

fn is_folder(state: &EntryState) -> bool {
    matches!(state, EntryState::Folder { .. })
}
