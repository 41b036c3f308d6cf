//! Folders with all that is in them: removed name by name, through descriptors, so that nothing leads out of them.

use std::ffi::OsString;
use std::io;

use super::deny_rules::Location;
use super::folder::Folder;
use super::io_failure::IoFailure;
use super::roots::Roots;
use crate::sandbox::FileKind;

/// How deep folders may lie in each other: each level holds a descriptor.
pub(super) const MAX_DEPTH: usize = 256;

/// How many names are taken at once.
const BATCH: usize = 4_096;

/// Refuses a name for a reason of its own.
pub(super) type RemovalCheck<'a> = &'a mut dyn FnMut(&Location) -> Result<(), IoFailure>;

/// Removes a folder with all that is in it.
pub(super) fn remove(roots: &Roots, path: &std::path::Path) -> Result<(), IoFailure> {
    let slot = roots.slot(path, false)?;
    let Some(there) = slot.stat()? else {
        return Err(io::Error::from(io::ErrorKind::NotFound).into());
    };
    if !there.is_dir() {
        // A link to a folder is none, also with a `/` behind it: what it leads to has a name of its own.
        return Err(io::Error::from(io::ErrorKind::NotADirectory).into());
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

/// A folder whose names are being gone through.
struct RemovalLevel {
    folder: Folder,
    name: OsString,
    pending: Vec<OsString>,
}

/// Shows the guard all that is in a folder.
fn check_contents(folder: &Folder, guard: RemovalCheck<'_>) -> Result<(), IoFailure> {
    let mut levels: Vec<RemovalLevel> = Vec::new();
    let mut waiting = folders_in(folder, guard)?;
    loop {
        let next = levels
            .last_mut()
            .map_or_else(|| waiting.pop(), |level| level.pending.pop());
        match next {
            Some(name) => {
                let parent = levels.last().map_or(folder, |level| &level.folder);
                let child = match parent.child(&name) {
                    Err(fault) if fault.is_absence() => continue,
                    child => child?,
                };
                deep(levels.len())?;
                let waiting = folders_in(&child, guard)?;
                levels.push(RemovalLevel {
                    folder: child,
                    name,
                    pending: waiting,
                });
            }
            None => {
                if levels.pop().is_none() {
                    return Ok(());
                }
            }
        }
    }
}

fn folders_in(folder: &Folder, guard: RemovalCheck<'_>) -> Result<Vec<OsString>, IoFailure> {
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
pub(super) fn remove_contents(folder: &Folder, guard: RemovalCheck<'_>) -> Result<(), IoFailure> {
    let mut levels: Vec<RemovalLevel> = Vec::new();
    let mut waiting = remove_files(folder, guard)?;
    loop {
        let next = levels
            .last_mut()
            .map_or_else(|| waiting.pop(), |level| level.pending.pop());
        let parent = levels.last().map_or(folder, |level| &level.folder);
        if let Some(name) = next {
            let child = match parent.child(&name) {
                Err(fault) if fault.is_absence() => continue,
                child => child?,
            };
            deep(levels.len())?;
            let waiting = remove_files(&child, guard)?;
            levels.push(RemovalLevel {
                folder: child,
                name,
                pending: waiting,
            });
        } else if let Some(done) = levels.pop() {
            let parent = levels.last().map_or(folder, |level| &level.folder);
            match parent.remove_dir(&done.name) {
                Err(fault) if fault.is_absence() => {}
                removed => removed?,
            }
        } else {
            return Ok(());
        }
    }
}

/// Removes the files of a folder and returns the names of the folders in it.
fn remove_files(folder: &Folder, guard: RemovalCheck<'_>) -> Result<Vec<OsString>, IoFailure> {
    loop {
        let mut folders = Vec::new();
        let (names, more) = folder.names(BATCH)?;
        for entry in names {
            guard(&folder.location.join(&entry.name))?;
            if entry.kind == FileKind::Directory {
                folders.push(entry.name);
                continue;
            }
            match folder.remove_file(&entry.name) {
                Err(fault) if fault.is_absence() => {}
                removed => removed?,
            }
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

fn deep(levels: usize) -> Result<(), IoFailure> {
    if levels < MAX_DEPTH {
        return Ok(());
    }
    Err(IoFailure::Invalid("the folders are nested too deeply"))
}
