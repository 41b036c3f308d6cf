//! The client of an isolated sandbox, in the process of the app.

mod connection;
mod leftovers;
mod open;
pub(super) mod paths;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use self::connection::SupervisorClient;
use self::open::SupervisorProcess;
use super::wire::{ReplyPayload, RequestKind, SandboxDescription};
use crate::sandbox::layer_status::egress_of;
use crate::sandbox::{
    Egress, EgressGate, Enforcement, Layer, LayerStatus, LocalFs, OutputChunk, ProcessId,
    ProcessSpec, ProcessStatus, Proxy, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId,
    SandboxPolicy, SearchPath, Signal, TerminalSize, proxy,
};

/// A sandbox that runs commands in their own namespaces, on Linux.
///
/// Commands see the workspace, an allowlist of system folders and an empty home. They reach the network as far as the
/// policy allows, have no capabilities, and end with the sandbox. The sandbox works for root and for any other user. A
/// program that opens a sandbox must call [`become_helper`](crate::reexec::become_helper) first in its `main`.
///
/// The sandbox lives as long as a client is connected: the client that opened the sandbox, or a client that
/// [attached](IsolatedSandbox::attach).
pub struct IsolatedSandbox {
    description: SandboxDescription,
    files: Arc<LocalFs>,
    search_path: SearchPath,
    link: SupervisorClient,
    /// The proxy to the allowed hosts, which runs as long as this process.
    proxy: Option<Proxy>,
    /// The supervisor, if this process started it.
    helper: SupervisorProcess,
}

impl IsolatedSandbox {
    /// Opens a sandbox.
    ///
    /// # Errors
    /// Fails if a layer that the policy requires is not available on this machine, if a folder of the policy cannot be
    /// used, or if this program never called [`become_helper`](crate::reexec::become_helper).
    pub async fn open(policy: SandboxPolicy) -> Result<Self, SandboxError> {
        let gate = proxy::gate_for(&policy);
        Self::open_gated(policy, gate).await
    }

    /// Opens a sandbox whose connections pass a gate, which other sandboxes may share.
    pub(in super::super) async fn open_gated(
        policy: SandboxPolicy,
        gate: Arc<EgressGate>,
    ) -> Result<Self, SandboxError> {
        let opened = open::blocking(move || open::open(policy)).await?;
        Self::over(opened, gate).await
    }

    /// Attaches to a sandbox that another process of the same user opened.
    ///
    /// # Errors
    /// Fails if no sandbox with this ID exists any more.
    pub async fn attach(id: &SandboxId) -> Result<Self, SandboxError> {
        let id = id.clone();
        let opened = open::blocking(move || open::attach(&id)).await?;
        let gate = proxy::gate_for(&opened.description.policy);
        Self::over(opened, gate).await
    }

    /// Returns the policy of the sandbox.
    #[must_use]
    pub fn policy(&self) -> &SandboxPolicy {
        &self.description.policy
    }

    async fn over(
        opened: open::OpenedSandbox,
        gate: Arc<EgressGate>,
    ) -> Result<Self, SandboxError> {
        let policy = opened.description.policy.clone();
        let listener = opened.listener;
        let proxy = listener.map(|listener| Proxy::serve_gated(listener, &policy.network, gate));
        let roots: Vec<PathBuf> = policy.roots().cloned().collect();
        let path = opened.description.path.clone();
        let opening = open::blocking(move || {
            let search_path = super::search_path(path, &policy, &paths::home());
            let same_rules =
                |files: LocalFs| files.deny(&policy.masked)?.protect(&policy.protected);
            LocalFs::with_roots(roots)
                .and_then(same_rules)
                .map_err(|error| paths::unavailable(error.to_string()))
                .map(|files| (files, search_path))
        });
        let (files, search_path) = opening.await?;
        Ok(Self {
            files: Arc::new(files),
            search_path,
            link: SupervisorClient::from_socket(opened.socket)?,
            proxy: proxy.transpose()?,
            description: opened.description,
            helper: opened.supervisor,
        })
    }

    /// Sends a request, and extracts the result from the reply and the bytes that follow it.
    async fn request<T>(
        &self,
        ask: RequestKind,
        bytes: &[u8],
        take: impl FnOnce(ReplyPayload, Vec<u8>) -> Option<T>,
    ) -> Result<T, SandboxError> {
        let (answer, bytes) = self.link.call(ask, bytes).await?;
        take(answer, bytes).ok_or_else(connection::unexpected_reply)
    }

    async fn request_done(&self, ask: RequestKind, bytes: &[u8]) -> Result<(), SandboxError> {
        let done = |answer, _| matches!(answer, ReplyPayload::Done).then_some(());
        self.request(ask, bytes, done).await
    }

