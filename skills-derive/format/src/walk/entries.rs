//! The entries of one folder, and their paths.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use crate::codes;
use crate::limits::MAX_ENTRIES;
use crate::problem::Finding;

/// Files and folders of tools, which are never part of a skill.
const LEFT_OUT: &[&str] = &[".git", ".DS_Store", "__pycache__", "node_modules"];

/// Lists a folder in sorted order, without the entries that are always excluded.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        entries.push(entry?);
        if entries.len() > MAX_ENTRIES {
            let message = format!("it has more than {MAX_ENTRIES} entries");
            return Err(io::Error::other(message));
        }
    }
    entries.retain(|entry| {
        !LEFT_OUT
            .iter()
            .any(|left_out| entry.file_name() == *left_out)
    });
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

/// Joins two paths, either of which may be empty.
pub(super) fn join(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// Returns the finding of a file or folder that cannot be read.
pub(crate) fn unreadable(error: &io::Error) -> Finding {
    Finding::new(codes::UNREADABLE, format!("this cannot be read: {error}"))
}
