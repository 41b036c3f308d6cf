//! Copies of projected folders.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::folder::make_removable;
use super::shared::PassthroughState;
use crate::sandbox::{SandboxError, SandboxId};

const MAX_FILES: usize = 100_000;
const MAX_BYTES: u64 = 1 << 30;
/// The greatest nesting depth of folders.
const MAX_DEPTH: usize = 64;

/// Copies a folder into the folder of the sandbox, unless the same folder was copied under the same name before.
pub(super) fn project(
    shared: &PassthroughState,
    folder: &Path,
    name: &str,
) -> Result<PathBuf, SandboxError> {
    let refuse = |why: String| SandboxError::Projection {
        folder: folder.to_owned(),
        why,
    };
    // The rules for sandbox IDs also make a valid file name.
    SandboxId::new(name).map_err(|_| {
        refuse(format!(
            "invalid name `{name}`: use letters, digits, `-` and `_`"
        ))
    })?;
    let source = folder
        .canonicalize()
        .and_then(|source| fs::read_dir(&source).map(|_| source))
        .map_err(|error| refuse(error.to_string()))?;
    let mut projections = shared.folder.projections.lock();
    let target = shared.folder.create_projections_folder()?.join(name);
    if let Some(there) = projections.get(name) {
        if *there == source {
            return Ok(target);
        }
        return Err(refuse(format!("`{name}` is `{}` already", there.display())));
    }
    let mut copy = FolderCopy {
        root: &source,
        files: 0,
        bytes: 0,
    };
    if let Err(error) = copy.copy_folder(&source, &target, 0) {
        make_removable(&target);
        let _ = fs::remove_dir_all(&target);
        return Err(refuse(error.to_string()));
    }
    projections.insert(name.to_owned(), source);
    Ok(target)
}

struct FolderCopy<'c> {
    root: &'c Path,
    files: usize,
    bytes: u64,
}

impl FolderCopy<'_> {
    fn copy_folder(&mut self, from: &Path, to: &Path, depth: usize) -> io::Result<()> {
        if depth > MAX_DEPTH {
            return Err(io::Error::other("the folders are nested too deeply"));
        }
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            self.files += 1;
            if self.files > MAX_FILES {
                let why = format!("the folder has more than {MAX_FILES} files");
                return Err(io::Error::other(why));
            }
            self.copy_entry(&entry.path(), &to.join(entry.file_name()), depth)?;
        }
        fs::set_permissions(to, Permissions::from_mode(0o555))
    }

    fn copy_entry(&mut self, from: &Path, to: &Path, depth: usize) -> io::Result<()> {
        let found = fs::symlink_metadata(from)?;
        if found.is_dir() {
            return self.copy_folder(from, to, depth + 1);
        }
        if found.is_symlink() {
            let target = fs::read_link(from)?;
            // A link that leads out would be dangling, so it is left out.
            if self.stays_inside(from, &target) {
                symlink(target, to)?;
            }
        }
        if !found.is_file() {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(found.len());
        if self.bytes > MAX_BYTES {
            let why = format!("the folder has more than {MAX_BYTES} bytes");
            return Err(io::Error::other(why));
        }
        fs::copy(from, to)?;
        let mode = if found.permissions().mode() & 0o111 == 0 {
            0o444
        } else {
            0o555
        };
        fs::set_permissions(to, Permissions::from_mode(mode))
    }

    /// Reports whether a link stays inside, by its text and by its target.
    fn stays_inside(&self, link: &Path, target: &Path) -> bool {
        let leads = link.canonicalize();
        target.is_relative() && leads.is_ok_and(|leads| leads.starts_with(self.root))
    }
}
