//! Entries of folders as they are, links included: what a history of files compares and restores. Every path is absolute and without links; where a component of it has become a link, it is rejected.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::LocalFs;
use super::apply::{apply, is_stash};
use super::folder::Folder;
use super::io_failure::{IoFailure, Result};
use super::metadata::version_of;
use super::roots::{Roots, Slot, is_missing};
use crate::sandbox::{Change, FileVersion, FsError, JudgedPaths, PathLocation};

impl LocalFs {
    /// Returns the metadata of an entry without following a link; `None` if the entry does not exist.
    pub(crate) fn entry(&self, path: &Path) -> Result<Option<fs::Metadata>, FsError> {
        self.explained(path, |roots| match exact_slot(roots, path) {
            Ok(slot) => slot.stat(),
            Err(fault) if is_missing(&fault) => Ok(None),
            Err(fault) => Err(fault),
        })
    }

    /// Opens an entry that is a file.
    pub(crate) fn open_entry(&self, path: &Path) -> Result<File, FsError> {
        self.explained(path, |roots| {
            let slot = exact_slot(roots, path)?;
            slot.folder.open(&slot.name)
        })
    }

    /// Reads the target of an entry that is a link.
    pub(crate) fn read_link_entry(&self, path: &Path) -> Result<PathBuf, FsError> {
        self.explained(path, |roots| {
            let slot = exact_slot(roots, path)?;
            slot.folder.read_link(&slot.name)
        })
    }

    /// Lists at most `limit` entries of a folder, in the order of their names, without those that are denied.
    pub(crate) fn entries_in(
        &self,
        path: &Path,
        limit: usize,
    ) -> Result<(Vec<(OsString, fs::Metadata)>, bool), FsError> {
        self.explained(path, |roots| {
            let folder = roots.folder(path)?;
            require_location(&folder, path)?;
            let (names, truncated) = folder.names(limit)?;
            let mut entries = Vec::with_capacity(names.len());
            for entry in names {
                let location = folder.location.join(&entry.name);
                if is_stash(&entry.name) || roots.deny_rules.read(&location).is_err() {
                    continue;
                }
                if let Some(stat) = folder.stat(&entry.name)? {
                    entries.push((entry.name, stat));
                }
            }
            entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            Ok((entries, truncated))
        })
    }

    /// Makes changes of one entry, which must still be at that location.
    pub(crate) fn change_entry(&self, path: &Path, changes: &[Change]) -> Result<(), FsError> {
        let mut judged = JudgedPaths::default();
        judged.insert(path, Some(PathLocation::new(path, path)));
        let roots = self.roots.with_judged_paths(Arc::new(judged));
        match apply(&roots, changes) {
            Ok(_) => Ok(()),
            Err(failure) => Err(roots.explain(path, failure.failure)),
        }
    }

    /// Creates a folder whose parent exists.
    pub(crate) fn create_folder_entry(&self, path: &Path) -> Result<(), FsError> {
        self.changed(path, |slot| slot.folder.make_dir(&slot.name, 0o777))
    }

    /// Creates a link.
    pub(crate) fn create_link_entry(&self, path: &Path, target: &Path) -> Result<(), FsError> {
        self.changed(path, |slot| slot.folder.make_link(&slot.name, target))
    }

    /// Sets the mode of a file or a folder.
    #[cfg(unix)]
    pub(crate) fn set_entry_mode(&self, path: &Path, mode: u32) -> Result<(), FsError> {
        use std::os::unix::fs::PermissionsExt as _;
        self.changed(path, |slot| {
            let file = slot.folder.open(&slot.name)?;
            Ok(file.set_permissions(fs::Permissions::from_mode(mode))?)
        })
    }

    fn changed(&self, path: &Path, change: impl Fn(&Slot) -> Result<()>) -> Result<(), FsError> {
        self.explained(path, |roots| {
            let slot = exact_slot(roots, path)?;
            roots.deny_rules.write(&slot.location())?;
            change(&slot)
        })
    }

    fn explained<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&Roots) -> Result<T>,
    ) -> Result<T, FsError> {
        work(&self.roots).map_err(|fault| self.roots.explain(path, fault))
    }
}

/// Returns the version by which a change recognizes a file.
pub(crate) fn file_version(stat: &fs::Metadata) -> Option<FileVersion> {
    version_of(stat)
}

/// Returns the folder and the name of an entry whose path has no links.
fn exact_slot(roots: &Roots, path: &Path) -> Result<Slot> {
    let slot = roots.slot(path, false)?;
    require_location(&slot.folder, path.parent().unwrap_or(path))?;
    roots.deny_rules.read(&slot.location())?;
    Ok(slot)
}

fn require_location(folder: &Folder, path: &Path) -> Result<()> {
    if folder.location.absolute == path {
        return Ok(());
    }
    Err(IoFailure::Diverted)
}
