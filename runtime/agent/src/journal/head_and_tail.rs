//! What a list shows of a journal, without reading all of it.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::line::{self, Format, Line};
use super::reader::tail;
use super::{JournalError, JournalReader};

/// How much of the beginning is looked at.
const HEAD_BYTES: u64 = 64 << 10;
/// How much of the end is looked at, at first and at most.
const TAIL_BYTES: (u64, u64) = (16 << 10, 4 << 20);

/// The beginning and the end of a journal.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HeadAndTail<E> {
    /// The first entries, as many as were wanted and are near the beginning.
    pub first: Vec<Line<E>>,
    /// The last whole entry, if it is near the end.
    pub last: Option<Line<E>>,
    /// How long the file is.
    pub bytes: u64,
}

/// Looks at the first `wanted` entries of a journal and at the last one.
///
/// # Errors
/// The file cannot be read, is no journal in this format, or is damaged where it was looked at.
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

/// Finds the last whole line that holds an entry.
fn last<E: DeserializeOwned>(file: &mut File, bytes: u64) -> std::io::Result<Option<Line<E>>> {
    let (mut most, limit) = TAIL_BYTES;
    loop {
        let end = tail(file, most)?;
        // The first piece may be the end of a line, and the last one its beginning; the checksum shows it.
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
