//! Reads a journal with one line in memory at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::journal_file::Position;
use super::line::{self, Format, Line, LineDefect, MAX_LINE_BYTES};
use super::{JournalError, Repair};

/// The number of bytes that are read at once.
pub(super) const CHUNK: usize = 64 << 10;

/// Reads the entries of a journal in order, without a lock. Entries that a writer has not finished are not returned.
#[derive(Debug)]
pub struct JournalReader<R = BufReader<File>> {
    source: R,
    path: PathBuf,
    format: Format,
    /// The line that was read last.
    buffer: Vec<u8>,
    /// The end of the last whole entry.
    position: Position,
    /// The end of the file, once it is reached.
    end: Option<JournalEnd>,
}

/// The end of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JournalEnd {
    /// The file ends with a line feed.
    Complete,
    /// The file ends with a whole line without its line feed.
    LineFeedMissing,
    /// The file ends with the beginning of a line.
    Torn { bytes: u64 },
}

impl JournalReader {
    /// Opens a journal for reading.
    ///
    /// # Errors
    /// The file cannot be read, or is not a journal of this format.
    pub fn open(path: &Path, format: Format) -> Result<Self, JournalError> {
        let file = File::open(path).map_err(JournalError::io(path, "open"))?;
        Self::new(BufReader::with_capacity(CHUNK, file), path, format)
    }

    /// Opens a journal for reading the entries after a position.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open_at(path: &Path, format: Format, position: Position) -> Result<Self, JournalError> {
        if position.bytes == 0 {
            return Self::open(path, format);
        }
        let mut file = File::open(path).map_err(JournalError::io(path, "open"))?;
        file.seek(SeekFrom::Start(position.bytes))
            .map_err(JournalError::io(path, "read"))?;
        let source = BufReader::with_capacity(CHUNK, file);
        Ok(Self::starting_at(source, path, format, position))
    }
}

impl<R: BufRead> JournalReader<R> {
    /// Creates a reader of any source; `path` is used in error messages.
    ///
    /// # Errors
    /// The source cannot be read, or is not a journal of this format.
    pub fn new(source: R, path: &Path, format: Format) -> Result<Self, JournalError> {
        let mut reader = Self::starting_at(source, path, format, Position::default());
        reader.read_header()?;
        Ok(reader)
    }

    fn starting_at(source: R, path: &Path, format: Format, position: Position) -> Self {
        Self {
            source,
            path: path.to_owned(),
            format,
            buffer: Vec::new(),
            position,
            end: None,
        }
    }

    /// Returns the end of the last whole entry that was read.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// Returns the repair that writing to the journal would require. The repair is known once the end is reached.
    #[must_use]
    pub fn pending_repair(&self) -> Option<Repair> {
        match self.end {
            Some(JournalEnd::Torn { bytes }) => Some(Repair {
                after: self.position.seq,
                removed: bytes,
            }),
            _ => None,
        }
    }

    pub(super) fn end(&self) -> Option<JournalEnd> {
        self.end
    }

    /// Reads the next entry; `None` at the end. A torn line counts as the end.
    ///
    /// # Errors
    /// The file cannot be read, or contains an invalid line.
    pub fn next_entry<E: DeserializeOwned>(&mut self) -> Result<Option<Line<E>>, JournalError> {
        if self.end.is_some() || !self.next_line()? {
            return Ok(None);
        }
        let seq = self.position.seq + 1;
        match line::read(&self.buffer, seq) {
            Ok((line, crc)) => {
                self.advance(seq, crc);
                Ok(Some(line))
            }
            Err(flaw) => Err(self.defect_error(flaw)),
        }
    }

    fn read_header(&mut self) -> Result<(), JournalError> {
        if !self.next_line()? {
            // A torn header is a prefix of the header of this format; any other file belongs to another program and
            // must not be cut.
            let name = self.format.name;
            let mut headers =
                (0..=self.format.version).map(|version| line::header(Format { name, version }));
            if headers.any(|header| header.starts_with(&self.buffer)) {
                return Ok(());
            }
            return Err(JournalError::WrongFormat {
                path: self.path.clone(),
                actual: "it has no header".to_owned(),
            });
        }
        line::read_header(&self.buffer, self.format).map_err(|flaw| self.defect_error(flaw))?;
        self.advance(0, 0);
        Ok(())
    }

    fn advance(&mut self, seq: u64, crc: u32) {
        let line_feed = u64::from(self.end.is_none());
        self.position = Position {
            seq,
            bytes: self.position.bytes + self.buffer.len() as u64 + line_feed,
            crc,
        };
    }

    /// Reads a line into the buffer, without its line feed. Returns `false` if there is no whole line.
    fn next_line(&mut self) -> Result<bool, JournalError> {
        self.buffer.clear();
        let most = MAX_LINE_BYTES as u64 + 1;
        let read = (&mut self.source)
            .take(most)
            .read_until(b'\n', &mut self.buffer);
        read.map_err(JournalError::io(&self.path, "read"))?;
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
            return Ok(true);
        }
        if self.buffer.len() > MAX_LINE_BYTES {
            return Err(JournalError::LineTooLong {
                path: self.path.clone(),
                line: self.line_number(),
            });
        }
        self.read_end()
    }

    /// Reads and classifies the rest of the file after the last line feed.
    fn read_end(&mut self) -> Result<bool, JournalError> {
        let whole = |line: &[u8]| line::valid_checksum(line).is_some();
        if self.buffer.is_empty() {
            self.end = Some(JournalEnd::Complete);
            return Ok(false);
        }
        if whole(&self.buffer) {
            self.end = Some(JournalEnd::LineFeedMissing);
            return Ok(true);
        }
        // A whole line and one more byte: the line is not torn, its line feed was changed.
        if whole(&self.buffer[..self.buffer.len() - 1]) {
            return Err(self.defect_error(LineDefect::Checksum));
        }
        self.end = Some(JournalEnd::Torn {
            bytes: self.buffer.len() as u64,
        });
        Ok(false)
    }

    fn line_number(&self) -> u64 {
        match self.position.bytes {
            0 => 1,
            _ => self.position.seq + 2,
        }
    }

    fn defect_error(&self, flaw: LineDefect) -> JournalError {
        let (path, line) = (self.path.clone(), self.line_number());
        JournalError::from_flaw(path, line, flaw, self.format.version)
    }
}

/// Reads the last bytes of a file.
pub(super) fn tail(file: &mut File, most: u64) -> io::Result<Vec<u8>> {
    let len = file.metadata()?.len();
    file.seek(SeekFrom::Start(len.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
