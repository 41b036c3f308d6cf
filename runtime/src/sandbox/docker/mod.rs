//! Sandboxes in containers.

mod enforcement;
mod engine;
mod mounts;
mod open;
mod settings;
mod target;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

pub use self::settings::{DockerSettings, WorkspaceTransfer};
pub(super) use self::target::settings_of;

use self::engine::Container;
use super::remote::{Lease, Processes, Projects, RemoteFs};
use super::{
    Egress, Enforcement, Holds, Layer, OutputChunk, ProcessId, ProcessSpec, ProcessStatus,
    ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId, SandboxPolicy, SearchPath, Signal,
    TerminalSize,
};

/// Commands in a container of Docker or podman.
///
/// Without network and capabilities, with a root that cannot be written, as an unprivileged user where the workspace
/// belongs to one. [`Enforcement`] says what of that the kernel confirms in the container. The image needs a POSIX shell,
/// the usual small programs (BusyBox is enough) and, for terminals, `script`.
///
/// The container ends when the sandbox is closed or dropped, and some seconds after the app died: its first process waits
/// for a lease that is renewed ([`DockerSettings::linger`]). Files go through the container, so they are those of its user.
#[derive(Debug)]
pub struct DockerSandbox {
    id: SandboxId,
    container: Container,
    processes: Processes,
    projects: Projects,
    files: Arc<RemoteFs>,
    enforcement: Enforcement,
    lease: crate::support::lock::Mutex<Option<Lease>>,
}

impl DockerSandbox {
    /// Makes a container and starts it.
    ///
    /// # Errors
    /// When the engine or the image cannot be used ([`SandboxError::Unavailable`]), or a layer is missing that the policy
    /// does not accept ([`SandboxError::Isolation`]).
    pub async fn open(
        settings: DockerSettings,
        policy: SandboxPolicy,
    ) -> Result<Self, SandboxError> {
        policy.refuse_staged("docker")?;
        open::open(settings, policy).await
    }

    /// Takes up a container that another process opened.
    ///
    /// # Errors
    /// When the engine cannot be used, or the container has ended.
    pub async fn attach(settings: DockerSettings, id: &SandboxId) -> Result<Self, SandboxError> {
        open::attach(&settings, id).await
    }

    async fn take_down(&self) -> Result<(), SandboxError> {
        let held = self.lease.lock().take();
        if held.is_none() {
            return Ok(());
        }
        self.container.remove().await
    }
}

impl Sandbox for DockerSandbox {
    fn id(&self) -> &SandboxId {
        &self.id
    }

    fn enforcement(&self) -> &Enforcement {
        &self.enforcement
    }

    fn egress(&self) -> Egress {
        match self.enforcement.layers.get(&Layer::Network) {
            // A container without an interface reaches nothing, whatever the policy allows.
            Some(Holds::Yes { .. } | Holds::Partly { .. }) => Egress::Closed,
            _ => Egress::Unchecked,
        }
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
        Box::pin(self.projects.show(folder, name))
    }

    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>> {
        Box::pin(self.take_down())
    }
}
