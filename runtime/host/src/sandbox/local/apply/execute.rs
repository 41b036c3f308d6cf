//! Makes changes one after the other, each by one rename.

use std::fs;
use std::io;
use std::path::Path;

use super::super::folder::{copy_attributes, identity, set_unique_time};
use super::super::io_failure::{IoFailure, Result};
use super::super::metadata::{kind_of, metadata_of};
use super::super::regular_file::require_regular;
use super::super::roots::{Slot, names_a_folder};
use super::conditions::check_condition;
use super::stash::{is_stash, sweep};
use super::transaction::{ChangeFailure, StagedContents, Transaction};
use super::undo::UndoStep;
use crate::sandbox::{Change, FileKind, Metadata, WriteCondition};

/// The greatest number of attempts of a write while other processes create and remove the same file.
const MAX_ATTEMPTS: usize = 128;

impl Transaction<'_> {
    pub(super) fn execute(
        &mut self,
        change: &Change,
        staged: Option<&StagedContents>,
    ) -> Result<Metadata, ChangeFailure> {
        match change {
            Change::Write {
                path, condition, ..
            } => {
                let staged = staged.ok_or(IoFailure::Invalid("nothing was staged for it"));
                let written = staged.and_then(|staged| self.write(path, condition, staged));
                written.map_err(|fault| fault.at_path(path))
            }
            Change::Remove { path, condition } => self.remove(path, condition),
            Change::Rename {
                from,
                to,
                condition,
            } => self.rename(from, to, condition),
        }
    }

    fn create_parents(&mut self, path: &Path) -> Result<()> {
        let mut made = Vec::new();
        let way = self.roots.create_parents(path, &mut |slot| made.push(slot));
        for slot in made {
            let slot = self.share_slot(slot)?;
            self.undo.push(UndoStep::CreatedFolder(slot));
        }
        way.map(drop)
    }

    fn write(
        &mut self,
        path: &Path,
        condition: &WriteCondition,
        staged: &StagedContents,
    ) -> Result<Metadata> {
        for _ in 0..MAX_ATTEMPTS {
            let slot = match self.write_target(path, condition) {
                Err(fault) if fault.is_absence() => {
                    check_condition(condition, None)?;
                    self.create_parents(path)?;
                    self.write_target(path, condition)?
                }
                slot => slot?,
            };
            let slot = self.share_slot(slot)?;
            let there = slot.stat()?;
            check_condition(condition, there.as_ref())?;
            let placed = match there {
                None => self.place_new(&slot, staged)?,
                // The file was replaced by a link meanwhile.
                Some(there) if there.is_symlink() => false,
                Some(there) => self.replace(&slot, &there, condition, staged)?,
            };
            if placed {
                let there = slot.stat()?.ok_or(IoFailure::Changed)?;
                return Ok(metadata_of(&there));
            }
        }
        Err(IoFailure::Changed)
    }

    /// Moves staged contents to a free path; returns `false` if a file was created there meanwhile.
    fn place_new(&mut self, slot: &Slot, staged: &StagedContents) -> Result<bool> {
        let stash = &self.stashes[&staged.stash_folder].inner;
        let own = stash.stat(&staged.name)?.ok_or(IoFailure::Changed)?;
        match stash.rename_no_replace(&staged.name, &slot.folder, &slot.name) {
            Ok(()) => {
                self.undo.push(UndoStep::Created {
                    slot: slot.clone(),
                    identity: identity(&own),
                    stash_folder: staged.stash_folder,
                    name: staged.name.clone(),
                });
                Ok(true)
            }
            Err(fault) if fault.kind() == Some(io::ErrorKind::AlreadyExists) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// Exchanges staged contents with a file; returns `false` if the file was replaced meanwhile, so that the exchange
    /// was undone.
    fn replace(
        &mut self,
        slot: &Slot,
        there: &fs::Metadata,
        condition: &WriteCondition,
        staged: &StagedContents,
    ) -> Result<bool> {
        require_regular(there)?;
        if !slot.folder.writable(&slot.name) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let stash = self
            .stashes
            .get_mut(&staged.stash_folder)
            .ok_or(IoFailure::Changed)?;
        let file = stash.inner.open(&staged.name)?;
        copy_attributes(&file, &slot.folder, &slot.name, there);
        if file.metadata()?.modified().ok() == there.modified().ok() {
            set_unique_time(&file, Some(there))?;
        }
        let own = identity(&file.metadata()?);
        let mut name = staged.name.clone();
        let swapped = stash.inner.exchange(&name, &slot.folder, &slot.name)?;
        if !swapped {
            // Without an atomic exchange, the old file gets a second name first, or is moved if hard links are not
            // supported.
            name = stash.fresh_name();
            let linked = slot.folder.hard_link(&slot.name, &stash.inner, &name);
            if linked.is_err() {
                slot.folder
                    .rename_no_replace(&slot.name, &stash.inner, &name)?;
            }
        }
        let old = stash.inner.stat(&name)?;
        let as_expected = old
            .as_ref()
            .is_some_and(|old| old.is_file() && check_condition(condition, Some(old)).is_ok());
        if !as_expected {
            if swapped {
                stash.inner.exchange(&name, &slot.folder, &slot.name)?;
            } else {
                // Restores a file that was moved; a file with two names still has its original name.
                let _ = stash
                    .inner
                    .rename_no_replace(&name, &slot.folder, &slot.name);
            }
            return match condition {
                WriteCondition::Unchanged(_) => Err(IoFailure::Changed),
                _ => Ok(false),
            };
        }
        if !swapped {
            stash
                .inner
                .rename_replacing(&staged.name, &slot.folder, &slot.name)?;
        }
        self.undo.push(UndoStep::Replaced {
            slot: slot.clone(),
            identity: own,
            stash_folder: staged.stash_folder,
            name,
            swapped,
        });
        Ok(true)
    }

    fn remove(
        &mut self,
        path: &Path,
        condition: &WriteCondition,
    ) -> Result<Metadata, ChangeFailure> {
        let (slot, there) = self.existing_entry(path, condition)?;
        self.move_to_stash(slot, &there, condition)
            .map_err(|fault| fault.at_path(path))?;
        Ok(metadata_of(&there))
    }

    /// Moves an entry to remove into the stash.
    fn move_to_stash(
        &mut self,
        slot: Slot,
        there: &fs::Metadata,
        condition: &WriteCondition,
    ) -> Result<()> {
        let slot = self.share_slot(slot)?;
        if there.is_dir() {
            self.require_empty(&slot)?;
        }
        let (beside, folder) = self.share_folder(slot.folder.clone())?;
        let stash = self.stash(beside, &folder)?;
        let name = stash.fresh_name();
        match slot
            .folder
            .rename_no_replace(&slot.name, &stash.inner, &name)
        {
            // A folder without write permission cannot be moved, but can be removed.
            Err(fault)
                if there.is_dir() && fault.kind() == Some(io::ErrorKind::PermissionDenied) =>
            {
                slot.folder.remove_dir(&slot.name)?;
                self.undo.push(UndoStep::RemovedFolder {
                    slot,
                    like: there.clone(),
                });
                return Ok(());
            }
            moved => moved?,
        }
        let moved = stash.inner.stat(&name)?.ok_or(IoFailure::Changed)?;
        let same = identity(&moved) == identity(there)
            && (moved.is_symlink()
                || moved.is_dir()
                || check_condition(condition, Some(&moved)).is_ok());
        if !same {
            stash
                .inner
                .rename_no_replace(&name, &slot.folder, &slot.name)?;
            return Err(IoFailure::Changed);
        }
        self.undo.push(UndoStep::Removed {
            slot,
            stash_folder: beside,
            name,
            folder: there.is_dir().then(|| identity(there)),
        });
        Ok(())
    }

    /// Rejects a folder that contains entries other than the stash of this transaction.
    fn require_empty(&self, slot: &Slot) -> Result<()> {
        let folder = slot.folder.child(&slot.name)?;
        sweep(&folder);
        let own = self.stashes.get(&identity(&folder.metadata()?));
        let own = own.map(|stash| &stash.name);
        let (names, _) = folder.names(2)?;
        if names.iter().all(|entry| Some(&entry.name) == own) {
            return Ok(());
        }
        // The stash of another transaction means that a change in the folder is in progress.
        debug_assert!(names.len() <= 2 || names.iter().any(|entry| !is_stash(&entry.name)));
        Err(IoFailure::NotEmpty)
    }

    fn rename(
        &mut self,
        from: &Path,
        to: &Path,
        condition: &WriteCondition,
    ) -> Result<Metadata, ChangeFailure> {
        let (old, there) = self.existing_entry(from, condition)?;
        let old = self.share_slot(old).map_err(|fault| fault.at_path(from))?;
        let new = self
            .destination(&old, &there, to)
            .map_err(|fault| fault.at_path(to))?;
        let moved = old
            .folder
            .rename_no_replace(&old.name, &new.folder, &new.name);
        moved.map_err(|fault| match fault.kind() {
            Some(io::ErrorKind::AlreadyExists) => IoFailure::Exists.at_path(to),
            _ => fault.at_path(from),
        })?;
        self.undo.push(UndoStep::Moved {
            from: old,
            to: new.clone(),
        });
        let moved = new.stat().and_then(|moved| moved.ok_or(IoFailure::Changed));
        let moved = moved.map_err(|fault| fault.at_path(to))?;
        let seen = there.is_symlink() || check_condition(condition, Some(&moved)).is_ok();
        if identity(&moved) != identity(&there) || !seen {
            return Err(IoFailure::Changed.at_path(from));
        }
        Ok(metadata_of(&moved))
    }

    /// Finds the target of a move, and creates its missing parents.
    fn destination(&mut self, old: &Slot, there: &fs::Metadata, to: &Path) -> Result<Slot> {
        if names_a_folder(to) && kind_of(there.file_type()) != FileKind::Directory {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let new = match self.roots.slot(to, false) {
            Err(fault) if fault.is_absence() => {
                self.create_parents(to)?;
                self.roots.slot(to, false)?
            }
            slot => slot?,
        };
        let new = self.share_slot(new)?;
        let (from, at) = (old.location(), new.location());
        if there.is_dir() {
            self.roots.deny_rules.check_move(&at)?;
            if at.absolute != from.absolute && at.absolute.starts_with(&from.absolute) {
                let why = "it lies in the folder that is to move there";
                return Err(IoFailure::Invalid(why));
            }
        } else {
            self.roots.deny_rules.write(&at)?;
        }
        Ok(new)
    }
}
