//! The state of changes in progress.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::super::folder::{Folder, identity};
use super::super::io_failure::{IoFailure, Result};
use super::super::roots::{Roots, Slot};
use super::stash::Stash;
use super::undo::UndoStep;

/// Only one change of this process is between "the file is the one that was seen" and "it is replaced" at a time:
/// otherwise a swap that is taken back could be seen, built upon, and lost.
pub(super) static CHANGE_LOCK: Mutex<()> = Mutex::new(());

/// A failed change, and the path that it failed at.
#[derive(Debug)]
pub(crate) struct ChangeFailure {
    pub(crate) path: PathBuf,
    pub(crate) failure: IoFailure,
}

impl IoFailure {
    pub(super) fn at_path(self, path: &Path) -> ChangeFailure {
        ChangeFailure {
            path: path.to_owned(),
            failure: self,
        }
    }
}

/// What the changes have done so far, and what is needed to undo it.
pub(super) struct Transaction<'a> {
    pub(super) roots: &'a Roots,
    /// The folders that are touched, by identity, so that each is open once.
    pub(super) folders: HashMap<(u64, u64), Arc<Folder>>,
    /// Where staged and replaced files are, by the folder that they are beside.
    pub(super) stashes: HashMap<(u64, u64), Stash>,
    pub(super) undo: Vec<UndoStep>,
}

/// New contents that are not in their place yet.
pub(super) struct StagedContents {
    /// The folder whose stash holds them.
    pub(super) stash_folder: (u64, u64),
    pub(super) name: OsString,
}

impl<'a> Transaction<'a> {
    pub(super) fn new(roots: &'a Roots) -> Self {
        Self {
            roots,
            folders: HashMap::new(),
            stashes: HashMap::new(),
            undo: Vec::new(),
        }
    }

    /// Shares one descriptor of each folder.
    pub(super) fn share_folder(
        &mut self,
        folder: Arc<Folder>,
    ) -> Result<((u64, u64), Arc<Folder>)> {
        let id = identity(&folder.metadata()?);
        let shared = self.folders.entry(id).or_insert(folder);
        Ok((id, Arc::clone(shared)))
    }

    pub(super) fn share_slot(&mut self, slot: Slot) -> Result<Slot> {
        let (_, folder) = self.share_folder(slot.folder)?;
        Ok(Slot {
            folder,
            name: slot.name,
        })
    }

    /// Returns the stash beside the files of a folder.
    pub(super) fn stash(&mut self, id: (u64, u64), folder: &Arc<Folder>) -> Result<&mut Stash> {
        use std::collections::hash_map::Entry;
        Ok(match self.stashes.entry(id) {
            Entry::Occupied(stash) => stash.into_mut(),
            Entry::Vacant(place) => place.insert(Stash::create(folder)?),
        })
    }
}
