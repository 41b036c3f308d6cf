//! The sandbox that containers and other machines have in common.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::files::RemoteFs;
use super::host::{RemoteHost, failure};
use super::lease::Lease;
use super::process_script::RemoteConfig;
use super::processes::Processes;
use super::projections::Projections;
use helve_core::sandbox::{
    Egress, Enforcement, OutputChunk, ProcessId, ProcessSpec, ProcessStatus, ReadOutput, Sandbox,
    SandboxError, SandboxFs, SandboxId, SearchPath, Signal, TerminalSize,
};
use helve_core::support::lock::Mutex;

/// What one kind of remote sandbox does in its own way.
pub trait RemoteBackend: std::fmt::Debug + Send + Sync {
    /// Whether [`shut_down`](Self::shut_down) ends the processes of the sandbox.
    const ENDS_PROCESSES: bool;

    /// Returns how commands reach the network.
    fn egress(&self, enforcement: &Enforcement) -> Egress {
        let _ = enforcement;
        Egress::Unchecked
    }

    /// Ends the host, or the connection to it.
    fn shut_down(&self) -> BoxFuture<'_, Result<(), SandboxError>>;
}

/// A sandbox that is reached by running commands somewhere else.
#[derive(Debug)]
pub struct RemoteSandbox<B> {
    id: SandboxId,
    backend: B,
    processes: Processes,
    projections: Projections,
    files: Arc<RemoteFs>,
    enforcement: Enforcement,
    lease: Mutex<Option<Lease>>,
}

impl<B: RemoteBackend> RemoteSandbox<B> {
    /// Takes a lease of the sandbox, whose scripts are installed.
    pub(crate) async fn with_lease(
        backend: B,
        host: RemoteHost,
        ground: RemoteConfig,
    ) -> Result<Self, SandboxError> {
        let lease = Lease::acquire(&host).await;
        let lease = lease.map_err(|error| failure("acquiring the lease of the sandbox", error))?;
        Ok(Self {
            id: host.id().clone(),
            backend,
            files: Arc::new(RemoteFs::new(host.clone(), ground.roots.clone())),
            enforcement: ground.enforcement.clone(),
            projections: Projections::new(host.clone()),
            processes: Processes::new(host, ground),
            lease: Mutex::new(Some(lease)),
        })
    }

    /// Returns the files, with what only a remote file system can do.
    #[cfg(feature = "docker")]
    pub(crate) fn remote_files(&self) -> &RemoteFs {
        &self.files
    }

    async fn shut_down(&self) -> Result<(), SandboxError> {
        let lease = self.lease.lock().take();
        if lease.is_none() {
            return Ok(());
        }
        let ended = if B::ENDS_PROCESSES {
            Ok(())
        } else {
            self.processes.end().await
        };
        let closed = self.backend.shut_down().await;
        ended.and(closed)
    }
}

impl<B: RemoteBackend> Sandbox for RemoteSandbox<B> {
    fn id(&self) -> &SandboxId {
        &self.id
    }

    fn enforcement(&self) -> &Enforcement {
        &self.enforcement
    }

    fn egress(&self) -> Egress {
        self.backend.egress(&self.enforcement)
    }

    fn search_path(&self) -> Option<&SearchPath> {
        Some(self.processes.search_path())
    }

    fn files(&self) -> Arc<dyn SandboxFs> {
        Arc::clone(&self.files) as _
    }

    fn start(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        Box::pin(self.processes.start(spec))
    }

    fn read(&self, read: ReadOutput) -> BoxFuture<'_, Result<OutputChunk, SandboxError>> {
        Box::pin(self.processes.read(read))
    }

    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        Box::pin(self.processes.write(process, bytes, end))
    }

    fn resize<'a>(
        &'a self,
        process: &'a ProcessId,
        size: TerminalSize,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        Box::pin(self.processes.resize(process, size))
    }

    fn signal<'a>(
        &'a self,
        process: &'a ProcessId,
        signal: Signal,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        Box::pin(self.processes.signal(process, signal))
    }

    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> BoxFuture<'a, Result<ProcessStatus, SandboxError>> {
        Box::pin(self.processes.status(process, wait))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<ProcessStatus>, SandboxError>> {
        Box::pin(self.processes.list())
    }

    fn project<'a>(
        &'a self,
        folder: &'a Path,
        name: &'a str,
    ) -> BoxFuture<'a, Result<PathBuf, SandboxError>> {
        Box::pin(self.projections.project(folder, name))
    }

    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>> {
        Box::pin(self.shut_down())
    }
}
