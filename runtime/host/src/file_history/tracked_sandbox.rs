//! A sandbox whose commands are recorded in the history.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::tracker::FileTracker;
use crate::sandbox::{
    Access, Egress, Enforcement, FolderAccess, GrantScope, OutputChunk, ProcessId, ProcessSpec,
    ProcessStatus, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId, SearchPath, Signal,
    TerminalSize,
};

#[derive(Debug)]
pub(super) struct TrackedSandbox {
    pub(super) sandbox: Arc<dyn Sandbox>,
    pub(super) tracker: FileTracker,
}

impl TrackedSandbox {
    /// Starts a process and records its changes from then on.
    async fn record_start<'a>(
        &'a self,
        spec: ProcessSpec,
        start: impl FnOnce(ProcessSpec) -> BoxFuture<'a, Result<ProcessStatus, SandboxError>>,
    ) -> Result<ProcessStatus, SandboxError> {
        let only_reads = spec.access == Access::Read && self.narrows_processes();
        if only_reads || !self.tracker.is_attached() {
            return start(spec).await;
        }
        let process = spec.id.clone();
        let (id, line) = (process.to_string(), command_line(&spec));
        self.tracker
            .with_history(move |history| history.command_started(&id, &line))
            .await;
        let started = start(spec).await;
        if !matches!(&started, Ok(status) if status.exit.is_none()) {
            self.record_end(&process).await;
        }
        started
    }

    /// Records the changes of a process that has ended, before anyone learns of the end.
    async fn record_end(&self, process: &ProcessId) {
        let id = process.to_string();
        self.tracker
            .with_history(move |history| {
                if history.runs(&id) {
                    history.command_ended(&id);
                }
            })
            .await;
    }
}

/// Renders the command line of a process.
fn command_line(spec: &ProcessSpec) -> String {
    match &spec.argv[..] {
        [_, option, line] if option == "-c" => line.clone(),
        words => words.join(" "),
    }
}

impl Sandbox for TrackedSandbox {
    fn id(&self) -> &SandboxId {
        self.sandbox.id()
    }

    fn enforcement(&self) -> &Enforcement {
        self.sandbox.enforcement()
    }

    fn egress(&self) -> Egress {
        self.sandbox.egress()
    }

    fn narrows_processes(&self) -> bool {
        self.sandbox.narrows_processes()
    }

    fn search_path(&self) -> Option<&SearchPath> {
        self.sandbox.search_path()
    }

    fn files(&self) -> Arc<dyn SandboxFs> {
        self.tracker.track_files(self.sandbox.files())
    }

    fn start(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        Box::pin(self.record_start(spec, |spec| self.sandbox.start(spec)))
    }

    fn offer<'a>(&'a self, path: &'a Path, access: Access) -> BoxFuture<'a, Option<FolderAccess>> {
        self.sandbox.offer(path, access)
    }

    fn start_with(
        &self,
        spec: ProcessSpec,
        folder: FolderAccess,
        scope: GrantScope,
    ) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        let start = move |spec| self.sandbox.start_with(spec, folder, scope);
        Box::pin(self.record_start(spec, start))
    }

    fn read(&self, read: ReadOutput) -> BoxFuture<'_, Result<OutputChunk, SandboxError>> {
        self.sandbox.read(read)
    }

    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        self.sandbox.write(process, bytes, end)
    }

    fn resize<'a>(
        &'a self,
        process: &'a ProcessId,
        size: TerminalSize,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        self.sandbox.resize(process, size)
    }

    fn signal<'a>(
        &'a self,
        process: &'a ProcessId,
        signal: Signal,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        self.sandbox.signal(process, signal)
    }

    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> BoxFuture<'a, Result<ProcessStatus, SandboxError>> {
        Box::pin(async move {
            let status = self.sandbox.status(process, wait).await;
            if matches!(&status, Ok(status) if status.exit.is_some()) {
                self.record_end(process).await;
            }
            status
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<ProcessStatus>, SandboxError>> {
        self.sandbox.list()
    }

    fn project<'a>(
        &'a self,
        folder: &'a Path,
        name: &'a str,
    ) -> BoxFuture<'a, Result<PathBuf, SandboxError>> {
        self.sandbox.project(folder, name)
    }

    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>> {
        self.sandbox.close()
    }
}
