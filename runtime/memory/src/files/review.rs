//! Reviews: what accepting a change that waits does to the files as they are now.

use helve_storage::timestamp::Timestamp;

use super::Files;
use super::changes::{new_line, text_digest};
use super::disk;
use super::pending::PendingFolder;
use super::versions::LogLine;
use crate::entry::MemoryEntry;
use crate::error::MemoryError;
use crate::path::MemoryPath;
use crate::store::{MemoryAction, MemoryKey, PendingChange, PutCondition};

impl Files {
    /// Lists the changes that wait, each as a review would make it now.
    pub(super) fn pending(&self) -> Result<Vec<PendingChange>, MemoryError> {
        let folder = self.folder(".pending");
        let mut changes = PendingFolder(&folder).list()?;
        for change in &mut changes {
            if let Err(error) = self.resolve(change) {
                tracing::warn!(id = change.id, %error, "a change of the memory is not possible");
            }
        }
        Ok(changes)
    }

    /// Makes a change that waits, or rejects it.
    pub(super) fn review(&self, id: &str, accept: bool, now: Timestamp) -> Result<(), MemoryError> {
        let _lock = self.lock()?;
        let folder = self.folder(".pending");
        let pending = PendingFolder(&folder);
        let found = pending.find(id)?;
        let not_found = || MemoryError::NoChange { id: id.to_owned() };
        let mut found = found.ok_or_else(not_found)?;
        let source = found.change.source.clone();
        if !accept {
            if let MemoryAction::Put { path, entry, .. } = &found.change.action {
                let line = LogLine {
                    digest: text_digest(entry),
                    ..new_line(&found.key, path, "reject", &source, now)
                };
                self.log(&line)?;
            }
            return pending.remove(id);
        }
        self.resolve(&mut found)?;
        if let MemoryAction::Put { entry, .. } = &mut found.change.action {
            entry.confirmed = Some(now);
        }
        if !self.is_done(&found.key, &found.change.action)? {
            self.check(&found.key, &found.change.action)?;
            self.perform(&found.key, &found.change.action, &source, now)?;
        }
        pending.remove(id)
    }

    /// Gives a new entry a name that is free now, and adds the texts that the change replaces.
    fn resolve(&self, pending: &mut PendingChange) -> Result<(), MemoryError> {
        let key = &pending.key;
        if let MemoryAction::Put {
            path,
            entry,
            condition: PutCondition::New,
        } = &mut pending.change.action
        {
            *path = path.first_free(|path| self.is_taken(key, path, entry))?;
            pending.replaced = self.replaced(key, path, entry)?;
        }
        let before = self.get(key, pending.change.action.path()).ok().flatten();
        pending.before = before.map(|entry| entry.text).unwrap_or_default();
        Ok(())
    }

    /// Returns whether a path is that of another entry than this one.
    fn is_taken(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
        entry: &MemoryEntry,
    ) -> Result<bool, MemoryError> {
        Ok(match self.get(key, path)? {
            Some(existing) => !is_same(&existing, entry),
            None => matches!(
                self.check_case(key, path),
                Err(MemoryError::CaseClash { .. })
            ),
        })
    }

    /// Returns whether a change was made already, by a review that a crash has ended, or by others.
    fn is_done(&self, key: &MemoryKey, action: &MemoryAction) -> Result<bool, MemoryError> {
        Ok(match action {
            MemoryAction::Put { path, entry, .. } => {
                let existing = self.get(key, path)?;
                existing.is_some_and(|existing| is_same(&existing, entry))
            }
            other => disk::inspect(&self.file(key, other.path()))?.is_none(),
        })
    }
}

/// Returns whether two entries were written by the same call.
fn is_same(one: &MemoryEntry, other: &MemoryEntry) -> bool {
    one.text == other.text && one.source == other.source
}
