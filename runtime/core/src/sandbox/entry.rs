//! What a file system answers: kinds, sizes, names, bytes.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::SystemTime;

use super::FileVersion;

/// What a name in a file system stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link; only a listing shows it, everything else looks through it.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device, such as a terminal.
    CharDevice,
    /// A block device, such as a disk.
    BlockDevice,
    /// Something else.
    Other,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a regular file",
            Self::Directory => "a directory",
            Self::Symlink => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::CharDevice => "a character device",
            Self::BlockDevice => "a block device",
            Self::Other => "neither a file nor a directory",
        })
    }
}

/// What is known of a file without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// What it is.
    pub kind: FileKind,
    /// Its size in bytes; 0 for files that the kernel makes up when they are read.
    pub len: u64,
    /// When its contents last changed, where the file system records it.
    pub modified: Option<SystemTime>,
    /// Which contents it has, where the file system reports it.
    pub version: Option<FileVersion>,
    /// Whether it may be executed.
    pub executable: bool,
}

impl Metadata {
    /// Describes a file by its kind and size; its other fields are open.
    pub fn new(kind: FileKind, len: u64, modified: Option<SystemTime>) -> Self {
        Self {
            kind,
            len,
            modified,
            version: None,
            executable: false,
        }
    }
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DirEntry {
    /// The name as the file system has it, which need not be UTF-8; join it to the directory's path to open it.
    pub name: OsString,
    /// What it is; a link is not followed.
    pub kind: FileKind,
}

impl DirEntry {
    /// Describes one name in a directory.
    pub fn new(name: impl Into<OsString>, kind: FileKind) -> Self {
        let name = name.into();
        Self { name, kind }
    }

    /// Shows the name as text, with `\u{FFFD}` for what is not UTF-8.
    pub fn text(&self) -> Cow<'_, str> {
        self.name.to_string_lossy()
    }
}

/// The names in a directory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The names, sorted by their bytes.
    pub entries: Vec<DirEntry>,
    /// Whether names were left out because there were more than [`Listing::LIMIT`].
    pub truncated: bool,
}

impl Listing {
    /// The most names that one listing holds.
    pub const LIMIT: usize = 100_000;

    /// Sorts the names into a listing.
    pub fn new(mut entries: Vec<DirEntry>, truncated: bool) -> Self {
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Self { entries, truncated }
    }
}

/// Which bytes of a file to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadRange {
    /// The first byte.
    pub offset: u64,
    /// The most bytes to return; more than [`ReadRange::LIMIT`] counts as that.
    pub max: usize,
}

impl ReadRange {
    /// The most bytes that one read returns: 16 MiB.
    pub const LIMIT: usize = 16 << 20;
}

/// Some bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileSlice {
    /// The bytes, fewer than asked for at the end of the file.
    pub bytes: Vec<u8>,
    /// The size of the file when it was read. For a file without a size (`/proc`) it is a lower bound, and exceeds the
    /// end of `bytes` exactly when there is more.
    pub total: u64,
}

impl FileSlice {
    /// Pairs some bytes with the size of their file.
    pub fn new(bytes: Vec<u8>, total: u64) -> Self {
        Self { bytes, total }
    }
}

/// A regular file that is open for reading.
///
/// Its [`Read`] blocks: use it on a blocking thread (`tokio::task::spawn_blocking`), and bound it (`Read::take`).
pub struct ReadHandle {
    metadata: Metadata,
    reader: Box<dyn Read + Send>,
}

impl ReadHandle {
    /// Wraps an open file.
    pub fn new(metadata: Metadata, reader: impl Read + Send + 'static) -> Self {
        let reader = Box::new(reader);
        Self { metadata, reader }
    }

    /// Describes the file that is open, whatever happens to its name.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

impl Read for ReadHandle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl fmt::Debug for ReadHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadHandle")
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}

/// Where a path leads once all links are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResolvedPath {
    /// How to show it to the model: relative in the first root, absolute in the others. It can be given back as a path
    /// when the name is plain text; what is not UTF-8 is replaced and control characters are escaped.
    pub display: String,
    /// The path below its root; empty for the root itself.
    pub relative: PathBuf,
    /// The path from the top of the file system.
    pub absolute: PathBuf,
}

impl ResolvedPath {
    /// Describes a resolved path.
    pub fn new(
        display: impl Into<String>,
        relative: impl Into<PathBuf>,
        absolute: impl Into<PathBuf>,
    ) -> Self {
        Self {
            display: display.into(),
            relative: relative.into(),
            absolute: absolute.into(),
        }
    }
}
