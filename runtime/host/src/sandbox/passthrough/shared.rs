//! The state that a sandbox shares with the threads that watch its processes.

use super::folder::SandboxFolder;
use super::process_table::ProcessTable;
use super::tree;
use crate::sandbox::SandboxPolicy;

/// The state that the threads of processes share with the sandbox.
#[derive(Debug)]
pub(super) struct PassthroughState {
    pub(super) policy: SandboxPolicy,
    pub(super) folder: SandboxFolder,
    pub(super) processes: ProcessTable,
}

impl PassthroughState {
    /// Kills all processes that are found, and removes the folder; a second call does nothing.
    pub(super) fn close(&self) {
        let processes = self.processes.close();
        if processes.is_empty() {
            self.folder.remove();
            return;
        }
        let all = tree::ProcessTree::from_sandbox(&self.folder.id);
        // The descendants are killed while their parents are alive: some processes are found only by their parents.
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
