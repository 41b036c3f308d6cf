//! The state that a sandbox shares with the threads that watch its processes.

use super::folder::SandboxFolder;
use super::process_table::ProcessTable;
use super::tree;
use crate::sandbox::{SandboxId, SandboxPolicy};

/// What the threads that watch processes share with the sandbox.
#[derive(Debug)]
pub(super) struct PassthroughState {
    pub(super) id: SandboxId,
    pub(super) policy: SandboxPolicy,
    pub(super) folder: SandboxFolder,
    pub(super) processes: ProcessTable,
}

impl PassthroughState {
    /// Ends all that is found, and removes what was kept; the second time there is nothing.
    pub(super) fn close(&self) {
        let processes = self.processes.close();
        if processes.is_empty() {
            self.folder.remove();
            return;
        }
        let all = tree::ProcessTree::from_sandbox(&self.id);
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