    async fn request_status(&self, ask: RequestKind) -> Result<ProcessStatus, SandboxError> {
        let status = |answer, _| match answer {
            ReplyPayload::Status(status) => Some(status),
            _ => None,
        };
        self.request(ask, &[], status).await
    }

    async fn write_all(
        &self,
        process: &ProcessId,
        bytes: &[u8],
        end: bool,
    ) -> Result<(), SandboxError> {
        let mut parts = bytes.chunks(WRITE).peekable();
        loop {
            let part = parts.next().unwrap_or_default();
            let last = parts.peek().is_none();
            let ask = RequestKind::Write {
                process: process.clone(),
                end: end && last,
            };
            self.request_done(ask, part).await?;
            if last {
                return Ok(());
            }
        }
    }
}

impl IsolatedSandbox {
    /// Returns the search path for programs of a sandbox with this policy, before the sandbox is opened.
    pub fn search_path_before(policy: &SandboxPolicy) -> SearchPath {
        let home = paths::home();
        let mut policy = policy.clone();
        policy.writable.extend(super::linked_repositories(&policy));
        let path = super::environment(&policy, &home).remove("PATH");
        super::search_path(path, &policy, &home)
    }
}

/// The greatest number of bytes of one write to a process; longer input is split.
const WRITE: usize = 256 << 10;

impl Sandbox for IsolatedSandbox {
    fn id(&self) -> &SandboxId {
        &self.description.id
    }

    fn enforcement(&self) -> &Enforcement {
        &self.description.enforcement
    }

    fn egress(&self) -> Egress {
        let gate = self.proxy.as_ref().map(Proxy::gate);
        egress_of(self.enforcement(), self.policy(), gate)
    }

    fn narrows_processes(&self) -> bool {
        let layers = &self.description.enforcement.layers;
        let holds = |layer| matches!(layers.get(&layer), Some(LayerStatus::Yes { .. }));
        // Mounts or Landlock deny writing; the system call filter denies connecting.
        (holds(Layer::Files) || holds(Layer::Landlock)) && holds(Layer::SystemCalls)
    }

    fn search_path(&self) -> Option<&SearchPath> {
        Some(&self.search_path)
    }

    fn files(&self) -> Arc<dyn SandboxFs> {
        Arc::clone(&self.files) as _
    }

    fn start(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        Box::pin(self.request_status(RequestKind::Start(spec)))
    }

    fn read(&self, read: ReadOutput) -> BoxFuture<'_, Result<OutputChunk, SandboxError>> {
        let chunk = |answer, bytes| match answer {
            ReplyPayload::Output { offset, total, end } => {
                Some(OutputChunk::new(offset, bytes, total, end))
            }
            _ => None,
        };
        Box::pin(self.request(RequestKind::Read(read), &[], chunk))
    }

    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        Box::pin(async move { self.write_all(process, &bytes, end).await })
    }

    fn resize<'a>(
        &'a self,
        process: &'a ProcessId,
        size: TerminalSize,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        let process = process.clone();
        Box::pin(self.request_done(RequestKind::Resize { process, size }, &[]))
    }

    fn signal<'a>(
        &'a self,
        process: &'a ProcessId,
        signal: Signal,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        let process = process.clone();
        Box::pin(self.request_done(RequestKind::Signal { process, signal }, &[]))
    }

    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> BoxFuture<'a, Result<ProcessStatus, SandboxError>> {
        let process = process.clone();
        Box::pin(self.request_status(RequestKind::Status { process, wait }))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<ProcessStatus>, SandboxError>> {
        let list = |answer, _| match answer {
            ReplyPayload::List(list) => Some(list),
            _ => None,
        };
        Box::pin(self.request(RequestKind::List, &[], list))
    }

    fn project<'a>(
        &'a self,
        folder: &'a Path,
        name: &'a str,
    ) -> BoxFuture<'a, Result<PathBuf, SandboxError>> {
        let (folder, name) = (folder.to_owned(), name.to_owned());
        let ask = RequestKind::Project { folder, name };
        Box::pin(self.request(ask, &[], |answer, _| match answer {
            ReplyPayload::Path(path) => Some(path),
            _ => None,
        }))
    }

    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>> {
        Box::pin(async move {
            match self.request_done(RequestKind::Close, &[]).await {
                Ok(()) => {
                    self.helper.reap_in_background();
                    return Ok(());
                }
                Err(SandboxError::Closed { .. }) => {}
                Err(error) => return Err(error),
            }
            let helper = self.helper.clone();
            open::blocking(move || helper.wait()).await
        })
    }
}

impl fmt::Debug for IsolatedSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IsolatedSandbox")
            .field("id", &self.description.id)
            .field("policy", &self.description.policy)
            .field("proxy", &self.proxy)
            .finish_non_exhaustive()
    }
}
