//! The state that a sandbox shares with the threads that watch its processes.

use super::folder::Folder;
use super::table::Table;
use super::tree;
use crate::sandbox::{SandboxId, SandboxPolicy};

/// What the threads that watch processes share with the sandbox.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) id: SandboxId,
    pub(super) policy: SandboxPolicy,
    pub(super) folder: Folder,
    pub(super) table: Table,
}

impl Shared {
    /// Ends all that is found, and removes what was kept; the second time there is nothing.
    pub(super) fn close(&self) {
        let processes = self.table.close();
        if processes.is_empty() {
            self.folder.remove();
            return;
        }
        let all = tree::Family::of_sandbox(&self.id);
        // First while their parents live, by which some are found.
        tree::kill(&all);
        for process in &processes {
            process.abandon();
        }
        for process in &processes {
            process.join();
        }
        tree::kill(&all);
        self.folder.remove();
    }
}
