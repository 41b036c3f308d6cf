//! Files that are replaced as a whole, by one process at a time.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// Keeps other processes from changing the files of a folder until it is dropped.
///
/// The folder is what is locked: the files themselves are replaced. Where a folder cannot be locked, a change is still
/// whole.
pub(crate) struct Lock {
    _folder: Option<File>,
}

impl Lock {
    /// Waits until nobody else changes the folder, which is made where it is not there.
    pub(crate) fn of_folder_of(path: &Path) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let locked = File::open(folder).and_then(|folder| folder.lock().map(|()| folder));
        Ok(Self {
            _folder: locked.ok(),
        })
    }

    /// Writes the text beside the file, and puts it in its place once it is on disk.
    pub(crate) fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        let beside = path.with_extension(format!("{}.new", std::process::id()));
        let written = File::create(&beside).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        let replaced = written.and_then(|()| fs::rename(&beside, path));
        if replaced.is_err() {
            let _ = fs::remove_file(&beside);
        }
        replaced
    }
}

/// Reads a file; `None` where there is none.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        // A home that is no folder, `/dev/null` for instance, has none either.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Writes a value as a person would: indented, with a line break at the end.
pub(crate) fn pretty(value: &impl serde::Serialize) -> io::Result<String> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(text)
}
