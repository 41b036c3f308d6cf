//! Writing a journal: the file, its lock, and its end.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::line::{self, Format, Line, MAX_LINE_BYTES};
use super::reader::{CHUNK, JournalEnd, tail};
use super::storage::Storage;
use super::{JournalError, JournalReader, Timestamp};
use helve_storage::private_files;

/// What an entry survives, once the call that wrote it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Durability {
    /// The death of the process: the operating system has the entry.
    Buffered,
    /// The death of the machine: the disk has the entry.
    Synced,
}

/// The end of an entry in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// The entry; 0 before the first.
    pub seq: u64,
    /// How many bytes of the file come before its end; 0 before the header.
    pub bytes: u64,
    /// The checksum of its line.
    pub(super) crc: u32,
}

impl Position {
    /// Creates one, for a store that keeps entries elsewhere than in a file.
    #[must_use]
    pub const fn new(seq: u64, bytes: u64) -> Self {
        Self { seq, bytes, crc: 0 }
    }
}

/// What was removed when a file was opened that ended in the middle of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// The last whole entry.
    pub after: u64,
    /// How many bytes of another one there were.
    pub removed: u64,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { after, removed } = self;
        write!(
            f,
            "the journal ended in the middle of a line; removed {removed} bytes after entry {after}"
        )
    }
}

/// A journal that is open for writing, by this process alone.
#[derive(Debug)]
pub struct JournalFile {
    storage: Box<dyn Storage>,
    path: PathBuf,
    position: Position,
    /// What is on the disk is not known any more.
    has_failed: bool,
    /// Lines on their way to the file.
    buffer: Vec<u8>,
}

/// How much memory the buffer may keep between two entries.
const MAX_RETAINED_BUFFER: usize = 4 << 10;

impl JournalFile {
    /// Creates a journal without entries; it is on the disk when this returns.
    ///
    /// # Errors
    /// There is a file of that name, or the operating system refuses.
    pub fn create(path: &Path, format: Format) -> Result<Self, JournalError> {
        let file = open_options().create_new(true).open(path);
        let mut file = file.map_err(JournalError::io(path, "create"))?;
        lock(&file, path)?;
        let header = line::header(format);
        let written = Storage::append(&mut file, &header).and_then(|()| file.sync_all());
        written.map_err(JournalError::io(path, "write the header of"))?;
        sync_folder(path)?;
        let position = Position::new(0, header.len() as u64);
        Ok(Self::from_storage(file, path, position))
    }

    /// Opens a journal, shows all of its entries in order, and repairs its end where that is torn.
    ///
    /// # Errors
    /// The file is in use, is no journal, or is damaged elsewhere than at its end.
    pub fn open<E: DeserializeOwned>(
        path: &Path,
        format: Format,
        mut visit: impl FnMut(Line<E>),
    ) -> Result<(Self, Option<Repair>), JournalError> {
        let mut file = open_locked(path)?;
        // The same open file: elsewhere than on Unix a lock keeps other readers of this process out, too.
        let same = file.try_clone().map_err(JournalError::io(path, "read"))?;
        let mut reader = JournalReader::new(BufReader::with_capacity(CHUNK, same), path, format)?;
        while let Some(line) = reader.next_entry()? {
            visit(line);
        }
        let (position, repair) = (reader.position(), reader.pending_repair());
        let mended = repair_end(&mut file, position, format, reader.end());
        let position = mended.map_err(JournalError::io(path, "repair the end of"))?;
        Ok((Self::from_storage(file, path, position), repair))
    }

    /// Opens a journal again that this process knows up to a position, without reading it.
    ///
    /// # Errors
    /// The file is in use, or is not as it was left.
    pub fn reopen(path: &Path, position: Position) -> Result<Self, JournalError> {
        let mut file = open_locked(path)?;
        let is_ours = || -> std::io::Result<bool> {
            if Storage::len(&file)? != position.bytes {
                return Ok(false);
            }
            let mut end = tail(&mut file, line::CHECKSUM_SUFFIX_BYTES as u64 + 1)?;
            end.pop();
            Ok(position.seq == 0 || end.ends_with(line::checksum_suffix(position.crc).as_bytes()))
        };
        match { is_ours }() {
            Ok(true) => Ok(Self::from_storage(file, path, position)),
            Ok(false) => Err(JournalError::ModifiedExternally {
                path: path.to_owned(),
                after: position.seq,
            }),
            Err(source) => Err(JournalError::io(path, "read the end of")(source)),
        }
    }

