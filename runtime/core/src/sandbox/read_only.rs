//! A sandbox whose processes are read-only and have no network.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, ready};

use super::{
    Access, Egress, Enforcement, FolderAccess, GrantScope, NetworkAccess, OutputChunk, ProcessId,
    ProcessSpec, ProcessStatus, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId,
    SearchPath, Signal, TerminalSize,
};

/// The sandbox of a call that was allowed because it only reads: every process is started with read access and a
/// closed network, whatever the process requests. Everything else is delegated to the inner sandbox.
///
/// A sandbox that cannot restrict a single process further than its policy starts the process as requested; then, the
/// proof that the call only reads is the only guarantee.
#[derive(Debug)]
pub struct ReadOnlySandbox(pub Arc<dyn Sandbox>);

impl ReadOnlySandbox {
    fn narrow(&self, mut spec: ProcessSpec) -> ProcessSpec {
        if self.narrows_processes() {
            spec.access = Access::Read;
            spec.network = NetworkAccess::Closed;
        }
        spec
    }
}

impl Sandbox for ReadOnlySandbox {
    fn id(&self) -> &SandboxId {
        self.0.id()
    }

    fn enforcement(&self) -> &Enforcement {
        self.0.enforcement()
    }

    fn files(&self) -> Arc<dyn SandboxFs> {
        self.0.files()
    }

    fn egress(&self) -> Egress {
        self.0.egress()
    }

    fn narrows_processes(&self) -> bool {
        self.0.narrows_processes()
    }

    fn search_path(&self) -> Option<&SearchPath> {
        self.0.search_path()
    }

    fn start(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        self.0.start(self.narrow(spec))
    }

    fn offer<'a>(&'a self, path: &'a Path, access: Access) -> BoxFuture<'a, Option<FolderAccess>> {
        match access {
            Access::Read => self.0.offer(path, access),
            // The command must not write, wherever it is.
            Access::Write => Box::pin(ready(None)),
        }
    }

    fn start_with(
        &self,
        spec: ProcessSpec,
        mut folder: FolderAccess,
        scope: GrantScope,
    ) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        folder.access = Access::Read;
        self.0.start_with(self.narrow(spec), folder, scope)
    }

    fn read(&self, read: ReadOutput) -> BoxFuture<'_, Result<OutputChunk, SandboxError>> {
        self.0.read(read)
    }

    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        self.0.write(process, bytes, end)
    }

    fn resize<'a>(
        &'a self,
        process: &'a ProcessId,
        size: TerminalSize,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        self.0.resize(process, size)
    }

    fn signal<'a>(
        &'a self,
        process: &'a ProcessId,
        signal: Signal,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        self.0.signal(process, signal)
    }

    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> BoxFuture<'a, Result<ProcessStatus, SandboxError>> {
        self.0.status(process, wait)
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<ProcessStatus>, SandboxError>> {
        self.0.list()
    }

    fn project<'a>(
        &'a self,
        folder: &'a Path,
        name: &'a str,
    ) -> BoxFuture<'a, Result<PathBuf, SandboxError>> {
        self.0.project(folder, name)
    }

    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>> {
        self.0.close()
    }
}
