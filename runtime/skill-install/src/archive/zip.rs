//! Zip files: stored and deflated entries, as their central directory lists them.
//!
//! Two readers of one zip file can disagree about it. Entries are therefore taken from the central directory, which must
//! end the file, and the local header of each must agree with it.

use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::bounded::BoundedReader;
use super::{EntryKind, EntryVisitor, broken, refused};
use crate::error::InstallError;

const END: &[u8] = b"PK\x05\x06";
const CENTRAL: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";

/// The sizes of the fixed parts of the records.
const END_SIZE: usize = 22;
const CENTRAL_SIZE: usize = 46;
const LOCAL_SIZE: usize = 30;

/// The bit of an entry that is encrypted.
const ENCRYPTED: u16 = 1;

/// Visits the entries of a zip file.
pub(super) fn visit(archive: &[u8], entries: &mut EntryVisitor<'_>) -> Result<(), InstallError> {
    let (mut at, count) = central_directory(archive)?;
    if count == 0 {
        return Err(refused("it is empty"));
    }
    let mut room = entries.kind.max_bytes();
    let mut begins = Vec::new();
    for _ in 0..count {
        entries.count()?;
        let record = CentralRecord::read(archive, at).ok_or_else(truncated)?;
        at = record.end;
        let data = record.data(archive)?;
        begins.push(record.offset);
        let kind = record.kind()?;
        let mut unpacked: Box<dyn Read + '_> = match record.method {
            0 => Box::new(data),
            8 => Box::new(DeflateDecoder::new(data)),
            other => return Err(refused(format!("an entry is compressed by method {other}"))),
        };
        let mut bytes = Vec::new();
        let packed = data.len() as u64;
        let mut bounded = BoundedReader::new(&mut unpacked, room, packed);
        bounded.read_to_end(&mut bytes).map_err(broken)?;
        room = room.saturating_sub(bytes.len() as u64);
        let mut crc = Crc::new();
        crc.update(&bytes);
        if crc.sum() != record.crc || bytes.len() as u64 != u64::from(record.size) {
            return Err(refused("an entry differs from its checksum"));
        }
        let size = bytes.len() as u64;
        entries.visit(record.name, kind, size, &mut bytes.as_slice())?;
    }
    begins.sort_unstable();
    begins.dedup();
    if begins.len() != count {
        return Err(refused("two entries share their data"));
    }
    Ok(())
}

/// Finds the central directory: its position, and the number of its records.
fn central_directory(archive: &[u8]) -> Result<(usize, usize), InstallError> {
    // A comment may follow the record, of up to 65,535 bytes.
    let from = archive.len().saturating_sub(END_SIZE + 65_535);
    let tail = &archive[from..];
    let found = (0..tail.len().saturating_sub(END_SIZE - 1))
        .rev()
        .find(|at| {
            let comment = number::<2>(tail, at + 20);
            tail[*at..].starts_with(END)
                && comment.is_some_and(|comment| at + END_SIZE + comment == tail.len())
        });
    let at = found.ok_or_else(truncated)?;
    let field = |offset| number::<2>(tail, at + offset).ok_or_else(truncated);
    let (disk, count) = (field(4)?, field(10)?);
    let start = number::<4>(tail, at + 16).ok_or_else(truncated)?;
    if disk != 0 || count != field(8)? || count == 0xffff || start == 0xffff_ffff {
        return Err(refused(
            "it is a zip file of several parts, or of the form zip64",
        ));
    }
    Ok((start, count))
}

/// One record of the central directory.
struct CentralRecord<'a> {
    name: &'a [u8],
    method: usize,
    crc: u32,
    packed: usize,
    size: u32,
    offset: usize,
    /// The mode of the file, where a system with modes made the archive.
    mode: Option<u32>,
    is_encrypted: bool,
    end: usize,
}

impl<'a> CentralRecord<'a> {
    fn read(archive: &'a [u8], at: usize) -> Option<Self> {
        let record = archive.get(at..)?;
        if !record.starts_with(CENTRAL) || record.len() < CENTRAL_SIZE {
            return None;
        }
        let half = |offset| number::<2>(record, offset);
        let word = |offset| number::<4>(record, offset);
        let (name, extra, comment) = (half(28)?, half(30)?, half(32)?);
        let attributes = u32::try_from(word(38)?).ok()?;
        // The upper byte of the version names the system; 3 is Unix.
        let is_unix = record.get(5) == Some(&3);
        Some(Self {
            name: record.get(CENTRAL_SIZE..CENTRAL_SIZE + name)?,
            method: half(10)?,
            crc: u32::try_from(word(16)?).ok()?,
            packed: word(20)?,
            size: u32::try_from(word(24)?).ok()?,
            offset: word(42)?,
            mode: is_unix.then_some(attributes >> 16),
            is_encrypted: half(8)? & usize::from(ENCRYPTED) != 0,
            end: at + CENTRAL_SIZE + name + extra + comment,
        })
    }

    fn kind(&self) -> Result<EntryKind, InstallError> {
        let mode = self.mode.unwrap_or_default();
        Ok(match mode & 0o170_000 {
            0o120_000 => EntryKind::Link,
            0o040_000 => EntryKind::Folder,
            0 | 0o100_000 if self.name.ends_with(b"/") => EntryKind::Folder,
            0 | 0o100_000 => EntryKind::File {
                executable: mode & 0o111 != 0,
            },
            _ => return Err(refused("an entry is no file, folder or symbolic link")),
        })
    }

    /// Returns the packed data, whose local header must agree with the record.
    fn data(&self, archive: &'a [u8]) -> Result<&'a [u8], InstallError> {
        if self.is_encrypted {
            return Err(refused("an entry is encrypted"));
        }
        let local = archive.get(self.offset..).ok_or_else(truncated)?;
        let name = number::<2>(local, 26).ok_or_else(truncated)?;
        let extra = number::<2>(local, 28).ok_or_else(truncated)?;
        let has_same_name = local.get(LOCAL_SIZE..LOCAL_SIZE + name) == Some(self.name);
        let has_same_method = number::<2>(local, 8) == Some(self.method);
        if !local.starts_with(LOCAL) || !has_same_name || !has_same_method {
            return Err(refused("its two lists of entries disagree"));
        }
        let begin = LOCAL_SIZE + name + extra;
        local
            .get(begin..begin.saturating_add(self.packed))
            .ok_or_else(truncated)
    }
}

/// Reads a number of N bytes, the lowest first.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(N)?)?;
    let value = bytes
        .iter()
        .rev()
        .fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    usize::try_from(value).ok()
}

fn truncated() -> InstallError {
    refused("it is broken: a part of the zip file is missing")
}
