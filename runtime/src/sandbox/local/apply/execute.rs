//! One change after the other, each by one rename.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use super::super::folder::{adopt, identity, stamp};
use super::super::io_failure::IoFailure;
use super::super::metadata::{kind_of, metadata_of};
use super::super::roots::{Slot, means_folder};
use super::conditions::{expect, regular};
use super::stash::{is_stash, sweep};
use super::transaction::{Failure, Staged, Transaction};
use super::undo::Undo;
use crate::sandbox::{Change, FileKind, Metadata, WriteCondition};

/// How often a write is tried while others make and remove the same file.
const ATTEMPTS: usize = 128;

impl Transaction<'_> {
    /// Makes one change.
    pub(super) fn execute(
        &mut self,
        change: &Change,
        staged: Option<&Staged>,
    ) -> Result<Metadata, Failure> {
        match (change, staged) {
            (
                Change::Write {
                    path, condition, ..
                },
                Some(staged),
            ) => self
                .write(path, condition, staged)
                .map_err(|fault| fault.at(path)),
            (Change::Write { path, .. }, None) => {
                Err(IoFailure::Invalid("nothing was staged for it").at(path))
            }
            (Change::Remove { path, condition }, _) => self.remove(path, condition),
            (
                Change::Rename {
                    from,
                    to,
                    condition,
                },
                _,
            ) => self.rename(from, to, condition),
        }
    }

    /// Makes the folders above a path.
    fn make_way(&mut self, path: &Path) -> Result<(), IoFailure> {
        let mut made = Vec::new();
        let way = self.roots.ensure_above(path, &mut |slot| made.push(slot));
        for slot in made {
            let slot = self.shared_slot(slot)?;
            self.undo.push(Undo::MadeFolder(slot));
        }
        way.map(drop)
    }

    fn write(
        &mut self,
        path: &Path,
        condition: &WriteCondition,
        staged: &Staged,
    ) -> Result<Metadata, IoFailure> {
        for _ in 0..ATTEMPTS {
            let slot = match self.target(path, condition) {
                Err(fault) if fault.is_absence() => {
                    expect(condition, None)?;
                    self.make_way(path)?;
                    self.target(path, condition)?
                }
                slot => slot?,
            };
            let slot = self.shared_slot(slot)?;
            let there = slot.stat()?;
            expect(condition, there.as_ref())?;
            let placed = match there {
                None => self.place(&slot, staged)?,
                // It became a link just now.
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

    /// Puts staged contents where nothing is; `false` where something has come in between.
    fn place(&mut self, slot: &Slot, staged: &Staged) -> Result<bool, IoFailure> {
        let stash = &self.stashes[&staged.beside].inner;
        let own = stash.stat(&staged.name)?.ok_or(IoFailure::Changed)?;
        match stash.rename_new(&staged.name, &slot.folder, &slot.name) {
            Ok(()) => {
                self.undo.push(Undo::Created {
                    slot: slot.clone(),
                    own: identity(&own),
                    beside: staged.beside,
                    name: staged.name.clone(),
                });
                Ok(true)
            }
            Err(fault) if fault.kind() == Some(io::ErrorKind::AlreadyExists) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// Swaps staged contents with a file; `false` where another one was there by then, which is back in its place.
    fn replace(
        &mut self,
        slot: &Slot,
        there: &fs::Metadata,
        condition: &WriteCondition,
        staged: &Staged,
    ) -> Result<bool, IoFailure> {
        regular(there)?;
        if !slot.folder.writable(&slot.name) {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
        }
        let stash = self
            .stashes
            .get_mut(&staged.beside)
            .ok_or(IoFailure::Changed)?;
        let file = stash.inner.open(&staged.name)?;
        adopt(&file, &slot.folder, &slot.name, there);
        if file.metadata()?.modified().ok() == there.modified().ok() {
            stamp(&file, Some(there))?;
        }
        let own = identity(&file.metadata()?);
        let mut name = staged.name.clone();
        let swapped = stash.inner.exchange(&name, &slot.folder, &slot.name)?;
        if !swapped {
            // Without a swap the old file gets a second name first, or, where there are none, moves away.
            name = stash.fresh_name();
            let linked = slot.folder.hard_link(&slot.name, &stash.inner, &name);
            if linked.is_err() {
                slot.folder.rename_new(&slot.name, &stash.inner, &name)?;
            }
        }
        let old = stash.inner.stat(&name)?;
        let as_expected = old
            .as_ref()
            .is_some_and(|old| old.is_file() && expect(condition, Some(old)).is_ok());
        if !as_expected {
            if swapped {
                stash.inner.exchange(&name, &slot.folder, &slot.name)?;
            } else {
                // Where it moved away, its place is free; where it has two names, one goes.
                let _ = stash.inner.rename_new(&name, &slot.folder, &slot.name);
            }
            return match condition {
                WriteCondition::Unchanged(_) => Err(IoFailure::Changed),
                _ => Ok(false),
            };
        }
        if !swapped {
            stash
                .inner
                .rename_over(&staged.name, &slot.folder, &slot.name)?;
        }
        self.undo.push(Undo::Replaced {
            slot: slot.clone(),
            own,
            beside: staged.beside,
            name,
            swapped,
        });
        Ok(true)
    }

    fn remove(&mut self, path: &Path, condition: &WriteCondition) -> Result<Metadata, Failure> {
        let (slot, there) = self.taken(path, condition)?;
        self.put_away(slot, &there, condition)
            .map_err(|fault| fault.at(path))?;
        Ok(metadata_of(&there))
    }

    /// Moves what is to be removed into the stash.
    fn put_away(
        &mut self,
        slot: Slot,
        there: &fs::Metadata,
        condition: &WriteCondition,
    ) -> Result<(), IoFailure> {
        let slot = self.shared_slot(slot)?;
        if there.is_dir() {
            self.is_empty(&slot)?;
        }
        let (beside, folder) = self.shared(slot.folder.clone())?;
        let stash = self.stash(beside, &folder)?;
        let name = stash.fresh_name();
        match slot.folder.rename_new(&slot.name, &stash.inner, &name) {
            // A folder that may not be written cannot move, but can go.
            Err(fault)
                if there.is_dir() && fault.kind() == Some(io::ErrorKind::PermissionDenied) =>
            {
                slot.folder.remove_dir(&slot.name)?;
                self.undo.push(Undo::RemovedFolder {
                    slot,
                    like: there.clone(),
                });
                return Ok(());
            }
            moved => moved?,
        }
        let moved = stash.inner.stat(&name)?.ok_or(IoFailure::Changed)?;
        let same = identity(&moved) == identity(there)
            && (moved.is_symlink() || moved.is_dir() || expect(condition, Some(&moved)).is_ok());
        if !same {
            stash.inner.rename_new(&name, &slot.folder, &slot.name)?;
            return Err(IoFailure::Changed);
        }
        self.undo.push(Undo::Removed {
            slot,
            beside,
            name,
            folder: there.is_dir().then(|| identity(there)),
        });
        Ok(())
    }

    /// Refuses a folder with anything in it but what this transaction has put away there.
    fn is_empty(&self, slot: &Slot) -> Result<(), IoFailure> {
        let folder = slot.folder.child(&slot.name)?;
        sweep(&folder);
        let own = self.stashes.get(&identity(&folder.metadata()?));
        let own: Option<&OsString> = own.map(|stash| &stash.name);
        let (names, _) = folder.names(2)?;
        if names.iter().all(|entry| Some(&entry.name) == own) {
            return Ok(());
        }
        // Another's stash means that a change is being made in it.
        debug_assert!(names.len() <= 2 || names.iter().any(|entry| !is_stash(&entry.name)));
        Err(IoFailure::NotEmpty)
    }

    fn rename(
        &mut self,
        from: &Path,
        to: &Path,
        condition: &WriteCondition,
    ) -> Result<Metadata, Failure> {
        let (old, there) = self.taken(from, condition)?;
        let old = self.shared_slot(old).map_err(|fault| fault.at(from))?;
        let new = self
            .destination(&old, &there, to)
            .map_err(|fault| fault.at(to))?;
        match old.folder.rename_new(&old.name, &new.folder, &new.name) {
            Err(fault) if fault.kind() == Some(io::ErrorKind::AlreadyExists) => {
                return Err(IoFailure::Exists.at(to));
            }
            Err(fault) => return Err(fault.at(from)),
            Ok(()) => {}
        }
        self.undo.push(Undo::Moved {
            from: old,
            to: new.clone(),
        });
        let moved = new.stat().map_err(|fault| fault.at(to))?;
        let moved = moved
            .ok_or(IoFailure::Changed)
            .map_err(|fault| fault.at(to))?;
        let seen = there.is_symlink() || expect(condition, Some(&moved)).is_ok();
        if identity(&moved) != identity(&there) || !seen {
            return Err(IoFailure::Changed.at(from));
        }
        Ok(metadata_of(&moved))
    }

    /// Finds the place that something moves to, and makes the folders on the way.
    fn destination(
        &mut self,
        old: &Slot,
        there: &fs::Metadata,
        to: &Path,
    ) -> Result<Slot, IoFailure> {
        if means_folder(to) && kind_of(there.file_type()) != FileKind::Directory {
            return Err(io::Error::from(io::ErrorKind::NotADirectory).into());
        }
        let new = match self.roots.slot(to, false) {
            Err(fault) if fault.is_absence() => {
                self.make_way(to)?;
                self.roots.slot(to, false)?
            }
            slot => slot?,
        };
        let new = self.shared_slot(new)?;
        let (from, at) = (old.location(), new.location());
        if there.is_dir() {
            self.roots.deny_rules.displace(&at)?;
            if at.absolute != from.absolute && at.absolute.starts_with(&from.absolute) {
                return Err(IoFailure::Invalid(
                    "it lies in the folder that is to move there",
                ));
            }
        } else {
            self.roots.deny_rules.write(&at)?;
        }
        Ok(new)
    }
}
