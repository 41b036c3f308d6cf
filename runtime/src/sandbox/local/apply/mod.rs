//! Changes to files, all or none.
//!
//! What is written is staged beside its target first, where a full disk shows before anything was touched. Then each
//! change is one rename: new contents are swapped with the old, which are kept until all is done, so that a failure
//! swaps them back. A swap also shows what was really replaced: a file that changed at the last moment is put back.

mod conditions;
mod execute;
mod stash;
mod undo;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::stash::Stash;
pub(super) use self::stash::{in_stash, is_stash};
use self::undo::Undo;
use super::fault::Fault;
use super::folder::{Folder, identity, stamp};
use super::roots::{Roots, Slot, is_missing, means_folder, split};
use crate::sandbox::{Change, FileKind, Metadata};
use crate::support::lock::Mutex;

/// Only one change of this process is between "the file is the one that was seen" and "it is replaced" at a time:
/// otherwise a swap that is taken back could be seen, built upon, and lost.
static TURN: Mutex<()> = Mutex::new(());

/// A change that was not made, and the path that it failed at.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) path: PathBuf,
    pub(super) fault: Fault,
}

impl Fault {
    fn at(self, path: &Path) -> Failure {
        Failure {
            path: path.to_owned(),
            fault: self,
        }
    }
}

/// Makes changes, all or none.
pub(super) fn apply(roots: &Roots, changes: &[Change]) -> Result<Vec<Metadata>, Failure> {
    let mut transaction = Transaction::new(roots);
    match transaction.run(changes) {
        Ok(done) => {
            transaction.commit();
            Ok(done)
        }
        Err(failure) => Err(transaction.roll_back(failure)),
    }
}

/// What the changes have done so far, and what is needed to take it back.
struct Transaction<'a> {
    roots: &'a Roots,
    /// The folders that are touched, by identity, so that each is open once.
    folders: HashMap<(u64, u64), Arc<Folder>>,
    /// Where staged and replaced files are, by the folder that they are beside.
    stashes: HashMap<(u64, u64), Stash>,
    undo: Vec<Undo>,
}

/// New contents that wait for their place.
struct Staged {
    /// The folder whose stash holds them.
    beside: (u64, u64),
    name: OsString,
}

impl<'a> Transaction<'a> {
    fn new(roots: &'a Roots) -> Self {
        Self {
            roots,
            folders: HashMap::new(),
            stashes: HashMap::new(),
            undo: Vec::new(),
        }
    }

    fn run(&mut self, changes: &[Change]) -> Result<Vec<Metadata>, Failure> {
        if conditions::are_independent(changes) {
            for change in changes {
                self.preflight(change)?;
            }
        }
        let mut staged = Vec::with_capacity(changes.len());
        for change in changes {
            staged.push(match change {
                Change::Write { path, bytes, .. } => {
                    Some(self.stage(path, bytes).map_err(|fault| fault.at(path))?)
                }
                _ => None,
            });
        }
        let mut done = Vec::with_capacity(changes.len());
        {
            let _turn = TURN.lock();
            for (change, staged) in changes.iter().zip(&staged) {
                done.push(self.execute(change, staged.as_ref())?);
            }
        }
        for folder in self.folders.values() {
            let place = &folder.location.absolute;
            folder.sync().map_err(|fault| fault.at(place))?;
        }
        Ok(done)
    }

    /// Writes new contents to the disk beside where they will go.
    fn stage(&mut self, path: &Path, bytes: &[u8]) -> Result<Staged, Fault> {
        if means_folder(path) {
            return Err(Fault::NotAFile(FileKind::Directory));
        }
        let folder = self.staging_folder(path)?;
        let (beside, folder) = self.shared(folder)?;
        let stash = self.stash(beside, &folder)?;
        let name = stash.fresh_name();
        let mut file = stash.inner.create(&name, 0o666)?;
        file.write_all(bytes)?;
        stamp(&file, None)?;
        file.sync_all()?;
        Ok(Staged { beside, name })
    }

    /// Finds the folder that a file will be in, or the nearest above it that exists already: on the same disk.
    fn staging_folder(&self, path: &Path) -> Result<Arc<Folder>, Fault> {
        match self.roots.slot(path, true) {
            Ok(slot) => {
                self.roots.floor.write(&slot.location())?;
                return Ok(slot.folder);
            }
            Err(fault) if is_missing(&fault) => {}
            Err(fault) => return Err(fault),
        }
        let mut above = path;
        loop {
            above = split(above)?.0;
            match self.roots.folder(above) {
                Ok(folder) => {
                    self.roots.hold_way(path, &folder.location)?;
                    return Ok(Arc::new(folder));
                }
                Err(fault) if is_missing(&fault) => {}
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Keeps one descriptor of each folder.
    fn shared(&mut self, folder: Arc<Folder>) -> Result<((u64, u64), Arc<Folder>), Fault> {
        let id = identity(&folder.metadata()?);
        let shared = self.folders.entry(id).or_insert(folder);
        Ok((id, Arc::clone(shared)))
    }

    fn shared_slot(&mut self, slot: Slot) -> Result<Slot, Fault> {
        let (_, folder) = self.shared(slot.folder)?;
        Ok(Slot {
            folder,
            name: slot.name,
        })
    }

    /// Gives the stash beside the files of a folder.
    fn stash(&mut self, id: (u64, u64), folder: &Arc<Folder>) -> Result<&mut Stash, Fault> {
        use std::collections::hash_map::Entry;
        Ok(match self.stashes.entry(id) {
            Entry::Occupied(stash) => stash.into_mut(),
            Entry::Vacant(place) => place.insert(Stash::make(folder)?),
        })
    }
}
