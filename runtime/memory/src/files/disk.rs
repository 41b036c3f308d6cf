//! Files and folders of the memory on disk. Links are never followed.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::bounded_read::is_not_found;
use helve_storage::private_files;

use crate::error::MemoryError;

/// The greatest number of files and folders that are looked at in a memory.
const MAX_WALKED: usize = 4_096;

/// How often a file is looked at that others replace meanwhile.
const MAX_READS: usize = 16;

/// The greatest depth of folders below a memory.
const MAX_DEPTH: usize = 4;

/// Returns what is at a path, without following a link; `None` if nothing is there.
pub(super) fn inspect(path: &Path) -> Result<Option<fs::Metadata>, MemoryError> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_not_found(&error) => Ok(None),
        Err(error) => Err(MemoryError::io(path)(error)),
    }
}

/// Reads a plain file of at most `limit` bytes; `None` if it does not exist.
pub(super) fn read(path: &Path, limit: usize) -> Result<Option<String>, MemoryError> {
    for _ in 0..MAX_READS {
        let Some(found) = inspect(path)? else {
            return Ok(None);
        };
        if !found.is_file() {
            break;
        }
        let file = match File::open(path) {
            Err(error) if is_not_found(&error) => continue,
            opened => opened.map_err(MemoryError::io(path))?,
        };
        let opened = file.metadata().map_err(MemoryError::io(path))?;
        // A file that was replaced since it was looked at is looked at again: it may be a link now.
        if is_same_file(&found, &opened) {
            let text = read_opened(file, limit).map_err(MemoryError::io(path));
            return text.map(Some);
        }
    }
    Err(MemoryError::NotPlain {
        path: path.to_owned(),
    })
}

fn read_opened(file: File, limit: usize) -> io::Result<String> {
    let mut content = Vec::new();
    file.take(limit as u64 + 1).read_to_end(&mut content)?;
    // What is longer or not in UTF-8 was put there by others; its beginning is shown.
    content.truncate(limit);
    Ok(match String::from_utf8(content) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

#[cfg(unix)]
fn is_same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(_: &fs::Metadata, other: &fs::Metadata) -> bool {
    other.is_file()
}

/// Checks that what exists of a path below a root consists of folders.
pub(super) fn check_folders(root: &Path, below: &Path) -> Result<(), MemoryError> {
    let mut path = root.to_owned();
    for name in below {
        path.push(name);
        match inspect(&path)? {
            Some(found) if !found.is_dir() => return Err(MemoryError::NotPlain { path }),
            Some(_) => {}
            None => return Ok(()),
        }
    }
    Ok(())
}

/// Replaces a file, whose folders are created.
pub(super) fn write(path: &Path, content: &str) -> Result<(), MemoryError> {
    create_parent(path)?;
    let file = AtomicFile::new(path, FilePermissions::PreserveOrOwner);
    file.replace(&[content.as_bytes()])
        .map_err(MemoryError::io(path))
}

/// Creates the folder of a file.
pub(super) fn create_parent(path: &Path) -> Result<(), MemoryError> {
    let folder = path.parent().unwrap_or(path);
    private_files::create_folder(folder).map_err(MemoryError::io(folder))
}

/// Removes a file; it is no error if it does not exist.
pub(super) fn remove_file(path: &Path) -> Result<(), MemoryError> {
    match fs::remove_file(path) {
        Err(error) if !is_not_found(&error) => Err(MemoryError::io(path)(error)),
        _ => Ok(()),
    }
}

/// Removes a folder and the folders in it, of which none contains a file.
pub(super) fn remove_folders(path: &Path) -> Result<(), MemoryError> {
    for entry in fs::read_dir(path).map_err(MemoryError::io(path))? {
        let entry = entry.map_err(MemoryError::io(path))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_folders(&entry.path())?;
        }
    }
    fs::remove_dir(path).map_err(MemoryError::io(path))
}

/// Removes the folders above a path that have become empty, up to a root.
pub(super) fn remove_empty_parents(path: &Path, root: &Path) {
    let mut folder = path.parent();
    while let Some(empty) = folder.filter(|folder| *folder != root && folder.starts_with(root)) {
        if fs::remove_dir(empty).is_err() {
            return;
        }
        folder = empty.parent();
    }
}

/// A plain file below a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundFile {
    /// The path relative to the folder.
    pub(super) path: PathBuf,
    /// The size, in bytes.
    pub(super) size: u64,
    /// The time of its last change and its size, as far as the file system tells.
    pub(super) stamp: String,
}

/// What is below a folder.
#[derive(Debug, Default)]
pub(super) struct FolderListing {
    /// The plain files, in the order of their paths.
    pub(super) files: Vec<FoundFile>,
    /// What is no entry: hidden names, links, names that are not in UTF-8, and what is deeper, or beyond a bound.
    pub(super) others: Vec<PathBuf>,
}

/// Lists the plain files below a folder, in the order of their paths.
pub(super) fn walk(folder: &Path) -> Result<Vec<FoundFile>, MemoryError> {
    Ok(list(folder)?.files)
}

/// Lists what is below a folder.
pub(super) fn list(folder: &Path) -> Result<FolderListing, MemoryError> {
    let mut found = FolderListing::default();
    let mut left = vec![(PathBuf::new(), 0)];
    let mut walked = 0;
    while let Some((below, depth)) = left.pop() {
        let path = folder.join(&below);
        if !inspect(&path)?.is_some_and(|found| found.is_dir()) {
            continue;
        }
        let entries = match fs::read_dir(&path) {
            // One folder that cannot be read does not make the others unreadable.
            Err(_) if depth > 0 => {
                found.others.push(below);
                continue;
            }
            entries => entries.map_err(MemoryError::io(&path))?,
        };
        for entry in entries {
            let entry = entry.map_err(MemoryError::io(&path))?;
            let name = entry.file_name();
            let below = below.join(&name);
            walked += 1;
            if walked > MAX_WALKED {
                found.others.push(below);
                break;
            }
            if name.to_str().is_none_or(|name| name.starts_with('.')) {
                found.others.push(below);
                continue;
            }
            // A file may be removed while the folder is listed.
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() && depth + 1 < MAX_DEPTH => {
                    left.push((below, depth + 1));
                }
                Ok(metadata) if metadata.is_file() => found.files.push(FoundFile {
                    path: below,
                    size: metadata.len(),
                    stamp: stamp(&metadata),
                }),
                Ok(_) => found.others.push(below),
                Err(_) => {}
            }
        }
    }
    found.files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

fn stamp(metadata: &fs::Metadata) -> String {
    let changed = metadata.modified().ok();
    let since = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let nanos = since.map_or(0, |since| since.as_nanos());
    #[cfg(unix)]
    let node = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let node = 0;
    format!("{nanos}-{}-{node}", metadata.len())
}

/// Appends a line to a file, and syncs it. A line that a crash has torn is ended first.
pub(super) fn append_line(path: &Path, line: &str) -> Result<(), MemoryError> {
    use std::io::{Seek as _, SeekFrom, Write as _};

    create_parent(path)?;
    let append = || -> io::Result<()> {
        let mut file = private_files::read_write().open(path)?;
        let end = file.seek(SeekFrom::End(0))?;
        let mut last = [b'\n'];
        if end > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        let start = if last == [b'\n'] { "" } else { "\n" };
        file.write_all(format!("{start}{line}\n").as_bytes())?;
        file.sync_data()
    };
    append().map_err(MemoryError::io(path))
}
