//! Streams a folder as a tar archive.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tar::{Builder, EntryType, Header};

use super::super::apply::is_stash;
use super::super::folder::Folder;
use super::super::io_failure::{IoFailure, Result, optional};
use super::super::metadata::metadata_of;
use super::super::roots::Roots;
use super::super::tree::MAX_DEPTH;
use super::links::stays_inside;
use crate::sandbox::Listing;

const BLOCK: u64 = 512;

/// A streamed archive: the position in the folder, and the bytes that are ready.
pub(crate) struct ArchiveReader {
    roots: Arc<Roots>,
    levels: Vec<PackLevel>,
    /// Headers and padding.
    ready: Cursor<Vec<u8>>,
    /// The file whose contents come next.
    file: Option<FileRemainder>,
    ended: bool,
}

/// The rest of a file.
struct FileRemainder {
    file: File,
    bytes: u64,
    /// The number of zeros that pad its last block.
    padding: usize,
}

/// A folder whose entries are being packed.
struct PackLevel {
    folder: Folder,
    /// The path in the archive.
    path: PathBuf,
    /// The names that are not packed yet, in reverse order.
    names: Vec<OsString>,
}

pub(crate) fn pack(roots: &Arc<Roots>, path: &Path) -> Result<ArchiveReader> {
    let folder = roots.folder(path)?;
    let level = PackLevel::new(folder, PathBuf::new())?;
    Ok(ArchiveReader {
        roots: Arc::clone(roots),
        levels: vec![level],
        ready: Cursor::default(),
        file: None,
        ended: false,
    })
}

impl PackLevel {
    fn new(folder: Folder, path: PathBuf) -> Result<Self> {
        let (entries, more) = folder.names(Listing::LIMIT)?;
        if more {
            return Err(IoFailure::Invalid("a folder has too many entries"));
        }
        let mut names: Vec<_> = entries.into_iter().map(|entry| entry.name).collect();
        names.retain(|name| !is_stash(name));
        names.sort_unstable_by(|a, b| b.cmp(a));
        Ok(Self {
            folder,
            path,
            names,
        })
    }
}

impl ArchiveReader {
    /// Prepares the next header; returns `false` at the end.
    fn advance(&mut self) -> Result<bool> {
        let depth = self.levels.len();
        let Some(level) = self.levels.last_mut() else {
            return Ok(false);
        };
        let Some(name) = level.names.pop() else {
            self.levels.pop();
            return Ok(true);
        };
        // Entries that were removed since the folder was listed are left out, and so are entries that may not be read.
        let location = level.folder.location.join(&name);
        let Some(there) = level.folder.stat(&name)? else {
            return Ok(true);
        };
        if self.roots.deny_rules.read(&location).is_err() {
            return Ok(true);
        }
        let path = level.path.join(&name);
        if there.is_dir() {
            if depth == MAX_DEPTH {
                return Err(IoFailure::Invalid("the folders are nested too deeply"));
            }
            let Some(child) = optional(level.folder.child(&name))? else {
                return Ok(true);
            };
            self.ready = header(&path, EntryType::Directory, 0o755, 0, None)?;
            self.levels.push(PackLevel::new(child, path)?);
        } else if there.is_file() {
            let Some(file) = optional(level.folder.open(&name))? else {
                return Ok(true);
            };
            let now = file.metadata()?;
            if now.is_file() {
                self.ready = header(&path, EntryType::Regular, mode(&now), now.len(), None)?;
                self.file = Some(FileRemainder {
                    file,
                    bytes: now.len(),
                    padding: (now.len().wrapping_neg() % BLOCK) as usize,
                });
            }
        } else if there.is_symlink() {
            let target = level.folder.read_link(&name)?;
            if stays_inside(&target, depth - 1) {
                self.ready = header(&path, EntryType::Symlink, 0o777, 0, Some(&target))?;
            }
        }
        Ok(true)
    }

    /// Reads from the current file, and prepares the padding after it.
    fn read_file(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(rest) = &mut self.file else {
            return Ok(0);
        };
        if rest.bytes == 0 {
            self.ready = Cursor::new(vec![0; rest.padding]);
            self.file = None;
            return Ok(0);
        }
        let most = usize::try_from(rest.bytes).map_or(buffer.len(), |left| left.min(buffer.len()));
        let read = rest.file.read(&mut buffer[..most])?;
        if read == 0 {
            let why = "a file became shorter while it was packed; pack the folder again";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
        }
        rest.bytes -= read as u64;
        Ok(read)
    }
}

impl Read for ArchiveReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let read = self.ready.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            if self.file.is_some() {
                match self.read_file(buffer)? {
                    0 => continue,
                    read => return Ok(read),
                }
            }
            if self.ended {
                return Ok(0);
            }
            match self.advance() {
                Ok(true) => {}
                Ok(false) => {
                    self.ended = true;
                    self.ready = Cursor::new(vec![0; 2 * BLOCK as usize]);
                }
                Err(fault) => {
                    self.ended = true;
                    self.levels.clear();
                    return Err(into_io_error(fault));
                }
            }
        }
    }
}

/// Returns the header blocks of an entry, without owners and times.
fn header(
    path: &Path,
    kind: EntryType,
    mode: u32,
    size: u64,
    target: Option<&Path>,
) -> io::Result<Cursor<Vec<u8>>> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    let mut blocks = Builder::new(Vec::new());
    match target {
        Some(target) => blocks.append_link(&mut header, path, target)?,
        None => blocks.append_data(&mut header, path, io::empty())?,
    }
    // The trailer is left out, because it would end the archive.
    Ok(Cursor::new(blocks.get_ref().clone()))
}

fn mode(stat: &fs::Metadata) -> u32 {
    if metadata_of(stat).executable {
        0o755
    } else {
        0o644
    }
}

fn into_io_error(fault: IoFailure) -> io::Error {
    match fault {
        IoFailure::Io(error) => error,
        IoFailure::Invalid(why) => io::Error::other(why),
        fault => io::Error::other(format!("{fault:?}")),
    }
}
