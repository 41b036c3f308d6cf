//! Reads the output of a spool, in the process of the writer or in another process that knows the folder.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::{end_name, name, stream_name, to_usize};
use crate::sandbox::{OutputChunk, OutputStream};

/// The reading end of a stream that another process writes; it depends on the folder alone.
#[derive(Debug)]
pub(crate) struct SpoolReader {
    folder: PathBuf,
    stream: OutputStream,
}

/// The greatest number of attempts to read a folder whose oldest files are removed meanwhile.
const MAX_ATTEMPTS: usize = 16;

impl SpoolReader {
    /// Creates a reader for a stream in a folder.
    pub(crate) fn new(folder: &Path, stream: OutputStream) -> Self {
        Self {
            folder: folder.to_owned(),
            stream,
        }
    }

    /// Reads from an offset, or from the oldest stored byte.
    pub(crate) fn read(&self, offset: u64, max: usize) -> io::Result<OutputChunk> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for lost in 0..MAX_ATTEMPTS {
            // The end is checked first: after it, the size that is read is final.
            let ended = self.folder.join(end_name(self.stream)).exists();
            let starts = self.starts()?;
            let Some(&newest) = starts.last() else {
                return Ok(OutputChunk::new(offset, Vec::new(), 0, ended));
            };
            // The writer removes files faster than they are read: each attempt skips one more of the oldest files.
            let starts = &starts[lost.min(starts.len() - 1)..];
            let size = fs::metadata(self.folder.join(name(self.stream, newest)));
            let total = match size {
                Ok(found) => newest + found.len(),
                Err(error) => {
                    last = error;
                    continue;
                }
            };
            match read(&self.folder, self.stream, starts, total, offset, max) {
                Ok(chunk) => return Ok(mark_end(chunk, ended)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Lists the offsets at which files start, in order.
    fn starts(&self) -> io::Result<Vec<u64>> {
        let mut starts = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let file = entry?.file_name();
            let start = file
                .to_str()
                .and_then(|file| {
                    file.strip_prefix(stream_name(self.stream))?
                        .strip_prefix('.')
                })
                .and_then(|start| start.parse::<u64>().ok());
            starts.extend(start);
        }
        starts.sort_unstable();
        Ok(starts)
    }
}

/// Reads from the files that start at `starts`, in order; a missing file is an error only if no byte before it was
/// read.
pub(super) fn read(
    folder: &Path,
    stream: OutputStream,
    starts: &[u64],
    total: u64,
    offset: u64,
    max: usize,
) -> io::Result<OutputChunk> {
    let floor = starts.first().copied().unwrap_or(total);
    // An offset beyond the last byte is not changed: the chunk is then empty.
    let from = offset.max(floor);
    let end = total.min(from.saturating_add(max.min(OutputChunk::LIMIT) as u64));
    let mut bytes = Vec::new();
    let mut at = from;
    while at < end {
        let index = starts.partition_point(|&start| start <= at) - 1;
        let stop = starts.get(index + 1).map_or(end, |&next| next.min(end));
        match read_file(
            &folder.join(name(stream, starts[index])),
            at - starts[index],
            stop - at,
        ) {
            Ok(part) => {
                let short = (part.len() as u64) < stop - at;
                at += part.len() as u64;
                bytes.extend(part);
                if short {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !bytes.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(OutputChunk::new(from, bytes, total, false))
}

/// Marks a chunk that reaches the end of a stream that ended.
pub(super) fn mark_end(mut chunk: OutputChunk, ended: bool) -> OutputChunk {
    chunk.end = ended && chunk.next() >= chunk.total;
    chunk
}

fn read_file(path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::with_capacity(to_usize(length));
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
