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

/// Locks the time between the comparison of a file with its condition and its replacement, for all changes of this
/// process: otherwise another change could read, and build on, a replacement that is undone.
pub(super) static CHANGE_LOCK: Mutex<()> = Mutex::new(());

/// A failed change, and the path at which it failed.
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

/// The completed steps of the changes, with the data that is needed to undo them.
pub(super) struct Transaction<'a> {
    pub(super) roots: &'a Roots,
    /// The folders of the changes, by identity, so that each folder is opened once.
    pub(super) folders: HashMap<(u64, u64), Arc<Folder>>,
    /// The stashes of staged and replaced files, by the identity of their folder.
    pub(super) stashes: HashMap<(u64, u64), Stash>,
    pub(super) undo: Vec<UndoStep>,
}

/// New contents that are not moved into place yet.
pub(super) struct StagedContents {
    /// The folder whose stash contains them.
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

    /// Returns the stash of a folder.
    pub(super) fn stash(&mut self, id: (u64, u64), folder: &Arc<Folder>) -> Result<&mut Stash> {
        use std::collections::hash_map::Entry;
        Ok(match self.stashes.entry(id) {
            Entry::Occupied(stash) => stash.into_mut(),
            Entry::Vacant(place) => place.insert(Stash::create(folder)?),
        })
    }
}
