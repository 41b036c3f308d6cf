//! Writes a journal: the file, its lock, and the repair of its end.

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

/// The failures that an entry survives once the call that wrote the entry returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Durability {
    /// The entry survives the death of the process: the operating system has the entry.
    Buffered,
    /// The entry survives a crash of the machine: the disk has the entry.
    Synced,
}

/// The position of the end of an entry in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// The number of the entry; 0 before the first.
    pub seq: u64,
    /// The offset of the end of the entry, in bytes; 0 before the header.
    pub bytes: u64,
    /// The checksum of the line of the entry.
    pub(super) crc: u32,
}

impl Position {
    /// Creates a position, for a store that does not store entries in a file.
    #[must_use]
    pub const fn new(seq: u64, bytes: u64) -> Self {
        Self { seq, bytes, crc: 0 }
    }
}

/// The bytes that were removed when a file was opened that ended in the middle of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// The number of the last whole entry.
    pub after: u64,
    /// The number of bytes of the incomplete entry that were removed.
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

/// A journal that is open for writing by this process alone.
#[derive(Debug)]
pub struct JournalFile {
    storage: Box<dyn Storage>,
    path: PathBuf,
    position: Position,
    /// Whether an operation failed, so that the contents of the disk are unknown.
    has_failed: bool,
    /// The lines that are being written to the file.
    buffer: Vec<u8>,
}

/// The maximum capacity of the buffer that is retained between two entries, in bytes.
const MAX_RETAINED_BUFFER: usize = 4 << 10;

impl JournalFile {
    /// Creates a journal without entries. The journal is on the disk when this function returns.
    ///
    /// # Errors
    /// The file already exists, or an operation of the operating system fails.
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

    /// Opens a journal, passes all of its entries to `visit` in order, and repairs its end if the last line is torn.
    ///
    /// # Errors
    /// The file is in use, is not a journal, or is damaged elsewhere than at its end.
    pub fn open<E: DeserializeOwned>(
        path: &Path,
        format: Format,
        mut visit: impl FnMut(Line<E>),
    ) -> Result<(Self, Option<Repair>), JournalError> {
        let mut file = open_locked(path)?;
        // The same open file is used: on systems other than Unix, a lock also excludes other readers of this process.
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

    /// Reopens a journal that this process has read up to a position, without reading it again.
    ///
    /// # Errors
    /// The file is in use, or was changed since.
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

    /// Writes entries with their times, all or none of them, with one `write` and at most one sync.
    ///
    /// # Errors
    /// Nothing was recorded: the file ends at the previous entry, or will be cut there when it is next opened. After a
    /// failed sync the contents of the disk are unknown, so the journal must be opened again.
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

    /// Checks that the file ends at the known position. The lock excludes other writers; a file that was changed in
    /// spite of the lock is not written to.
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
            // The file ends in the middle of a line, or with entries that are not reliable. An incomplete line that
            // cannot be cut off now is cut off when the file is opened again; complete entries that remain were never
            // acted upon.
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

/// Returns options that create files which only the owner can read, because a conversation is private.
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

/// Syncs the folder of a new file, so that the file is found after a power failure.
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
