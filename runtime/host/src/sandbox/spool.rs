//! The output of a process, stored on disk by offset within a size limit.
//!
//! A stream is a series of files, each named after the offset of its first byte: `stdout.00000000000000065536`. The
//! writer appends to the newest file; when the other files contain `limit` bytes, the oldest file is removed. So every
//! byte has a fixed location, a reader needs no message from the writer, and another process can read the same output
//! from the folder alone.

mod reader;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::{OutputChunk, OutputStream};

pub(crate) use reader::SpoolReader;

/// The writing end of one stream. Its operations block on the disk, and it holds no output in memory.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    stream: OutputStream,
    limit: u64,
    /// The offsets of the first bytes of the existing files; the last file is appended to.
    starts: VecDeque<u64>,
    file: Option<File>,
    total: u64,
    ended: bool,
}

/// Creates a folder for output, and its parent.
fn make_folder(folder: &Path) -> io::Result<()> {
    if let Some(above) = folder.parent() {
        ensure_own_folder(above)?;
    }
    ensure_own_folder(folder)
}

/// Creates a folder that other users cannot access, or checks that the existing folder is such a folder of this user.
pub(crate) fn ensure_own_folder(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    let found = folder.symlink_metadata()?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0;
    if found.is_dir() && is_own {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "the path is not a folder, has another owner or is accessible to other users; remove it",
    ))
}

impl Spool {
    /// Creates a spool that stores at least the last `limit` bytes of a stream in a folder, and at most a quarter (or 8
    /// KiB) more. No file is created before the first output, not even the folder and its parent: on a file system with
    /// many removed folders, creating a folder takes longer than starting a process.
    pub(crate) fn create(folder: &Path, stream: OutputStream, limit: u64) -> Self {
        Self {
            folder: folder.to_owned(),
            stream,
            limit,
            starts: VecDeque::new(),
            file: None,
            total: 0,
            ended: false,
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Appends bytes. Bytes that cannot be stored are still counted, so that offsets stay correct: a full disk first
    /// causes the oldest output to be removed, then all of it.
    pub(crate) fn append(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let start = self.starts.back().copied().unwrap_or(self.total);
            let room = self.segment().saturating_sub(self.total - start);
            if self.file.is_none() || room == 0 {
                self.roll(bytes)?;
                continue;
            }
            let (now, later) = bytes.split_at(bytes.len().min(to_usize(room)));
            if let Err(error) = self.write(now) {
                self.forget(bytes.len() as u64);
                return Err(error);
            }
            self.total += now.len() as u64;
            bytes = later;
            self.trim();
        }
        Ok(())
    }

    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.ended = true;
        self.file = None;
        File::create(self.folder.join(end_name(self.stream))).map(drop)
    }

    /// Reads from an offset, or from the oldest stored byte.
    pub(crate) fn read(&self, offset: u64, max: usize) -> io::Result<OutputChunk> {
        let starts: Vec<u64> = self.starts.iter().copied().collect();
        reader::read(&self.folder, self.stream, &starts, self.total, offset, max)
            .map(|chunk| reader::mark_end(chunk, self.ended))
    }

    /// Returns the size limit of one file, in bytes.
    fn segment(&self) -> u64 {
        (self.limit / 8).max(4096)
    }

    /// Starts the next file; bytes that cannot be written without it are counted as written.
    fn roll(&mut self, unwritten: &[u8]) -> io::Result<()> {
        let opened = loop {
            match self.open_next() {
                Err(error) if is_full(&error) && self.remove_oldest() => {}
                opened => break opened,
            }
        };
        if opened.is_err() {
            self.forget(unwritten.len() as u64);
        }
        opened
    }

    fn open_next(&mut self) -> io::Result<()> {
        let mut options = File::options();
        options.write(true).create_new(true).mode(0o600);
        let path = self.folder.join(name(self.stream, self.total));
        let file = match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_folder(&self.folder)?;
                options.open(&path)?
            }
            opened => opened?,
        };
        self.file = Some(file);
        self.starts.push_back(self.total);
        Ok(())
    }

    /// Removes the oldest files while the others contain `limit` bytes.
    fn trim(&mut self) {
        let (total, limit) = (self.total, self.limit);
        let enough = |&second: &u64| total - second >= limit;
        while self.starts.get(1).is_some_and(enough) {
            self.remove_oldest();
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let Some(file) = &mut self.file else {
                return Err(io::Error::other("no file is open"));
            };
            match file.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_full(&error) && self.starts.len() > 1 => {
                    self.remove_oldest();
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Removes the oldest file; reports whether there was one.
    fn remove_oldest(&mut self) -> bool {
        let oldest = self.starts.pop_front();
        if let Some(start) = oldest {
            let _ = fs::remove_file(self.folder.join(name(self.stream, start)));
        }
        oldest.is_some()
    }

    /// Counts bytes that could not be stored. The stored output must have no gap, so all output before them is removed.
    fn forget(&mut self, bytes: u64) {
        self.file = None;
        while self.remove_oldest() {}
        self.total += bytes;
        // An empty file shows another process the offset of the next byte; if it cannot be created, the next output
        // shows the offset.
        let _ = self.open_next();
    }
}

fn name(stream: OutputStream, start: u64) -> String {
    format!("{}.{start:020}", stream_name(stream))
}

fn end_name(stream: OutputStream) -> String {
    format!("{}.end", stream_name(stream))
}

fn stream_name(stream: OutputStream) -> &'static str {
    match stream {
        OutputStream::Stdout => "stdout",
        OutputStream::Stderr => "stderr",
    }
}

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
