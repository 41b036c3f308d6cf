//! Unpacks an untrusted tar archive into a folder.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use tar::{Archive, Entry, EntryType, PaxExtensions};

use super::super::folder::Folder;
use super::super::io_failure::{IoFailure, Result};
use super::super::roots::Roots;
use super::links::stays_inside;
use crate::sandbox::fs_error::display_path;

/// The greatest number of entries in an archive.
const MAX_ENTRIES: usize = 500_000;
const MAX_BYTES: u64 = 8 << 30;
const MAX_DEPTH: usize = 256;

/// The greatest length of a name in an extension, in bytes.
const MAX_NAME_BYTES: u64 = 16 << 10;

pub(crate) fn unpack(roots: &Roots, path: &Path, archive: Box<dyn Read + Send>) -> Result<()> {
    let folder = roots.create_folder(path)?;
    roots.deny_rules.write(&folder.location)?;
    let mut target = UnpackTarget {
        roots,
        folder,
        entries: MAX_ENTRIES,
        bytes: MAX_BYTES,
    };
    let mut archive = Archive::new(archive);
    let mut extended = ExtendedNames::default();
    // Entries are read raw, because the library would otherwise read extensions whole, whatever their size.
    for entry in archive.entries()?.raw(true) {
        let mut entry = entry.map_err(|error| unreadable(Path::new("its next entry"), &error))?;
        target.count(&entry)?;
        let kind = entry.header().entry_type();
        if extended.read_extension(kind, &mut entry)? {
            continue;
        }
        let names = std::mem::take(&mut extended);
        let name = names.path;
        let name = name.unwrap_or_else(|| path_from_bytes(&entry.path_bytes()));
        let link = names.link;
        let link = link.or_else(|| Some(path_from_bytes(&entry.link_name_bytes()?)));
        target.unpack_entry(&name, kind, link.as_deref(), &mut entry)?;
    }
    Ok(())
}

/// Names of the next entry that are too long for its header.
#[derive(Default)]
struct ExtendedNames {
    path: Option<PathBuf>,
    link: Option<PathBuf>,
}

impl ExtendedNames {
    /// Reads an entry that extends the next entry; returns `false` for any other entry.
    fn read_extension(
        &mut self,
        kind: EntryType,
        entry: &mut Entry<'_, impl Read>,
    ) -> Result<bool> {
        if kind.is_gnu_longname() {
            self.path = Some(path_from_bytes(&text(entry)?));
        } else if kind.is_gnu_longlink() {
            self.link = Some(path_from_bytes(&text(entry)?));
        } else if kind.is_pax_local_extensions() {
            let text = text(entry)?;
            for pair in PaxExtensions::new(&text) {
                let extension = Path::new("an extension");
                let pair = pair.map_err(|error| unreadable(extension, &error))?;
                match pair.key_bytes() {
                    b"path" => self.path = Some(path_from_bytes(pair.value_bytes())),
                    b"linkpath" => self.link = Some(path_from_bytes(pair.value_bytes())),
                    // Archive readers differ in the size that they use.
                    b"size" => {
                        let why = "gives a size beside the header's";
                        return Err(archive_error(extension, why));
                    }
                    _ => {}
                }
            }
        } else if !kind.is_pax_global_extensions() {
            return Ok(false);
        }
        Ok(true)
    }
}

fn text(entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>> {
    let name = path_from_bytes(&entry.path_bytes());
    if entry.size() > MAX_NAME_BYTES {
        return Err(archive_error(&name, "is a name that is too long"));
    }
    let mut text = Vec::new();
    let read = entry.take(MAX_NAME_BYTES).read_to_end(&mut text);
    read.map_err(|error| unreadable(&name, &error))?;
    while text.last() == Some(&0) {
        text.pop();
    }
    Ok(text)
}

/// The folder that is unpacked into, and its remaining limits.
struct UnpackTarget<'a> {
    roots: &'a Roots,
    folder: Folder,
    entries: usize,
    bytes: u64,
}

