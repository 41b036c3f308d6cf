//! Removes folders recursively, name by name, through descriptors, so that no path leads out of them.

use std::ffi::{OsStr, OsString};
use std::io;

use super::deny_rules::LocatedPath;
use super::folder::Folder;
use super::io_failure::{IoFailure, Result, optional};
use super::roots::Roots;
use crate::sandbox::FileKind;

/// The greatest nesting depth of folders: each level holds a descriptor.
pub(super) const MAX_DEPTH: usize = 256;

/// The number of names that are read at once.
const BATCH: usize = 4_096;

/// A check that can reject the removal of a name.
pub(super) type RemovalCheck<'a> = &'a mut dyn FnMut(&LocatedPath) -> Result<()>;

/// Removes a folder recursively.
pub(super) fn remove(roots: &Roots, path: &std::path::Path) -> Result<()> {
    let slot = roots.slot(path, false)?;
    let Some(there) = slot.stat()? else {
        return Err(io::ErrorKind::NotFound.into());
    };
    if !there.is_dir() {
        // A link to a folder is not a folder, even with a trailing `/`: its target has its own path.
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let at = slot.location();
    roots.deny_rules.check_move(&at)?;
    roots.check_movable(&at)?;
    let folder = slot.folder.child(&slot.name)?;
    // Paths that must not be removed are found before any entry is removed.
    let mut guard = |at: &LocatedPath| roots.deny_rules.write(at);
    check_contents(&folder, &mut guard)?;
    remove_contents(&folder, &mut guard)?;
    slot.folder.remove_dir(&slot.name)
}

/// A folder whose entries are being visited.
struct RemovalLevel {
    folder: Folder,
    name: OsString,
    pending: Vec<OsString>,
}

/// Visits all folders below a folder. `enter` returns the names of the subfolders to visit, and `leave` gets the parent
/// and the name of a folder whose contents were visited.
fn walk(
    folder: &Folder,
    mut enter: impl FnMut(&Folder) -> Result<Vec<OsString>>,
    leave: impl Fn(&Folder, &OsStr) -> Result<()>,
) -> Result<()> {
    let mut levels: Vec<RemovalLevel> = Vec::new();
    let mut waiting = enter(folder)?;
    loop {
        let next = levels
            .last_mut()
            .map_or_else(|| waiting.pop(), |level| level.pending.pop());
        let parent = levels.last().map_or(folder, |level| &level.folder);
        if let Some(name) = next {
            let Some(child) = optional(parent.child(&name))? else {
                continue;
            };
            if levels.len() >= MAX_DEPTH {
                return Err(IoFailure::Invalid("the folders are nested too deeply"));
            }
            let pending = enter(&child)?;
            levels.push(RemovalLevel {
                folder: child,
                name,
                pending,
            });
        } else if let Some(done) = levels.pop() {
            let parent = levels.last().map_or(folder, |level| &level.folder);
            leave(parent, &done.name)?;
        } else {
            return Ok(());
        }
    }
}

/// Checks all entries of a folder.
fn check_contents(folder: &Folder, guard: RemovalCheck<'_>) -> Result<()> {
    walk(folder, |folder| folders_in(folder, guard), |_, _| Ok(()))
}

fn folders_in(folder: &Folder, guard: RemovalCheck<'_>) -> Result<Vec<OsString>> {
    let (names, _) = folder.names(usize::MAX)?;
    let mut folders = Vec::new();
    for entry in names {
        guard(&folder.location.join(&entry.name))?;
        if entry.kind == FileKind::Directory {
            folders.push(entry.name);
        }
    }
    Ok(folders)
}

/// Removes all entries of a folder.
pub(super) fn remove_contents(folder: &Folder, guard: RemovalCheck<'_>) -> Result<()> {
    let leave = |parent: &Folder, name: &OsStr| optional(parent.remove_dir(name)).map(drop);
    walk(folder, |folder| remove_files(folder, guard), leave)
}

/// Removes the files of a folder and returns the names of its subfolders.
fn remove_files(folder: &Folder, guard: RemovalCheck<'_>) -> Result<Vec<OsString>> {
    loop {
        let mut folders = Vec::new();
        let (names, more) = folder.names(BATCH)?;
        for entry in names {
            guard(&folder.location.join(&entry.name))?;
            if entry.kind == FileKind::Directory {
                folders.push(entry.name);
                continue;
            }
            optional(folder.remove_file(&entry.name))?;
        }
        if !more {
            return Ok(folders);
        }
        if folders.len() == BATCH {
            // The batch contains only folders, so all names must be read at once.
            return folders_in(folder, guard);
        }
    }
}
