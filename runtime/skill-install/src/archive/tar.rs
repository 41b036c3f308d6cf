//! Tar files.

use std::io::Read;

use ::tar::{Archive, Entry, EntryType, PaxExtensions};

use super::{EntryKind, EntryVisitor, broken, refused};
use crate::error::{InstallError, shown};

/// The greatest size of the headers that extend an entry, in bytes.
const MAX_EXTENSION: u64 = 64 << 10;

/// Visits the entries of a tar file.
pub(super) fn visit(reader: impl Read, entries: &mut EntryVisitor<'_>) -> Result<(), InstallError> {
    let mut archive = Archive::new(reader);
    let mut is_empty = true;
    // The path of the next entry, where a header of its own has it. The reader of such headers is not that of the
    // package, whose memory has no limit.
    let mut long_path = None;
    for entry in archive.entries().map_err(broken)?.raw(true) {
        let mut entry = entry.map_err(broken)?;
        entries.count()?;
        let mode = entry.header().mode().unwrap_or_default();
        let kind = match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => EntryKind::File {
                executable: mode & 0o111 != 0,
            },
            EntryType::Directory => EntryKind::Folder,
            EntryType::Symlink => EntryKind::Link,
            EntryType::GNULongName => {
                let mut path = extension(&mut entry)?;
                while path.last() == Some(&0) {
                    path.pop();
                }
                long_path = Some(path);
                continue;
            }
            EntryType::XHeader => {
                long_path = pax_path(&extension(&mut entry)?)?.or(long_path);
                continue;
            }
            // The target of a link, and the comment of an archive that git makes.
            EntryType::GNULongLink | EntryType::XGlobalHeader => continue,
            other => {
                let path = shown(&String::from_utf8_lossy(&entry.path_bytes()));
                return Err(refused(format!(
                    "the entry `{path}` is no file, folder or symbolic link ({other:?})"
                )));
            }
        };
        is_empty = false;
        let path = long_path
            .take()
            .unwrap_or_else(|| entry.path_bytes().into_owned());
        let size = entry.size();
        entries.visit(&path, kind, size, &mut entry)?;
    }
    if is_empty {
        return Err(refused("it is empty"));
    }
    Ok(())
}

/// Reads the contents of a header that extends the next entry.
fn extension(entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, InstallError> {
    if entry.size() > MAX_EXTENSION {
        return Err(refused("a header of an entry is too large"));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).map_err(broken)?;
    Ok(bytes)
}

/// Returns the path that a header names. A header that gives the entry another size could hide an entry.
fn pax_path(header: &[u8]) -> Result<Option<Vec<u8>>, InstallError> {
    let mut path = None;
    for field in PaxExtensions::new(header) {
        let field = field.map_err(broken)?;
        match field.key_bytes() {
            b"path" => path = Some(field.value_bytes().to_vec()),
            b"size" => return Err(refused("an entry has its size in a header of its own")),
            _ => {}
        }
    }
    Ok(path)
}
