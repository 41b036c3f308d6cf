//! The errors of a journal.

use std::io;
use std::path::PathBuf;

use super::line::LineDefect;
use super::{LockHolder, MAX_LINE_BYTES};

/// An error of a journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// An operation of the operating system failed.
    #[error("failed to {doing} `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation, such as `read`.
        doing: &'static str,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// Another process writes to the journal.
    #[error("`{}` is in use{}: only one process may write to it", path.display(), render_holder(holder.as_ref()))]
    Locked {
        /// The file.
        path: PathBuf,
        /// The process that holds the lock; `None` if it is unknown.
        holder: Option<LockHolder>,
    },
    /// Another process has taken over the journal, because this process had not renewed its lease in time.
    #[error("`{}` was taken over by another process: the lease of this one (epoch {epoch}) had expired", path.display())]
    LeaseLost {
        /// The file.
        path: PathBuf,
        /// The epoch of the lease that is lost.
        epoch: u64,
    },
    /// A line does not match its checksum.
    #[error(
        "`{}`: line {line} is corrupt (its checksum does not match); the entries before it are intact",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
    },
    /// A line is intact, and lines before it are missing or duplicated.
    #[error(
        "`{}`: line {line} holds entry {actual} and should hold entry {}: lines are missing, duplicated or moved; the \
         entries before it are intact", path.display(), line.saturating_sub(1)
    )]
    OutOfOrder {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// The number of the entry that the line contains.
        actual: u64,
    },
    /// A line is intact, and this program cannot read it.
    #[error(
        "`{}`: line {line} cannot be read by this version ({message}): it was written by a newer version; use \
         that version", path.display()
    )]
    UnknownContent {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// The part of the line that is not understood.
        message: String,
    },
    /// A line is longer than the maximum.
    #[error("`{}`: line {line} exceeds the maximum of {MAX_LINE_BYTES} bytes", path.display())]
    LineTooLong {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
    },
    /// The file is not a journal of the expected format.
    #[error("`{}` is not a journal of this format: {actual}", path.display())]
    WrongFormat {
        /// The file.
        path: PathBuf,
        /// The format of the file, as far as its header names one.
        actual: String,
    },
    /// The file was written by a newer program.
    #[error(
        "`{}` has format version {actual}, and this program supports versions up to {supported}: use the newer version that wrote it",
        path.display()
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        actual: u32,
        /// The highest version that this program supports.
        supported: u32,
    },
    /// An entry cannot be represented as JSON.
    #[error("an entry cannot be written as JSON")]
    Serialize(#[source] serde_json::Error),
    /// An entry exceeds the maximum length of a line.
    #[error(
        "an entry of {bytes} bytes exceeds the maximum line length ({MAX_LINE_BYTES} bytes); nothing was recorded"
    )]
    EntryTooLong {
        /// The length of the entry, in bytes.
        bytes: usize,
    },
    /// An entry could not be written. The file ends at the previous entry, or will be cut there when it is next opened.
    #[error("`{}`: an entry could not be written, and nothing was recorded after entry {after}", path.display())]
    NotRecorded {
        /// The file.
        path: PathBuf,
        /// The number of the last recorded entry.
        after: u64,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// After an earlier failure the contents of the disk are unknown, so nothing is written until the journal is read
    /// again.
    #[error("`{}`: after a failed write the journal has to be opened again", path.display())]
    Poisoned {
        /// The file.
        path: PathBuf,
    },
    /// The file changed after this process last wrote to it.
    #[error("`{}` was modified by another process after entry {after}; reopen it", path.display())]
    ModifiedExternally {
        /// The file.
        path: PathBuf,
        /// The number of the last entry that this process has read or written.
        after: u64,
    },
}

fn render_holder(holder: Option<&LockHolder>) -> String {
    holder.map_or(String::new(), |holder| format!(" by {holder}"))
}

impl JournalError {
    /// Returns the number of intact entries before the damage, if the error is about damage.
    #[must_use]
    pub fn intact_entries(&self) -> Option<u64> {
        match self {
            Self::Damaged { line, .. }
            | Self::OutOfOrder { line, .. }
            | Self::LineTooLong { line, .. } => Some(line.saturating_sub(2)),
            _ => None,
        }
    }

    pub(crate) fn io(
        path: impl Into<PathBuf>,
        doing: &'static str,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            path,
            doing,
            source,
        }
    }

    pub(super) fn from_flaw(path: PathBuf, line: u64, flaw: LineDefect, known: u32) -> Self {
        match flaw {
            LineDefect::Checksum if line == 1 => Self::WrongFormat {
                path,
                actual: "the first line is not a valid header".to_owned(),
            },
            LineDefect::Checksum => Self::Damaged { path, line },
            LineDefect::OutOfOrder { found } => Self::OutOfOrder {
                path,
                line,
                actual: found,
            },
            LineDefect::InvalidEntry(message) => Self::UnknownContent {
                path,
                line,
                message,
            },
            LineDefect::Format { found } => Self::WrongFormat {
                path,
                actual: format!("the header names the format `{found}`"),
            },
            LineDefect::Version { found } => Self::NewerVersion {
                path,
                actual: found,
                supported: known,
            },
        }
    }
}