impl UnpackTarget<'_> {
    fn count(&mut self, entry: &Entry<'_, impl Read>) -> Result<()> {
        let entries = self.entries.checked_sub(1);
        let (Some(entries), Some(bytes)) = (entries, self.bytes.checked_sub(entry.size())) else {
            let why = format!(
                "is too large: at most {MAX_ENTRIES} entries and {MAX_BYTES} bytes are unpacked"
            );
            return Err(archive_error(&path_from_bytes(&entry.path_bytes()), &why));
        };
        (self.entries, self.bytes) = (entries, bytes);
        Ok(())
    }

    fn unpack_entry(
        &self,
        path: &Path,
        kind: EntryType,
        link: Option<&Path>,
        entry: &mut Entry<'_, impl Read>,
    ) -> Result<()> {
        let refuse = |why: &str| Err(archive_error(path, why));
        let names = split_entry_path(path)?;
        if kind == EntryType::Directory {
            return self.open_parent(&names, path).map(drop);
        }
        let Some((name, above)) = names.split_last() else {
            // The entry is the folder itself.
            return Ok(());
        };
        let reached = self.open_parent(above, path)?;
        let parent = reached.as_ref().unwrap_or(&self.folder);
        self.check_write(parent, name, path)?;
        match kind {
            EntryType::Regular | EntryType::Continuous => {
                let executable = entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0);
                self.remove_existing(parent, name, path)?;
                let file = parent.create(name, if executable { 0o777 } else { 0o666 })?;
                copy(entry, file, path)
            }
            EntryType::Symlink => {
                let Some(link) = link else {
                    return refuse("is a link to nothing");
                };
                if !stays_inside(link, above.len()) {
                    return refuse("is a link that may lead out of the folder");
                }
                self.remove_existing(parent, name, path)?;
                parent.make_link(name, link)
            }
            EntryType::Link => {
                let Some(link) = link else {
                    return refuse("is a link to nothing");
                };
                let source = split_entry_path(link)?;
                let Some((old, above)) = source.split_last() else {
                    return refuse("is a link to a folder");
                };
                let reached = self.open_parent(above, path)?;
                let from = reached.as_ref().unwrap_or(&self.folder);
                self.check_write(from, old, path)?;
                if !from.stat(old)?.is_some_and(|stat| stat.is_file()) {
                    return refuse("is a hard link to something that is not a file");
                }
                self.remove_existing(parent, name, path)?;
                from.hard_link(old, parent, name)
            }
            _ => refuse("is neither a file nor a folder nor a link"),
        }
    }

    /// Opens the folder at a path, and creates missing folders; `None` for an empty path.
    fn open_parent(&self, names: &[&OsStr], path: &Path) -> Result<Option<Folder>> {
        let mut reached: Option<Folder> = None;
        for name in names {
            let parent = reached.as_ref().unwrap_or(&self.folder);
            let child = match parent.child(name) {
                Err(fault) if fault.is_absence() => {
                    self.check_write(parent, name, path)?;
                    parent.make_dir(name, 0o777)?;
                    parent.child(name)?
                }
                Err(_) if parent.stat(name)?.is_some_and(|stat| !stat.is_dir()) => {
                    return Err(archive_error(path, "runs through a link or a file"));
                }
                child => child?,
            };
            reached = Some(child);
        }
        Ok(reached)
    }

    fn check_write(&self, parent: &Folder, name: &OsStr, path: &Path) -> Result<()> {
        match self.roots.deny_rules.write(&parent.location.join(name)) {
            Err(IoFailure::Forbidden(why)) => {
                let why = format!("may not be written, because {why}");
                Err(archive_error(path, &why))
            }
            result => result,
        }
    }

    /// Removes the file or link that an entry replaces.
    fn remove_existing(&self, parent: &Folder, name: &OsStr, path: &Path) -> Result<()> {
        match parent.stat(name)? {
            None => Ok(()),
            Some(there) if there.is_dir() => Err(archive_error(path, "already exists as a folder")),
            Some(_) => parent.remove_file(name),
        }
    }
}

/// Splits a path that stays inside the folder into its names; the path of the folder itself has none.
fn split_entry_path(path: &Path) -> Result<Vec<&OsStr>> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            _ => return Err(archive_error(path, "leads out of the folder")),
        }
    }
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(archive_error(path, "has an invalid file name"));
    }
    if names.len() > MAX_DEPTH {
        return Err(archive_error(path, "lies too deep"));
    }
    Ok(names)
}

fn copy(entry: &mut Entry<'_, impl Read>, mut file: File, path: &Path) -> Result<()> {
    let mut left = entry.size();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = entry.read(&mut buffer);
        match read.map_err(|error| unreadable(path, &error))? {
            0 if left > 0 => return Err(archive_error(path, "is truncated")),
            0 => return Ok(()),
            read => {
                file.write_all(&buffer[..read])?;
                left = left.saturating_sub(read as u64);
            }
        }
    }
}

fn archive_error(entry: &Path, why: &str) -> IoFailure {
    IoFailure::Archive(display_path(entry), why.to_owned())
}

fn unreadable(entry: &Path, error: &io::Error) -> IoFailure {
    archive_error(entry, &format!("cannot be read: {error}"))
}

fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        OsStr::from_bytes(bytes).into()
    }
    #[cfg(not(unix))]
    std::ffi::OsString::from(String::from_utf8_lossy(bytes).into_owned()).into()
}
