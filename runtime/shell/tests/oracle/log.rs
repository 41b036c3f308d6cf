//! What the recorder wrote down about a line. The layout is that of `recorder.c`.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;

const HEADER: usize = 512;
const RECORD: usize = 512;
const RECORDS: usize = 2048;

/// What a program did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A program began.
    Start,
    /// A program is about to become another.
    Exec,
    /// A file is opened for writing, or cut.
    Write,
    Remove,
    Make,
    Rename,
    /// A mode, an owner or a time is changed.
    Meta,
    Network,
    /// It was kept from starting more processes.
    Limit,
    /// The file of a secret is opened for reading.
    Read,
}

/// One thing that a program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    /// The number of the error, or 0.
    pub(crate) error: u32,
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    /// The program that did it.
    pub(crate) program: String,
    /// A path, or the path of a program and its words.
    pub(crate) words: Vec<String>,
}

impl Record {
    /// Returns the path, or what else stands first.
    pub(crate) fn path(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }
}

/// The log in shared memory, as a file.
pub(crate) struct Log {
    file: File,
}

impl Log {
    pub(crate) fn open(path: &str) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Self { file })
    }

    /// Reads what was recorded and empties the log. The second value says whether more was done than the log holds.
    pub(crate) fn take(&self) -> io::Result<(Vec<Record>, bool)> {
        let mut header = [0; 8];
        self.file.read_exact_at(&mut header, 0)?;
        let count = number(&header, 0) as usize;
        let held = count.min(RECORDS);
        let mut bytes = vec![0; held * RECORD];
        self.file.read_exact_at(&mut bytes, HEADER as u64)?;
        let records = bytes.chunks(RECORD).filter_map(record).collect();
        self.file.write_all_at(&[0; 8], 0)?;
        let zeros = vec![0; held * RECORD];
        self.file.write_all_at(&zeros, HEADER as u64)?;
        Ok((records, count > RECORDS))
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn record(bytes: &[u8]) -> Option<Record> {
    // A process that was killed meanwhile leaves a record that is not ready.
    if number(bytes, 16) == 0 {
        return None;
    }
    let kind = match number(bytes, 0) {
        1 => Kind::Start,
        2 => Kind::Exec,
        3 => Kind::Write,
        4 => Kind::Remove,
        5 => Kind::Make,
        6 => Kind::Rename,
        7 => Kind::Meta,
        8 => Kind::Network,
        10 => Kind::Read,
        _ => Kind::Limit,
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let program = bytes[20..48].split(|byte| *byte == 0).next().unwrap_or(b"");
    let list = &bytes[48..];
    let words = match kind {
        Kind::Start | Kind::Exec | Kind::Network => {
            // The list ends with a word of the byte 1; its beginning is the program.
            let mut words: Vec<String> = Vec::new();
            for word in list.split(|byte| *byte == 0) {
                if word == [1] {
                    break;
                }
                words.push(text(word));
            }
            words
        }
        _ => vec![text(list.split(|byte| *byte == 0).next().unwrap_or(b""))],
    };
    Some(Record {
        kind,
        error: number(bytes, 4),
        pid: number(bytes, 8),
        parent: number(bytes, 12),
        program: text(program),
        words,
    })
}
