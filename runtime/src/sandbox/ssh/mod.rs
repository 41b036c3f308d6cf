//! Sandboxes on other machines.

mod connection;
mod enforcement;
mod hosts;
mod open;
mod settings;
mod target;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

pub use self::settings::{SshCredential, SshSettings};
pub(super) use self::target::settings_of;

use self::connection::Connection;
use super::remote::{Lease, Processes, Projects, RemoteFs};
use super::{
    Enforcement, OutputChunk, ProcessId, ProcessSpec, ProcessStatus, ReadOutput, Sandbox,
    SandboxError, SandboxFs, SandboxId, SandboxPolicy, SearchPath, Signal, TerminalSize,
};

/// Commands on another machine, through SSH, as its user.
///
/// The workspace of the policy is a folder of that machine. Nothing isolates the commands there from what that user can
/// reach; [`Enforcement`] says so. The machine needs a POSIX shell, the usual small programs (BusyBox is enough) and, for
/// terminals, `script`. It has to be Linux.
///
/// A connection that breaks is made again. What runs there goes on meanwhile for as long as
/// [`SshSettings::linger`] says.
#[derive(Debug)]
pub struct SshSandbox {
    id: SandboxId,
    connection: Arc<Connection>,
    processes: Processes,
    projects: Projects,
    files: Arc<RemoteFs>,
    enforcement: Enforcement,
    lease: crate::support::lock::Mutex<Option<Lease>>,
}

impl SshSandbox {
    /// Connects, and makes a sandbox there.
    ///
    /// # Errors
    /// When the machine cannot be reached, its key is not the known one, it does not accept the user, it lacks something
    /// that is needed ([`SandboxError::Unavailable`]), or a layer is missing that the policy does not accept
    /// ([`SandboxError::Isolation`]).
    pub async fn open(settings: SshSettings, policy: SandboxPolicy) -> Result<Self, SandboxError> {
        policy.refuse_staged("ssh")?;
        open::open(settings, &policy).await
    }

    /// Connects, and takes up a sandbox that another process opened.
    ///
    /// # Errors
    /// As [`open`](SshSandbox::open), and when the sandbox has ended.
    pub async fn attach(settings: SshSettings, id: &SandboxId) -> Result<Self, SandboxError> {
        open::attach(settings, id).await
    }

    async fn take_down(&self) -> Result<(), SandboxError> {
        let held = self.lease.lock().take();
        if held.is_none() {
            return Ok(());
        }
        let done = self.processes.end().await;
        self.connection.close().await;
        done
    }
}

impl Sandbox for SshSandbox {
    fn id(&self) -> &SandboxId {
        &self.id
    }

    fn enforcement(&self) -> &Enforcement {
        &self.enforcement
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
