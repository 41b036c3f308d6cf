//! Undoes one step of a change.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;

use super::super::folder::identity;
use super::super::io_failure::{IoFailure, Result, optional};
use super::super::roots::Slot;
use super::stash::Stash;

/// A step that can be undone.
#[derive(Debug)]
pub(super) enum UndoStep {
    /// A folder was created.
    CreatedFolder(Slot),
    /// A file was created at a free path.
    Created {
        slot: Slot,
        identity: (u64, u64),
        stash_folder: (u64, u64),
        name: OsString,
    },
    /// A file was replaced; the original is in the stash.
    Replaced {
        slot: Slot,
        identity: (u64, u64),
        stash_folder: (u64, u64),
        name: OsString,
        swapped: bool,
    },
    /// An entry was removed; it is in the stash. For a folder, its identity.
    Removed {
        slot: Slot,
        stash_folder: (u64, u64),
        name: OsString,
        folder: Option<(u64, u64)>,
    },
    /// An empty folder was removed that could not be moved into the stash.
    RemovedFolder { slot: Slot, like: fs::Metadata },
    /// An entry was moved.
    Moved { from: Slot, to: Slot },
}

impl UndoStep {
    /// Undoes the step. Changes that another process made meanwhile are kept.
    pub(super) fn undo(&self, stashes: &HashMap<(u64, u64), Stash>) -> Result<()> {
        match self {
            Self::CreatedFolder(slot) => match slot.folder.remove_dir(&slot.name) {
                Err(fault) if is_in_use(&fault) => Ok(()),
                removed => removed,
            },
            Self::Created {
                slot,
                identity: own,
                stash_folder,
                name,
            } => {
                // The file is moved away before it is compared, so that no file of another process is removed.
                let stash = &stash_for(stashes, *stash_folder)?.inner;
                let moved = slot.folder.rename_no_replace(&slot.name, stash, name);
                if optional(moved)?.is_none() {
                    return Ok(());
                }
                let there = stash.stat(name)?;
                if there.is_some_and(|there| identity(&there) != *own) {
                    stash.rename_no_replace(name, &slot.folder, &slot.name)?;
                }
                Ok(())
            }
            Self::Replaced {
                slot,
                identity: own,
                stash_folder,
                name,
                swapped,
            } => restore(
                slot,
                *own,
                stash_for(stashes, *stash_folder)?,
                name,
                *swapped,
            ),
            Self::Removed {
                slot,
                stash_folder,
                name,
                ..
            } => {
                let stash = &stash_for(stashes, *stash_folder)?.inner;
                stash.rename_no_replace(name, &slot.folder, &slot.name)
            }
            Self::RemovedFolder { slot, like } => {
                slot.folder.make_dir(&slot.name, 0o777)?;
                let made = slot.folder.child(&slot.name)?;
                made.copy_owner_and_mode(like);
                Ok(())
            }
            Self::Moved { from, to } => {
                to.folder
                    .rename_no_replace(&to.name, &from.folder, &from.name)
            }
        }
    }

    /// Returns the stash that contains the original, if there is one.
    pub(super) fn stash_of_original(&self) -> Option<(u64, u64)> {
        match self {
            Self::Replaced { stash_folder, .. } | Self::Removed { stash_folder, .. } => {
                Some(*stash_folder)
            }
            _ => None,
        }
    }
}

fn stash_for(stashes: &HashMap<(u64, u64), Stash>, folder: (u64, u64)) -> Result<&Stash> {
    let gone = || io::Error::other("the backup was removed");
    stashes.get(&folder).ok_or_else(|| gone().into())
}

fn restore(slot: &Slot, own: (u64, u64), stash: &Stash, name: &OsStr, swapped: bool) -> Result<()> {
    let is_own = |stat: Option<fs::Metadata>| stat.is_some_and(|stat| identity(&stat) == own);
    if !swapped {
        if is_own(slot.stat()?) {
            stash
                .inner
                .rename_replacing(name, &slot.folder, &slot.name)?;
        }
        return Ok(());
    }
    stash.inner.exchange(name, &slot.folder, &slot.name)?;
    if !is_own(stash.inner.stat(name)?) {
        // Another process has replaced the file since: its file is newer than the original.
        stash.inner.exchange(name, &slot.folder, &slot.name)?;
    }
    Ok(())
}

fn is_in_use(fault: &IoFailure) -> bool {
    use io::ErrorKind::{DirectoryNotEmpty, NotFound};
    matches!(fault.kind(), Some(DirectoryNotEmpty | NotFound))
}
