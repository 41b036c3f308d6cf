//! One line of a journal: serialization, and validation when the line is read.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// The maximum length of a line, in bytes. Longer lines are neither written nor read, so that a damaged or foreign file
/// cannot exhaust the memory.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// The format of a journal: its kind, and the version of its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// The name, for example `helve.session`.
    pub name: &'static str,
    /// The version; a reader accepts its own version and all lower ones.
    pub version: u32,
}

/// An entry with its line number and time in a journal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Line<E> {
    /// The number of the entry, from 1.
    pub seq: u64,
    /// The time at which the entry was written.
    pub at: Timestamp,
    /// The entry.
    pub entry: E,
}

impl<E> Line<E> {
    /// Borrows the entry.
    #[must_use]
    pub const fn as_ref(&self) -> Line<&E> {
        Line {
            seq: self.seq,
            at: self.at,
            entry: &self.entry,
        }
    }
}

/// The length of `,"crc":"01234567"}`, in bytes.
pub(super) const CHECKSUM_SUFFIX_BYTES: usize = 18;

/// The reason why a line is rejected.
#[derive(Debug, PartialEq)]
pub(super) enum LineDefect {
    /// The checksum is missing or wrong.
    Checksum,
    /// The checksum is right, but the reader does not understand the content.
    InvalidEntry(String),
    /// The line is whole, but its number is not the expected one.
    OutOfOrder { found: u64 },
    /// The file is in another format.
    Format { found: String },
    /// The file is in a newer version of the format.
    Version { found: u32 },
}

/// Returns the first line of a file, including its line feed.
pub(super) fn header(format: Format) -> Vec<u8> {
    let Format { name, version } = format;
    let mut bytes = format!(r#"{{"format":"{name}","version":{version}"#).into_bytes();
    append_checksum(&mut bytes, 0);
    bytes
}

/// Appends a line to a buffer, including its line feed, and returns its checksum.
pub(super) fn write<E: Serialize>(
    buffer: &mut Vec<u8>,
    seq: u64,
    at: Timestamp,
    entry: &E,
) -> serde_json::Result<u32> {
    let start = buffer.len();
    buffer.extend_from_slice(format!(r#"{{"seq":{seq},"at":"{at}","entry":"#).as_bytes());
    if let Err(error) = serde_json::to_writer(&mut *buffer, entry) {
        buffer.truncate(start);
        return Err(error);
    }
    Ok(append_checksum(buffer, start))
}

/// Appends the checksum and the line feed to the line that starts at `start`.
fn append_checksum(buffer: &mut Vec<u8>, start: usize) -> u32 {
    let sum = crc32fast::hash(&buffer[start..]);
    buffer.extend_from_slice(checksum_suffix(sum).as_bytes());
    buffer.push(b'\n');
    sum
}

/// Returns the end of a line that contains the checksum.
pub(super) fn checksum_suffix(sum: u32) -> String {
    format!(",\"crc\":\"{sum:08x}\"}}")
}

/// Returns the checksum of a line without its line feed, if the checksum is right.
pub(super) fn valid_checksum(line: &[u8]) -> Option<u32> {
    let (body, found) = line.split_at_checked(line.len().checked_sub(CHECKSUM_SUFFIX_BYTES)?)?;
    let sum = crc32fast::hash(body);
    // The bytes are compared, not the number: there is only one valid spelling.
    (checksum_suffix(sum).as_bytes() == found).then_some(sum)
}

/// Checks the first line of a file.
pub(super) fn read_header(line: &[u8], format: Format) -> Result<(), LineDefect> {
    #[derive(Deserialize)]
    struct Header {
        format: String,
        version: u32,
    }
    let header: Result<Header, _> = serde_json::from_slice(line);
    match (header, valid_checksum(line)) {
        (Ok(header), _) if header.format != format.name => Err(LineDefect::Format {
            found: header.format,
        }),
        (_, None) => Err(LineDefect::Checksum),
        (Err(error), _) => Err(LineDefect::InvalidEntry(error.to_string())),
        (Ok(header), _) if header.version > format.version => Err(LineDefect::Version {
            found: header.version,
        }),
        (Ok(_), Some(_)) => Ok(()),
    }
}

/// Parses a line that should contain entry `seq`.
pub(super) fn read<E: DeserializeOwned>(
    line: &[u8],
    seq: u64,
) -> Result<(Line<E>, u32), LineDefect> {
    let sum = valid_checksum(line).ok_or(LineDefect::Checksum)?;
    let read: Line<E> = match serde_json::from_slice(line) {
        Ok(read) => read,
        Err(error) => {
            // The checksum has excluded damage, so the number shows whether the line is in its place.
            let numbered: Result<Line<IgnoredAny>, _> = serde_json::from_slice(line);
            return Err(match numbered {
                Ok(line) if line.seq != seq => LineDefect::OutOfOrder { found: line.seq },
                _ => LineDefect::InvalidEntry(error.to_string()),
            });
        }
    };
    if read.seq != seq {
        return Err(LineDefect::OutOfOrder { found: read.seq });
    }
    Ok((read, sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Vec<u8> {
        let mut buffer = Vec::new();
        write(&mut buffer, 7, Timestamp::from_millis(0), &"größer").unwrap();
        buffer
    }

    #[test]
    fn a_line_is_readable_and_reads_back() {
        let line = line();
        insta::assert_snapshot!(String::from_utf8(line.clone()).unwrap(), @r#"{"seq":7,"at":"1970-01-01T00:00:00.000Z","entry":"größer","crc":"167944ee"}"#);
        let (read, _) = read::<String>(&line[..line.len() - 1], 7).unwrap();
        assert_eq!(read.entry, "größer");
        insta::assert_snapshot!(
            String::from_utf8(header(Format { name: "helve.session", version: 1 })).unwrap(),
            @r#"{"format":"helve.session","version":1,"crc":"ac25372e"}"#
        );
    }

    #[test]
    fn any_other_byte_anywhere_is_noticed() {
        let line = line();
        let line = &line[..line.len() - 1];
        for index in 0..line.len() {
            for flip in 1..=u8::MAX {
                let mut damaged = line.to_vec();
                damaged[index] ^= flip;
                assert_eq!(read::<String>(&damaged, 7), Err(LineDefect::Checksum));
            }
        }
    }

    #[test]
    fn a_line_out_of_its_place_is_noticed() {
        let line = line();
        let line = &line[..line.len() - 1];
        let misplaced = LineDefect::OutOfOrder { found: 7 };
        assert_eq!(read::<String>(line, 8).unwrap_err(), misplaced);
        assert_eq!(read::<u32>(line, 8).unwrap_err(), misplaced);
        let invalid = read::<u32>(line, 7).unwrap_err();
        assert!(matches!(invalid, LineDefect::InvalidEntry(_)));
    }
}
