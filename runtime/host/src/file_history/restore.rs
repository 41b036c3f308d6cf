//! Restores files to an earlier time.

use std::io;
use std::path::{Path, PathBuf};

use super::history::FileHistory;
use super::log::ChangeSource;
use super::plan::{RewindRow, RowStatus};
use super::state::{EntryState, observe};
use crate::sandbox::{Change, FsError, WriteCondition, file_version};

/// What a rewind has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RewindReport {
    /// The number of entries that were restored.
    pub restored: usize,
    /// The entries that could not be restored, each with the reason.
    pub failed: Vec<(String, String)>,
}

impl FileHistory {
    /// Restores entries of a plan, except those whose contents are not kept. Their states now are kept first, so that
    /// the rewind can be undone by another one.
    ///
    /// An entry that changed since the plan was made is not restored.
    ///
    /// # Errors
    /// The states now cannot be recorded; nothing was restored.
    pub fn restore(&mut self, rows: &[RewindRow]) -> io::Result<RewindReport> {
        let rows: Vec<&RewindRow> = rows
            .iter()
            .filter(|row| !matches!(row.status, RowStatus::NotKept(_)))
            .collect();
        let wanted: Vec<(PathBuf, EntryState)> = rows
            .iter()
            .map(|row| (row.path.clone(), row.target.clone()))
            .collect();
        self.record_changes(&wanted, &ChangeSource::Rewind)?;
        let mut outcomes: Vec<Result<(), String>> =
            rows.iter().map(|row| self.check_current(row)).collect();
        let mut run = |step: Step| {
            // What is removed goes from the end, so that a folder is empty when it is removed.
            let order: Vec<usize> = match step {
                Step::Remove | Step::FinishFolder => (0..rows.len()).rev().collect(),
                Step::Create => (0..rows.len()).collect(),
            };
            for index in order {
                if outcomes[index].is_ok() {
                    outcomes[index] = self
                        .perform(step, rows[index])
                        .map_err(|error| error.to_string());
                }
            }
        };
        run(Step::Remove);
        run(Step::Create);
        run(Step::FinishFolder);
        let mut report = RewindReport::default();
        for (row, outcome) in rows.iter().zip(outcomes) {
            match outcome {
                Ok(()) => report.restored += 1,
                Err(why) => report.failed.push((row.display.clone(), why)),
            }
        }
        let paths: Vec<PathBuf> = wanted.into_iter().map(|(path, _)| path).collect();
        self.end_changes(&paths);
        Ok(report)
    }

    fn check_current(&self, row: &RewindRow) -> Result<(), String> {
        let (current, _) = observe(&self.files, &row.path);
        if current == row.current {
            return Ok(());
        }
        Err("it has changed since the question; run /rewind again".to_owned())
    }

    fn perform(&self, step: Step, row: &RewindRow) -> Result<(), FsError> {
        let path = &row.path;
        let (is_now, becomes) = (is_folder(&row.current), is_folder(&row.target));
        match step {
            // A folder without the permission to write is opened up until its entries are restored.
            Step::Remove if is_now && becomes => self.open_up(row),
            Step::Remove if row.current == EntryState::Absent => Ok(()),
            Step::Remove if is_file(&row.current) && is_file(&row.target) => Ok(()),
            Step::Remove => self
                .files
                .change_entry(path, &[remove(path, WriteCondition::Always)]),
            Step::Create if becomes && !is_now => {
                self.files.create_folder_entry(path)?;
                self.open_up(row)
            }
            Step::Create => match &row.target {
                EntryState::File { .. } => self.write_file(row),
                EntryState::Link { target } => self.files.create_link_entry(path, target),
                _ => Ok(()),
            },
            Step::FinishFolder if becomes => self.set_mode(path, row.target.mode()),
            Step::FinishFolder => Ok(()),
        }
    }

    fn open_up(&self, row: &RewindRow) -> Result<(), FsError> {
        self.set_mode(&row.path, row.target.mode().map(|mode| mode | 0o700))
    }

    fn write_file(&self, row: &RewindRow) -> Result<(), FsError> {
        let path = &row.path;
        if same_contents(&row.current, &row.target) {
            return self.set_mode(path, row.target.mode());
        }
        let lost = || FsError::Io {
            path: row.display.clone(),
            source: io::Error::other("the contents that were kept are damaged"),
        };
        let bytes = self.contents(&row.target).ok_or_else(lost)?;
        let there = self.files.entry(path)?;
        let write = |condition: WriteCondition| Change::Write {
            path: path.clone(),
            bytes: bytes.clone(),
            condition,
        };
        let Some(there) = there else {
            self.files
                .change_entry(path, &[write(WriteCondition::Absent)])?;
            return self.set_mode(path, row.target.mode());
        };
        let unchanged =
            file_version(&there).map_or(WriteCondition::Always, WriteCondition::Unchanged);
        match self.files.change_entry(path, &[write(unchanged.clone())]) {
            // A file that its owner cannot write is removed and created again.
            Err(FsError::PermissionDenied { .. }) => {
                let again = [remove(path, unchanged), write(WriteCondition::Absent)];
                self.files.change_entry(path, &again)?;
            }
            replaced => replaced?,
        }
        self.set_mode(path, row.target.mode())
    }

    fn set_mode(&self, path: &Path, mode: Option<u32>) -> Result<(), FsError> {
        #[cfg(unix)]
        if let Some(mode) = mode {
            return self.files.set_entry_mode(path, mode);
        }
        let _ = (path, mode);
        Ok(())
    }
}

/// The steps of a rewind: each is done for all entries before the next one.
#[derive(Debug, Clone, Copy)]
enum Step {
    Remove,
    Create,
    FinishFolder,
}

fn remove(path: &Path, condition: WriteCondition) -> Change {
    Change::Remove {
        path: path.to_owned(),
        condition,
    }
}

fn is_folder(state: &EntryState) -> bool {
    matches!(state, EntryState::Folder { .. })
}

fn is_file(state: &EntryState) -> bool {
    matches!(state, EntryState::File { .. })
}

fn same_contents(one: &EntryState, other: &EntryState) -> bool {
    is_file(one) && one.clone().with_mode(None) == other.clone().with_mode(None)
}
