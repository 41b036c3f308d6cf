//! Atomic changes to several files: all or none.
//!
//! New contents are first staged beside their targets, so that a full disk is detected before any file is changed. Then
//! each change is one rename: new contents are exchanged with the old, which are kept until all changes are made, so
//! that a failure can restore them. The exchange also reveals the file that was replaced: a file that changed at the
//! last moment is restored.

mod conditions;
mod execute;
mod roll_back;
mod stash;
mod transaction;
mod undo;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

pub(super) use self::stash::{in_stash, is_stash};
use self::transaction::{CHANGE_LOCK, ChangeFailure, StagedContents, Transaction};
use super::folder::{Folder, set_unique_time};
use super::io_failure::{IoFailure, Result};
use super::roots::{Roots, is_missing, names_a_folder, split};
use crate::sandbox::{Change, FileKind, Metadata};

pub(super) fn apply(roots: &Roots, changes: &[Change]) -> Result<Vec<Metadata>, ChangeFailure> {
    let mut transaction = Transaction::new(roots);
    match transaction.run(changes) {
        Ok(done) => {
            transaction.commit();
            Ok(done)
        }
        Err(failure) => Err(transaction.roll_back(failure)),
    }
}

impl Transaction<'_> {
    fn run(&mut self, changes: &[Change]) -> Result<Vec<Metadata>, ChangeFailure> {
        if conditions::are_independent(changes) {
            for change in changes {
                self.preflight(change)?;
            }
        }
        let mut staged = Vec::with_capacity(changes.len());
        for change in changes {
            staged.push(match change {
                Change::Write { path, bytes, .. } => {
                    let contents = self.stage(path, bytes);
                    Some(contents.map_err(|fault| fault.at_path(path))?)
                }
                _ => None,
            });
        }
        let mut done = Vec::with_capacity(changes.len());
        let turn = CHANGE_LOCK.lock();
        for (change, staged) in changes.iter().zip(&staged) {
            done.push(self.execute(change, staged.as_ref())?);
        }
        drop(turn);
        for folder in self.folders.values() {
            let place = &folder.location.absolute;
            folder.sync().map_err(|fault| fault.at_path(place))?;
        }
        Ok(done)
    }

    /// Writes new contents to the file system of their target.
    fn stage(&mut self, path: &Path, bytes: &[u8]) -> Result<StagedContents> {
        if names_a_folder(path) {
            return Err(IoFailure::NotAFile(FileKind::Directory));
        }
        let folder = self.staging_folder(path)?;
        let (beside, folder) = self.share_folder(folder)?;
        let stash = self.stash(beside, &folder)?;
        let name = stash.fresh_name();
        let mut file = stash.inner.create(&name, 0o666)?;
        file.write_all(bytes)?;
        set_unique_time(&file, None)?;
        file.sync_all()?;
        Ok(StagedContents {
            stash_folder: beside,
            name,
        })
    }

    /// Finds the parent folder of a file, or its nearest existing ancestor, which is on the same file system.
    fn staging_folder(&self, path: &Path) -> Result<Arc<Folder>> {
        match self.roots.slot(path, true) {
            Err(fault) if is_missing(&fault) => {}
            slot => {
                let slot = slot?;
                self.roots.deny_rules.write(&slot.location())?;
                return Ok(slot.folder);
            }
        }
        let mut above = path;
        loop {
            above = split(above)?.0;
            match self.roots.folder(above) {
                Err(fault) if is_missing(&fault) => {}
                folder => {
                    let folder = folder?;
                    self.roots.check_judged_ancestor(path, &folder.location)?;
                    return Ok(Arc::new(folder));
                }
            }
        }
    }
}
