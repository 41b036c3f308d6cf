//! Folders with all that is in them: removed name by name, through descriptors, so that nothing leads out of them.

use std::ffi::{OsStr, OsString};
use std::io;

use super::deny_rules::Location;
use super::folder::Folder;
use super::io_failure::{IoFailure, Result, optional};
use super::roots::Roots;
use crate::sandbox::FileKind;

/// How deep folders may lie in each other: each level holds a descriptor.
pub(super) const MAX_DEPTH: usize = 256;

/// How many names are read at once.
const BATCH: usize = 4_096;

/// A check that refuses to remove a name.
pub(super) type RemovalCheck<'a> = &'a mut dyn FnMut(&Location) -> Result<()>;

/// Removes a folder with all that is in it.
pub(super) fn remove(roots: &Roots, path: &std::path::Path) -> Result<()> {
    let slot = roots.slot(path, false)?;
    let Some(there) = slot.stat()? else {
        return Err(io::ErrorKind::NotFound.into());
    };
    if !there.is_dir() {
        // A link to a folder is none, also with a `/` behind it: what it leads to has a name of its own.
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let at = slot.location();
    roots.deny_rules.check_move(&at)?;
    roots.check_movable(&at)?;
    let folder = slot.folder.child(&slot.name)?;
    // What may not be removed is found before anything is.
    let mut guard = |at: &Location| roots.deny_rules.write(at);
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

/// Visits all folders below a folder. `enter` returns the names of the folders in one that are to be visited, and
/// `leave` gets the parent and the name of one whose contents were visited.
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

/// Shows the guard all that is in a folder.
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

/// Removes all that is in a folder.
pub(super) fn remove_contents(folder: &Folder, guard: RemovalCheck<'_>) -> Result<()> {
    let leave = |parent: &Folder, name: &OsStr| optional(parent.remove_dir(name)).map(drop);
    walk(folder, |folder| remove_files(folder, guard), leave)
}

/// Removes the files of a folder and returns the names of the folders in it.
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
            // Nothing but folders: they have to be taken all at once.
            return folders_in(folder, guard);
        }
    }
}
