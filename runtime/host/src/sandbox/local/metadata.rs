//! Metadata of files, as [`SandboxFs`](super::SandboxFs) reports it.

use std::fs;
use std::time::UNIX_EPOCH;

use super::folder::identity;
use crate::sandbox::{FileKind, FileVersion, Metadata};

pub(super) fn metadata_of(stat: &fs::Metadata) -> Metadata {
    let mut metadata = Metadata::new(kind_of(stat.file_type()), stat.len(), stat.modified().ok());
    metadata.version = version_of(stat);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        metadata.executable = stat.is_file() && stat.mode() & 0o111 != 0;
    }
    metadata
}

/// Returns a version of the contents of a file, from its identity, size and modification time. The change time (ctime)
/// would only add changes of modes and names, which lose no contents.
pub(super) fn version_of(stat: &fs::Metadata) -> Option<FileVersion> {
    if !stat.is_file() {
        return None;
    }
    let (device, inode) = identity(stat);
    let written = stat.modified().ok()?;
    let (sign, written) = match written.duration_since(UNIX_EPOCH) {
        Ok(after) => ("", after),
        Err(before) => ("-", before.duration()),
    };
    let (size, nanoseconds) = (stat.len(), written.as_nanos());
    let text = format!("{device:x}-{inode:x}-{size:x}-{sign}{nanoseconds:x}");
    Some(FileVersion::new(text))
}

pub(super) fn kind_of(kind: fs::FileType) -> FileKind {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return FileKind::Fifo;
        } else if kind.is_socket() {
            return FileKind::Socket;
        } else if kind.is_char_device() {
            return FileKind::CharDevice;
        } else if kind.is_block_device() {
            return FileKind::BlockDevice;
        }
    }
    if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_symlink() {
        FileKind::Symlink
    } else {
        FileKind::Other
    }
}