    fn from_storage(storage: impl Storage + 'static, path: &Path, position: Position) -> Self {
        Self {
            storage: Box::new(storage),
            path: path.to_owned(),
            position,
            has_failed: false,
            buffer: Vec::new(),
        }
    }

    /// Returns the end of the last entry.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// Writes entries and when they came, all or none of them, with one `write` and at most one sync.
    ///
    /// # Errors
    /// Nothing was recorded: the file ends at the entry before, or will when it is next opened. After a failed sync the
    /// contents of the disk are unknown, so that the journal has to be opened again.
    pub fn append<'a, E: Serialize + 'a>(
        &mut self,
        entries: impl IntoIterator<Item = (Timestamp, &'a E)>,
        durability: Durability,
    ) -> Result<Position, JournalError> {
        if self.has_failed {
            return Err(JournalError::Poisoned {
                path: self.path.clone(),
            });
        }
        self.buffer.clear();
        self.buffer.shrink_to(MAX_RETAINED_BUFFER);
        let Position {
            mut seq, mut crc, ..
        } = self.position;
        for (at, entry) in entries {
            seq += 1;
            let start = self.buffer.len();
            let written = line::write(&mut self.buffer, seq, at, entry);
            crc = written.map_err(JournalError::Serialize)?;
            let bytes = self.buffer.len() - start;
            if bytes > MAX_LINE_BYTES {
                return Err(JournalError::EntryTooLong { bytes });
            }
        }
        if self.buffer.is_empty() {
            return Ok(self.position);
        }
        self.check_end()?;
        self.write(durability)?;
        self.position = Position {
            seq,
            bytes: self.position.bytes + self.buffer.len() as u64,
            crc,
        };
        Ok(self.position)
    }

    /// The lock keeps others out; a file that was changed all the same is not written to.
    fn check_end(&mut self) -> Result<(), JournalError> {
        let path = &self.path;
        let bytes = self.storage.len();
        let bytes = bytes.map_err(JournalError::io(path, "inspect"))?;
        if bytes == self.position.bytes {
            return Ok(());
        }
        self.has_failed = true;
        Err(JournalError::ModifiedExternally {
            path: path.clone(),
            after: self.position.seq,
        })
    }

    fn write(&mut self, durability: Durability) -> Result<(), JournalError> {
        let written = self.storage.append(&self.buffer);
        let is_written = written.is_ok();
        let done = match durability {
            Durability::Synced => written.and_then(|()| self.storage.sync()),
            Durability::Buffered => written,
        };
        done.map_err(|source| {
            // The file ends in the middle of a line, or with entries that are not reliable. What cannot be cut off now
            // is cut off when the file is opened again, or was not acted upon.
            let is_cut = self.storage.truncate(self.position.bytes).is_ok();
            self.has_failed = is_written || !is_cut;
            JournalError::NotRecorded {
                path: self.path.clone(),
                after: self.position.seq,
                source,
            }
        })
    }
}

/// Makes a file end with the line feed of its last whole entry, or of its header.
fn repair_end(
    file: &mut File,
    mut position: Position,
    format: Format,
    end: Option<JournalEnd>,
) -> std::io::Result<Position> {
    let missing = match end {
        Some(JournalEnd::LineFeedMissing) => b"\n".to_vec(),
        _ if position.bytes == 0 => line::header(format),
        _ => Vec::new(),
    };
    let is_torn = matches!(end, Some(JournalEnd::Torn { .. }));
    if is_torn {
        file.truncate(position.bytes)?;
    }
    if !missing.is_empty() {
        Storage::append(file, &missing)?;
        position.bytes += missing.len() as u64;
    }
    if is_torn || !missing.is_empty() {
        file.sync_all()?;
    }
    Ok(position)
}

impl Drop for JournalFile {
    fn drop(&mut self) {
        self.storage.release();
    }
}

/// Creates files that only the owner can read, because a conversation is private.
fn open_options() -> OpenOptions {
    let mut options = private_files::options();
    options.read(true).append(true);
    options
}

fn open_locked(path: &Path) -> Result<File, JournalError> {
    let file = open_options().open(path);
    let file = file.map_err(JournalError::io(path, "open"))?;
    lock(&file, path)?;
    Ok(file)
}

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked {
            path: path.to_owned(),
            holder: None,
        }),
        Err(TryLockError::Error(source)) => Err(JournalError::io(path, "lock")(source)),
    }
}

/// Makes sure that a new file is found after a power failure.
pub(super) fn sync_folder(path: &Path) -> Result<(), JournalError> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let is_here = folder.as_os_str().is_empty();
        let folder = if is_here { Path::new(".") } else { folder };
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(JournalError::io(folder, "sync"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
