//! Archives: tar, tar in gzip, and zip, read as a stream within limits.
//!
//! An archive is read twice: once for the paths of its entries, then for the files that are needed. Nothing is written to
//! the disk. The readers are in safe Rust, and hold one file in memory at a time, within the limits of a skill.

mod bounded;
mod tar;
mod zip;

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use crate::error::{InstallError, shown};
use crate::limits::{
    MAX_REPOSITORY_ENTRIES, MAX_SKILL_BYTES, MAX_SKILL_ENTRIES, MAX_UNPACKED_REPOSITORY,
    MAX_UNPACKED_SKILL,
};
use crate::tree::check_path;
use bounded::BoundedReader;

/// The first bytes of a gzip and of a zip file, and of an empty zip file.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// The position and the text that mark a tar file.
const TAR_MARK: (usize, &[u8]) = (257, b"ustar");

/// The extensions of archives.
pub(crate) const EXTENSIONS: [&str; 4] = [".tar.gz", ".tgz", ".zip", ".tar"];

/// What an archive contains, which decides its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArchiveKind {
    /// Skills alone: every entry is a file or a folder.
    Skills,
    /// A repository, below a folder of its own: entries outside of skills are passed over.
    Repository,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File {
        executable: bool,
    },
    Folder,
    /// A link, which is refused in a skill.
    Link,
}

/// An entry of an archive, and the reader of its contents.
pub(crate) struct Entry<'a> {
    /// The path, which leads to no other folder; without the folder of a repository.
    pub(crate) path: String,
    pub(crate) kind: EntryKind,
    size: u64,
    reader: &'a mut dyn Read,
}

impl Entry<'_> {
    /// Reads the contents, up to the greatest size of a skill.
    pub(crate) fn read(&mut self) -> Result<Vec<u8>, InstallError> {
        let mut bytes = Vec::new();
        let read = self
            .reader
            .take(MAX_SKILL_BYTES + 1)
            .read_to_end(&mut bytes);
        read.map_err(broken)?;
        // A larger file is refused by the skill that it belongs to.
        if (bytes.len() as u64) < self.size.min(MAX_SKILL_BYTES) {
            return Err(refused("it is broken: the end is missing"));
        }
        Ok(bytes)
    }
}

/// Calls a function with each entry of an archive, in the order of the archive.
pub(crate) fn visit(
    archive: &[u8],
    kind: ArchiveKind,
    call: &mut dyn FnMut(Entry<'_>) -> Result<(), InstallError>,
) -> Result<(), InstallError> {
    let mut entries = EntryVisitor {
        kind,
        count: 0,
        call,
    };
    if archive.starts_with(GZIP) {
        let packed = archive.len() as u64;
        let unpacked = BoundedReader::new(MultiGzDecoder::new(archive), kind.max_bytes(), packed);
        tar::visit(unpacked, &mut entries)
    } else if ZIP.iter().any(|magic| archive.starts_with(magic)) {
        zip::visit(archive, &mut entries)
    } else if archive
        .get(TAR_MARK.0..)
        .is_some_and(|rest| rest.starts_with(TAR_MARK.1))
    {
        tar::visit(
            BoundedReader::new(archive, kind.max_bytes(), archive.len() as u64),
            &mut entries,
        )
    } else {
        Err(refused("it is no tar, gzip or zip file"))
    }
}

/// Checks the entries of an archive before they are used.
struct EntryVisitor<'v> {
    kind: ArchiveKind,
    count: u64,
    call: &'v mut dyn FnMut(Entry<'_>) -> Result<(), InstallError>,
}

impl EntryVisitor<'_> {
    /// Counts an entry of any kind.
    fn count(&mut self) -> Result<(), InstallError> {
        self.count += 1;
        if self.count > self.kind.max_entries() {
            let most = self.kind.max_entries();
            return Err(refused(format!("it has more than {most} entries")));
        }
        Ok(())
    }

    fn visit(
        &mut self,
        path: &[u8],
        kind: EntryKind,
        size: u64,
        reader: &mut dyn Read,
    ) -> Result<(), InstallError> {
        let Ok(whole) = str::from_utf8(path) else {
            return Err(refused("the path of an entry is not UTF-8"));
        };
        let mut path = whole.strip_prefix("./").unwrap_or(whole);
        if kind == EntryKind::Folder {
            path = path.strip_suffix('/').unwrap_or(path);
        }
        if self.kind == ArchiveKind::Repository {
            path = path.split_once('/').map_or("", |(_, below)| below);
        }
        if kind == EntryKind::Folder && matches!(path, "" | ".") {
            return Ok(());
        }
        // Repositories have files with names that no skill may have, but none leads out of the archive.
        let is_outside = path.is_empty()
            || whole.starts_with('/')
            || whole.split(['/', '\\']).any(|name| name == "..");
        let checked = check_path(path);
        match checked {
            Err(reason) if is_outside || self.kind == ArchiveKind::Skills => {
                return Err(refused(format!("the entry `{}`: {reason}", shown(whole))));
            }
            Ok(()) if is_outside => {
                return Err(refused(format!(
                    "the entry `{}` leaves its folder",
                    shown(whole)
                )));
            }
            _ => {}
        }
        if kind == EntryKind::Link && self.kind == ArchiveKind::Skills {
            return Err(refused(format!("the entry `{}` is a link", shown(whole))));
        }
        (self.call)(Entry {
            path: path.to_owned(),
            kind,
            size,
            reader,
        })
    }
}

impl ArchiveKind {
    fn max_entries(self) -> u64 {
        match self {
            Self::Skills => MAX_SKILL_ENTRIES * 20,
            Self::Repository => MAX_REPOSITORY_ENTRIES,
        }
    }

    fn max_bytes(self) -> u64 {
        match self {
            Self::Skills => MAX_UNPACKED_SKILL * 2,
            Self::Repository => MAX_UNPACKED_REPOSITORY,
        }
    }
}

fn refused(reason: impl Into<String>) -> InstallError {
    InstallError::refused("the archive", reason)
}

/// Converts the error of a reader: a limit, or a broken archive.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn broken(error: io::Error) -> InstallError {
    refused(match bounded::limit(&error) {
        Some(limit) => limit.to_string(),
        None => format!("it is broken: {error}"),
    })
}

#[cfg(test)]
pub(crate) mod tests;
