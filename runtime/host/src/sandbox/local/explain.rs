//! Converts failures to errors for the model.

use std::io;
use std::path::Path;

use super::io_failure::IoFailure;
use super::roots::Roots;
use crate::sandbox::fs_error::display_path;
use crate::sandbox::suggest::{MAX_COMPARED, nearest};
use crate::sandbox::{FileKind, FsError};
use helve_core::support::text;

impl Roots {
    /// Adds the path, the roots and similar names to a failure.
    pub(super) fn explain(&self, given: &Path, fault: IoFailure) -> FsError {
        let path = display_path(given);
        match fault {
            IoFailure::Outside => FsError::Outside {
                path,
                roots: self.paths.iter().map(|root| display_path(root)).collect(),
            },
            IoFailure::Link => FsError::Link { path },
            IoFailure::NotAFile(FileKind::Directory) => FsError::IsADirectory { path },
            IoFailure::NotAFile(kind) => FsError::NotAFile { path, kind },
            IoFailure::Invalid(reason) => invalid_path(&path, reason),
            IoFailure::Unsupported(source) => FsError::Unsupported { source },
            IoFailure::Forbidden(why) => FsError::Forbidden { path, why },
            IoFailure::Changed => FsError::Changed { path },
            IoFailure::Diverted => FsError::Diverted { path },
            IoFailure::Exists => FsError::Exists { path },
            IoFailure::NotEmpty => FsError::NotEmpty { path },
            IoFailure::Archive(entry, why) => FsError::Archive { entry, why },
            IoFailure::Io(source) => match source.kind() {
                io::ErrorKind::NotFound => self.not_found(given),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    FsError::NoSpace { path }
                }
                io::ErrorKind::ReadOnlyFilesystem => FsError::ReadOnly { path },
                io::ErrorKind::NotADirectory => FsError::NotADirectory { path },
                io::ErrorKind::PermissionDenied => FsError::PermissionDenied { path },
                io::ErrorKind::InvalidFilename => {
                    invalid_path(&path, "a file name in the path is too long")
                }
                _ => FsError::Io { path, source },
            },
        }
    }

    /// Like [`explain`](Self::explain), for a root that could not be opened, without suggesting similar names.
    pub(super) fn explain_root(&self, given: &Path, fault: IoFailure) -> FsError {
        match fault {
            IoFailure::Io(source) if source.kind() == io::ErrorKind::NotFound => {
                not_found_error(given, given, Vec::new())
            }
            fault => self.explain(given, fault),
        }
    }

    /// Finds the first component of a path that does not exist, and similar names beside it.
    fn not_found(&self, path: &Path) -> FsError {
        let mut missing = path;
        while let Some(folder) = missing.parent() {
            // The parent of a relative path with one component is empty.
            let at = if folder.as_os_str().is_empty() {
                Path::new(".")
            } else {
                folder
            };
            match self.list(at, MAX_COMPARED) {
                Ok(listing) => {
                    let wanted = missing.file_name().unwrap_or_default().to_string_lossy();
                    let entries = listing.entries.iter();
                    let names = entries.filter_map(|entry| entry.name.to_str());
                    // Only names that can be used in a path.
                    let usable =
                        names.filter(|name| *name != wanted && !name.contains(char::is_control));
                    let found = nearest(&wanted, usable).into_iter();
                    let shown = found.map(|name| display_path(&folder.join(name)));
                    return not_found_error(path, missing, shown.collect());
                }
                Err(IoFailure::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                    missing = folder;
                }
                Err(_) => break,
            }
        }
        not_found_error(path, missing, Vec::new())
    }
}

/// The greatest number of characters of an unusable path in its error; a usable path has a limited length.
const MAX_SHOWN_CHARS: usize = 200;

fn invalid_path(path: &str, reason: &'static str) -> FsError {
    FsError::InvalidPath {
        path: text::truncate(path, MAX_SHOWN_CHARS).into_owned(),
        reason,
    }
}

fn not_found_error(path: &Path, missing: &Path, suggestions: Vec<String>) -> FsError {
    FsError::NotFound {
        path: display_path(path),
        missing: display_path(missing),
        suggestions,
    }
}
