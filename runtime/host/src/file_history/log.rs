//! The log of a history: one JSON object a line, in the order of time.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::state::{EntryState, path_text};
use helve_storage::private_files;

/// The cause of a change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeSource {
    /// A tool wrote the file.
    Tool,
    /// The file changed while these command lines ran.
    Command(String),
    /// The file changed between two turns, while these command lines ran in the background: they changed it, or the user
    /// did.
    Background(String),
    /// A rewind restored the file.
    Rewind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum HistoryRecord {
    /// Contents were kept at an offset.
    Content { sha256: String, at: u64, size: u64 },
    /// An entry changes, or was found to be changed. `after` is what is intended, until `Left` records what is there.
    Change {
        #[serde(with = "path_text")]
        path: PathBuf,
        before: EntryState,
        after: EntryState,
        by: ChangeSource,
    },
    /// A change was made, or failed, and left this state.
    Left {
        #[serde(with = "path_text")]
        path: PathBuf,
        state: EntryState,
    },
    /// A command that may write starts.
    Command { id: String, line: String },
    /// A command ended, and its changes are recorded, except below these folders.
    Settled {
        id: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skipped: Vec<String>,
    },
    /// Something changed of which nothing is known.
    Gap { what: String },
}

#[derive(Debug)]
pub(super) struct Log {
    file: File,
    end: u64,
    pub(super) records: Vec<HistoryRecord>,
}

impl Log {
    /// Opens the log. A line that was cut off at the end of the file is removed.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = private_files::read_write().open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let end = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let mut records = Vec::new();
        for line in bytes[..end].split_inclusive(|byte| *byte == b'\n') {
            let record = serde_json::from_slice(line).map_err(|error| {
                let line = records.len() + 1;
                let why = format!("`{}`, line {line}: {error}", path.display());
                io::Error::new(io::ErrorKind::InvalidData, why)
            })?;
            records.push(record);
        }
        if end < bytes.len() {
            file.set_len(end as u64)?;
        }
        Ok(Self {
            file,
            end: end as u64,
            records,
        })
    }

    /// Appends records, all or none of them.
    pub(super) fn append(
        &mut self,
        records: Vec<HistoryRecord>,
        is_synced: bool,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        for record in &records {
            serde_json::to_writer(&mut bytes, record)?;
            bytes.push(b'\n');
        }
        let mut file = &self.file;
        let written = file
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| file.write_all(&bytes))
            .and_then(|()| if is_synced { file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        self.end += bytes.len() as u64;
        self.records.extend(records);
        Ok(())
    }
}
