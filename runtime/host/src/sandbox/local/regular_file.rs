//! Opens and reads regular files.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::io_failure::{IoFailure, Result};
use super::metadata::metadata_of;
use super::roots::Roots;
use crate::sandbox::{FileKind, FileSlice, Metadata, ReadRange};

/// Opens a regular file. Its type is checked before the open, because opening a pipe or a device has side effects, and
/// again afterwards, because the file may have been replaced.
pub(super) fn open(roots: &Roots, path: &Path) -> Result<(File, Metadata)> {
    let file = roots.open(path, |stat| require_regular(stat).map(drop))?;
    let metadata = require_regular(&file.metadata()?)?;
    Ok((file, metadata))
}

pub(super) fn require_regular(stat: &fs::Metadata) -> Result<Metadata> {
    let metadata = metadata_of(stat);
    match metadata.kind {
        FileKind::File => Ok(metadata),
        kind => Err(IoFailure::NotAFile(kind)),
    }
}

pub(super) fn read(mut file: File, len: u64, range: ReadRange) -> io::Result<FileSlice> {
    if len > 0 && range.offset >= len {
        return Ok(FileSlice::new(Vec::new(), len));
    }
    let max = range.max.min(ReadRange::LIMIT);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(range.offset))?;
    // One more byte than requested shows whether there is more, even for a file that reports no size.
    file.take(max as u64 + 1).read_to_end(&mut bytes)?;
    let total = len.max(range.offset + bytes.len() as u64);
    bytes.truncate(max);
    Ok(FileSlice::new(bytes, total))
}
