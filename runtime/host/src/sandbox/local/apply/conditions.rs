//! The conditions of changes.

use std::fs;
use std::io;
use std::path::{Component, Path};

use super::super::io_failure::{IoFailure, Result};
use super::super::metadata::{kind_of, version_of};
use super::super::regular_file::require_regular;
use super::super::roots::{Slot, is_missing, names_a_folder};
use super::transaction::{ChangeFailure, Transaction};
use crate::sandbox::{Change, FileKind, WriteCondition};

/// Reports whether no change depends on the result of another change, so that all conditions can be checked in advance.
pub(super) fn are_independent(changes: &[Change]) -> bool {
    let mut paths: Vec<&Path> = Vec::new();
    for change in changes {
        match change {
            Change::Write { path, .. } | Change::Remove { path, .. } => paths.push(path),
            Change::Rename { from, to, .. } => paths.extend([from.as_path(), to.as_path()]),
        }
    }
    let up = |path: &&Path| path.components().any(|part| part == Component::ParentDir);
    let absolute = paths.iter().filter(|path| path.is_absolute()).count();
    if paths.iter().any(up) || (absolute != 0 && absolute != paths.len()) {
        return changes.len() == 1;
    }
    // In an order by components, a path is directly before the paths below it.
    let plain = |path: &&Path| -> std::path::PathBuf {
        path.components()
            .filter(|part| *part != Component::CurDir)
            .collect()
    };
    let mut plain: Vec<_> = paths.iter().map(plain).collect();
    plain.sort_by(|a, b| a.components().cmp(b.components()));
    plain.windows(2).all(|pair| !pair[1].starts_with(&pair[0])) || changes.len() == 1
}

/// Compares a condition with the current state of the file.
pub(super) fn check_condition(
    condition: &WriteCondition,
    there: Option<&fs::Metadata>,
) -> Result<()> {
    match (condition, there) {
        (WriteCondition::Always, _) | (WriteCondition::Absent, None) => Ok(()),
        (WriteCondition::Absent, Some(_)) => Err(IoFailure::Exists),
        (WriteCondition::Unchanged(seen), Some(there))
            if version_of(there).is_some_and(|version| version == *seen) =>
        {
            Ok(())
        }
        (WriteCondition::Unchanged(_), _) => Err(IoFailure::Changed),
    }
}

impl Transaction<'_> {
    /// Checks a change before any file is changed.
    pub(super) fn preflight(&self, change: &Change) -> Result<(), ChangeFailure> {
        match change {
            Change::Write {
                path, condition, ..
            } => {
                let there = match self.write_target(path, condition) {
                    Ok(slot) => slot.stat().map_err(|fault| fault.at_path(path))?,
                    Err(fault) if is_missing(&fault) => None,
                    Err(fault) => return Err(fault.at_path(path)),
                };
                check_condition(condition, there.as_ref())
                    .and_then(|()| there.as_ref().map(require_regular).transpose())
                    .map(drop)
                    .map_err(|fault| fault.at_path(path))
            }
            Change::Remove { path, condition } => self.existing_entry(path, condition).map(drop),
            Change::Rename {
                from,
                to,
                condition,
            } => {
                self.existing_entry(from, condition)?;
                match self.roots.slot(to, false).and_then(|slot| slot.stat()) {
                    Ok(None) => Ok(()),
                    Ok(Some(_)) => Err(IoFailure::Exists.at_path(to)),
                    Err(fault) if fault.is_absence() => Ok(()),
                    Err(fault) => Err(fault.at_path(to)),
                }
            }
        }
    }

    /// Finds the target of a write. A link is followed, unless the file must be new: then a link counts as an existing
    /// file.
    pub(super) fn write_target(&self, path: &Path, condition: &WriteCondition) -> Result<Slot> {
        if names_a_folder(path) {
            return Err(IoFailure::NotAFile(FileKind::Directory));
        }
        let slot = self
            .roots
            .slot(path, !matches!(condition, WriteCondition::Absent))?;
        self.roots.deny_rules.write(&slot.location())?;
        Ok(slot)
    }

    /// Finds the entry to move or remove: the entry itself, though the condition applies to the file that it leads to.
    pub(super) fn existing_entry(
        &self,
        path: &Path,
        condition: &WriteCondition,
    ) -> Result<(Slot, fs::Metadata), ChangeFailure> {
        self.find_existing(path, condition)
            .map_err(|fault| fault.at_path(path))
    }

    fn find_existing(
        &self,
        path: &Path,
        condition: &WriteCondition,
    ) -> Result<(Slot, fs::Metadata)> {
        let slot = self.roots.slot(path, false)?;
        let Some(there) = slot.stat()? else {
            return Err(io::ErrorKind::NotFound.into());
        };
        match kind_of(there.file_type()) {
            FileKind::Directory => {
                let at = slot.location();
                self.roots.deny_rules.check_move(&at)?;
                self.roots.check_movable(&at)?;
            }
            _ if names_a_folder(path) => {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            FileKind::File | FileKind::Symlink => self.roots.deny_rules.write(&slot.location())?,
            kind => return Err(IoFailure::NotAFile(kind)),
        }
        if there.is_symlink() && matches!(condition, WriteCondition::Unchanged(_)) {
            let (seen, _) = self.roots.find(path)?;
            check_condition(condition, Some(&seen))?;
        } else {
            check_condition(condition, Some(&there))?;
        }
        Ok((slot, there))
    }
}
