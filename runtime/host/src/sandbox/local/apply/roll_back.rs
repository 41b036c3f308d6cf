//! Rolls a transaction back, or commits it.

use std::io;

use super::super::folder::identity;
use super::super::io_failure::IoFailure;
use super::super::roots::Slot;
use super::transaction::{CHANGE_LOCK, ChangeFailure, Transaction};
use super::undo::UndoStep;

impl Transaction<'_> {
    /// Undoes all steps in reverse order, and adds to the failure the steps that could not be undone.
    pub(super) fn roll_back(mut self, mut failure: ChangeFailure) -> ChangeFailure {
        {
            let _turn = CHANGE_LOCK.lock();
            for undo in std::mem::take(&mut self.undo).into_iter().rev() {
                if let UndoStep::CreatedFolder(slot) = &undo {
                    self.empty_stash_in(slot);
                }
                let Err(fault) = undo.undo(&self.stashes) else {
                    continue;
                };
                let kept = undo
                    .stash_of_original()
                    .and_then(|beside| self.stashes.get_mut(&beside)?.keep());
                failure.failure = with_rollback_failure(&failure.failure, &fault, kept.as_deref());
            }
        }
        self.discard();
        failure
    }

    /// Commits the changes: the originals are removed.
    pub(super) fn commit(mut self) {
        for undo in std::mem::take(&mut self.undo) {
            let UndoStep::Removed {
                slot,
                stash_folder,
                name,
                folder: Some(folder),
            } = undo
            else {
                continue;
            };
            // The stash of this transaction inside of the folder is removed first.
            if let Some(inside) = self.stashes.remove(&folder) {
                inside.discard();
            }
            let Some(stash) = self.stashes.get(&stash_folder) else {
                continue;
            };
            if stash.inner.remove_dir(&name).is_err() {
                // Another process has created an entry in the folder since, so the folder is restored.
                let _ = stash
                    .inner
                    .rename_no_replace(&name, &slot.folder, &slot.name);
            }
        }
        self.discard();
    }

    /// Removes the stash in a folder, so that the folder can be removed.
    fn empty_stash_in(&mut self, folder: &Slot) {
        let inside = folder.folder.child(&folder.name);
        if let Ok(id) = inside.and_then(|inside| Ok(identity(&inside.metadata()?)))
            && let Some(stash) = self.stashes.remove(&id)
        {
            stash.discard();
        }
    }

    fn discard(&mut self) {
        for stash in self.stashes.values() {
            stash.discard();
        }
    }
}

fn with_rollback_failure(
    first: &IoFailure,
    then: &IoFailure,
    kept: Option<&std::path::Path>,
) -> IoFailure {
    let kept = kept.map_or(String::new(), |kept| {
        format!("; the original is in `{}`", kept.display())
    });
    let text = format!(
        "{}, and the rollback failed: {}{kept}",
        describe_failure(first),
        describe_failure(then)
    );
    IoFailure::Io(io::Error::other(text))
}

fn describe_failure(fault: &IoFailure) -> String {
    match fault {
        IoFailure::Io(error) => error.to_string(),
        fault => format!("{fault:?}"),
    }
}
