//! The types of file system results: kinds, sizes, names, bytes.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::SystemTime;

use super::FileVersion;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link; only directory listings return this kind, all other operations follow links.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device, such as a terminal.
    CharDevice,
    /// A block device, such as a disk.
    BlockDevice,
    /// Any other kind.
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

/// The metadata of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// The kind.
    pub kind: FileKind,
    /// The size in bytes; 0 for files that the kernel generates when they are read.
    pub len: u64,
    /// The time of the last modification of the contents, if the file system records it.
    pub modified: Option<SystemTime>,
    /// The version of the contents, if the file system reports it.
    pub version: Option<FileVersion>,
    /// Whether the file is executable.
    pub executable: bool,
}

impl Metadata {
    /// Creates metadata from the kind and size; the other fields are public.
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

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DirEntry {
    /// The name in the file system, which need not be UTF-8; join the name to the directory's path to open the entry.
    pub name: OsString,
    /// The kind; links are not followed.
    pub kind: FileKind,
}

impl DirEntry {
    /// Creates an entry.
    pub fn new(name: impl Into<OsString>, kind: FileKind) -> Self {
        let name = name.into();
        Self { name, kind }
    }

    /// Returns the name as text, with `\u{FFFD}` in place of invalid UTF-8.
    pub fn text(&self) -> Cow<'_, str> {
        self.name.to_string_lossy()
    }
}

/// The entries of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The entries, sorted by the bytes of their names.
    pub entries: Vec<DirEntry>,
    /// Whether entries were omitted because there were more than [`Listing::LIMIT`].
    pub truncated: bool,
}

impl Listing {
    /// The maximum number of entries of a listing.
    pub const LIMIT: usize = 100_000;

    /// Creates a listing, sorting the entries.
    pub fn new(mut entries: Vec<DirEntry>, truncated: bool) -> Self {
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Self { entries, truncated }
    }
}

/// The range of a file to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadRange {
    /// The offset of the first byte.
    pub offset: u64,
    /// The maximum number of bytes to return; values above [`ReadRange::LIMIT`] are reduced to that limit.
    pub max: usize,
}

impl ReadRange {
    /// The maximum number of bytes that one read returns: 16 MiB.
    pub const LIMIT: usize = 16 << 20;
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileSlice {
    /// The bytes, fewer than asked for at the end of the file.
    pub bytes: Vec<u8>,
    /// The size of the file when it was read. For a file without a size (`/proc`), a lower bound, which exceeds the
    /// end of `bytes` exactly if more bytes follow.
    pub total: u64,
}

impl FileSlice {
    /// Creates a part from its bytes and the size of the file.
    pub fn new(bytes: Vec<u8>, total: u64) -> Self {
        Self { bytes, total }
    }
}

/// A regular file that is open for reading.
///
/// The [`Read`] implementation blocks: use it on a blocking thread (`tokio::task::spawn_blocking`), and limit it with
/// `Read::take`.
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

    /// Returns the metadata of the open file, even if its name has since changed.
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

/// The location of a path once all links are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResolvedPath {
    /// The path to show to the model: relative in the first root, absolute in the others. It is a valid path if the
    /// name is plain text; invalid UTF-8 is replaced and control characters are escaped.
    pub display: String,
    /// The path relative to its root; empty for the root itself.
    pub relative: PathBuf,
    /// The absolute path.
    pub absolute: PathBuf,
}

impl ResolvedPath {
    /// Creates a resolved path.
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
