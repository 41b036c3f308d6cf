//! The sandbox type for containers and remote machines.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::files::RemoteFs;
use super::host::{RemoteHost, failure};
use super::lease::HostLease;
use super::process_script::RemoteConfig;
use super::processes::Processes;
use helve_core::sandbox::{
    Egress, Enforcement, OutputChunk, ProcessId, ProcessSpec, ProcessStatus, ReadOutput, Sandbox,
    SandboxError, SandboxFs, SandboxId, SearchPath, Signal, TerminalSize,
};
use helve_core::support::lock::Mutex;
use helve_host::sandbox::SandboxFuture;

/// The operations in which kinds of remote sandboxes differ.
pub trait RemoteBackend: std::fmt::Debug + Send + Sync {
    /// Whether [`shut_down`](Self::shut_down) ends the processes of the sandbox.
    const ENDS_PROCESSES: bool;

    /// Returns how commands reach the network.
    fn egress(&self, enforcement: &Enforcement) -> Egress {
        let _ = enforcement;
        Egress::Unchecked
    }

    /// Ends the host, or the connection to it.
    fn shut_down(&self) -> SandboxFuture<'_, ()>;
}

/// A sandbox whose operations run commands on another host.
#[derive(Debug)]
pub struct RemoteSandbox<B> {
    host: RemoteHost,
    backend: B,
    processes: Processes,
    files: Arc<RemoteFs>,
    enforcement: Enforcement,
    lease: Mutex<Option<HostLease>>,
}

impl<B: RemoteBackend> RemoteSandbox<B> {
    /// Acquires a lease of a sandbox whose scripts are installed.
    pub(crate) async fn with_lease(
        backend: B,
        host: RemoteHost,
        config: RemoteConfig,
    ) -> Result<Self, SandboxError> {
        let lease = HostLease::acquire(&host).await;
        let lease = lease.map_err(|error| failure("acquiring the lease of the sandbox", error))?;
        Ok(Self {
            backend,
            files: Arc::new(RemoteFs::new(host.clone(), config.roots.clone())),
            enforcement: config.enforcement.clone(),
            processes: Processes::new(host.clone(), config),
            host,
            lease: Mutex::new(Some(lease)),
        })
    }

    /// Returns the file system, with the additional operations of remote files.
    #[cfg(feature = "docker")]
    pub(crate) fn remote_files(&self) -> &RemoteFs {
        &self.files
    }
}

impl<B: RemoteBackend> Sandbox for RemoteSandbox<B> {
    fn id(&self) -> &SandboxId {
        self.host.id()
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

    fn start(&self, spec: ProcessSpec) -> SandboxFuture<'_, ProcessStatus> {
        Box::pin(self.processes.start(spec))
    }

    fn read(&self, read: ReadOutput) -> SandboxFuture<'_, OutputChunk> {
        Box::pin(self.processes.read(read))
    }

    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> SandboxFuture<'a, ()> {
        Box::pin(self.processes.write(process, bytes, end))
    }

    fn resize<'a>(&'a self, process: &'a ProcessId, size: TerminalSize) -> SandboxFuture<'a, ()> {
        Box::pin(self.processes.resize(process, size))
    }

    fn signal<'a>(&'a self, process: &'a ProcessId, signal: Signal) -> SandboxFuture<'a, ()> {
        Box::pin(self.processes.signal(process, signal))
    }

    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> SandboxFuture<'a, ProcessStatus> {
        Box::pin(self.processes.status(process, wait))
    }

    fn list(&self) -> SandboxFuture<'_, Vec<ProcessStatus>> {
        Box::pin(self.processes.list())
    }

    fn project<'a>(&'a self, folder: &'a Path, name: &'a str) -> SandboxFuture<'a, PathBuf> {
        Box::pin(self.host.project(folder, name))
    }

    fn close(&self) -> SandboxFuture<'_, ()> {
        Box::pin(async move {
            let Some(_lease) = self.lease.lock().take() else {
                return Ok(());
            };
            let ended = if B::ENDS_PROCESSES {
                Ok(())
            } else {
                self.processes.end().await
            };
            let closed = self.backend.shut_down().await;
            ended.and(closed)
        })
    }
}
