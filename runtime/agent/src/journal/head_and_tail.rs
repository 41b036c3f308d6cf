//! Reads the parts of a journal that a list of sessions shows, without reading the whole file.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::line::{self, Format, Line};
use super::reader::tail;
use super::{JournalError, JournalReader};

/// The number of bytes that are read from the beginning.
const HEAD_BYTES: u64 = 64 << 10;
/// The number of bytes that are read from the end: the first attempt, and the maximum.
const TAIL_BYTES: (u64, u64) = (16 << 10, 4 << 20);

/// The beginning and the end of a journal.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HeadAndTail<E> {
    /// The first entries: up to the requested number, as far as they are within the first bytes of the file.
    pub first: Vec<Line<E>>,
    /// The last whole entry; `None` if it is not near the end.
    pub last: Option<Line<E>>,
    /// The length of the file, in bytes.
    pub bytes: u64,
}

/// Reads the first `wanted` entries of a journal and the last one.
///
/// # Errors
/// The file cannot be read, is not a journal of this format, or is damaged in the parts that are read.
pub fn read_head_and_tail<E: DeserializeOwned>(
    path: &Path,
    format: Format,
    wanted: usize,
) -> Result<HeadAndTail<E>, JournalError> {
    let failed = |source| JournalError::io(path, "read")(source);
    let mut file = File::open(path).map_err(JournalError::io(path, "open"))?;
    let bytes = file.metadata().map_err(failed)?.len();
    let mut head = Vec::new();
    let read = (&file).take(HEAD_BYTES).read_to_end(&mut head);
    read.map_err(failed)?;
    let mut reader = JournalReader::new(&head[..], path, format)?;
    let mut first = Vec::new();
    while first.len() < wanted {
        match reader.next_entry()? {
            Some(line) => first.push(line),
            None => break,
        }
    }
    let last = last(&mut file, bytes).map_err(failed)?;
    Ok(HeadAndTail { first, last, bytes })
}

/// Returns the last whole line that contains an entry.
fn last<E: DeserializeOwned>(file: &mut File, bytes: u64) -> std::io::Result<Option<Line<E>>> {
    let (mut most, limit) = TAIL_BYTES;
    loop {
        let end = tail(file, most)?;
        // The first piece may be the end of a line, and the last piece the beginning of one; the checksum reveals this.
        let mut lines = end.rsplit(|byte| *byte == b'\n');
        let whole = lines.find(|line| line::valid_checksum(line).is_some());
        if let Some(line) = whole {
            return Ok(serde_json::from_slice(line).ok());
        }
        if most >= bytes || most >= limit {
            return Ok(None);
        }
        most *= 4;
    }
}
