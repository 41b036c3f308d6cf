//! The contents of files, by digest: those that are kept for good, and those that are held while commands run.

use std::collections::HashMap;
#[cfg(unix)]
use std::fs;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::state::digest;
use helve_storage::private_files;

/// The greatest size of all contents that a history keeps, in bytes.
pub(super) const MAX_BYTES: u64 = 50 << 20;

/// Where contents are in a file: the offset and the size.
type Extent = (u64, u64);

#[derive(Debug)]
pub(super) struct Contents {
    kept: Pack,
    /// The contents of the files as they were before the commands that run; the file has no name, so that it ends with
    /// this process.
    held: Pack,
    limit: u64,
}

#[derive(Debug)]
struct Pack {
    file: File,
    end: u64,
    extents: HashMap<String, Extent>,
}

impl Contents {
    pub(super) fn open(folder: &Path, limit: u64) -> io::Result<Self> {
        let file = private_files::read_write().open(folder.join("contents"))?;
        let end = file.metadata()?.len();
        let held = Self::open_held(folder)?;
        Ok(Self {
            kept: Pack {
                file,
                end,
                extents: HashMap::new(),
            },
            held,
            limit,
        })
    }

    fn open_held(folder: &Path) -> io::Result<Pack> {
        let path = folder.join("held");
        let file = private_files::read_write().open(&path)?;
        file.set_len(0)?;
        #[cfg(unix)]
        fs::remove_file(&path)?;
        Ok(Pack {
            file,
            end: 0,
            extents: HashMap::new(),
        })
    }

    /// Adds contents that the log records; contents beyond the end of the file are lost.
    pub(super) fn add_recorded(&mut self, sha256: &str, at: u64, size: u64) {
        if at.checked_add(size).is_some_and(|end| end <= self.kept.end) {
            self.kept.extents.insert(sha256.to_owned(), (at, size));
        }
    }

    pub(super) fn is_kept(&self, sha256: &str) -> bool {
        self.kept.extents.contains_key(sha256)
    }

    /// Keeps contents. Returns the offset if they are new, so that the log can record them; `None` if they are kept
    /// already, or exceed the limit.
    pub(super) fn keep(&mut self, sha256: &str, bytes: &[u8]) -> io::Result<Option<u64>> {
        if self.is_kept(sha256) || self.kept.end + bytes.len() as u64 > self.limit {
            return Ok(None);
        }
        self.kept.append(sha256, bytes).map(Some)
    }

    /// Writes the kept contents to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.kept.file.sync_data()
    }

    /// Holds contents while commands run. Returns whether they fit.
    pub(super) fn hold(&mut self, sha256: &str, bytes: &[u8]) -> bool {
        if self.is_kept(sha256) {
            return true;
        }
        let held = &mut self.held;
        held.extents.contains_key(sha256)
            || held.end + bytes.len() as u64 <= MAX_BYTES && held.append(sha256, bytes).is_ok()
    }

    /// Reports how many bytes are held.
    pub(super) fn held_bytes(&self) -> u64 {
        self.held.end
    }

    /// Releases all contents that are held.
    pub(super) fn release_held(&mut self) {
        self.held.extents.clear();
        self.held.end = 0;
        let _ = self.held.file.set_len(0);
    }

    /// Reads contents; `None` if they are neither kept nor held, or damaged.
    pub(super) fn read(&self, sha256: &str) -> Option<Vec<u8>> {
        let mut found = [&self.kept, &self.held]
            .into_iter()
            .filter_map(|pack| pack.read(sha256));
        found.find(|bytes| digest(bytes) == sha256)
    }
}

impl Pack {
    fn append(&mut self, sha256: &str, bytes: &[u8]) -> io::Result<u64> {
        let at = self.end;
        let written = (&self.file)
            .seek(SeekFrom::Start(at))
            .and_then(|_| (&self.file).write_all(bytes));
        if let Err(error) = written {
            let _ = self.file.set_len(at);
            return Err(error);
        }
        self.end += bytes.len() as u64;
        self.extents
            .insert(sha256.to_owned(), (at, bytes.len() as u64));
        Ok(at)
    }

    fn read(&self, sha256: &str) -> Option<Vec<u8>> {
        let (at, size) = *self.extents.get(sha256)?;
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        (&self.file).seek(SeekFrom::Start(at)).ok()?;
        (&self.file).read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}
