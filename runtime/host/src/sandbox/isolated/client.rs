//! The app's side of an isolated sandbox.

mod connection;
mod leftovers;
mod open;
mod paths;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use self::connection::SupervisorClient;
use self::open::SupervisorProcess;
use super::wire::{ReplyPayload, RequestKind, SandboxDescription};
use crate::sandbox::{
    Egress, Enforcement, Layer, LayerStatus, LocalFs, OutputChunk, ProcessId, ProcessSpec,
    ProcessStatus, Proxy, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId, SandboxPolicy,
    SearchPath, Signal, TerminalSize,
};

/// Commands of this machine in namespaces of their own, on Linux.
///
/// They see the workspace, chosen folders of the system and an empty home; they reach the network as far as the policy
/// says; they have no capability, and end with the sandbox. It works as root and as any user. The program that opens one
/// calls [`become_helper`](crate::reexec::become_helper) first in its `main`.
///
/// The sandbox lives as long as a client is connected to it: the one that opened it, or one that
/// [attached](IsolatedSandbox::attach).
pub struct IsolatedSandbox {
    description: SandboxDescription,
    files: Arc<LocalFs>,
    search_path: SearchPath,
    link: SupervisorClient,
    /// What leads to the hosts that may be reached, as long as this process lives.
    proxy: Option<Proxy>,
    /// The supervisor, where this process started it.
    helper: SupervisorProcess,
}

impl IsolatedSandbox {
    /// Opens a sandbox.
    ///
    /// # Errors
    /// When a layer that is not accepted as missing does not hold here, a folder of the policy cannot be used, or this
    /// program never called [`become_helper`](crate::reexec::become_helper).
    pub async fn open(policy: SandboxPolicy) -> Result<Self, SandboxError> {
        let opened = open::blocking(move || open::open(policy)).await?;
        Self::over(opened).await
    }

    /// Takes up a sandbox that another process of the same user opened.
    ///
    /// # Errors
    /// When there is none of this name any more.
    pub async fn attach(id: &SandboxId) -> Result<Self, SandboxError> {
        let id = id.clone();
        let opened = open::blocking(move || open::attach(&id)).await?;
        Self::over(opened).await
    }

    /// Returns what the sandbox allows.
    #[must_use]
    pub fn policy(&self) -> &SandboxPolicy {
        &self.description.policy
    }

    async fn over(opened: open::OpenedSandbox) -> Result<Self, SandboxError> {
        let policy = opened.description.policy.clone();
        let listener = opened.listener;
        let proxy = listener.map(|listener| Proxy::serve(listener, &policy.network));
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

    /// Asks for something, and takes what is wanted of the answer and of the bytes after it.
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
    /// Describes where commands will look for programs in a sandbox that is not open yet.
    pub fn search_path_before(policy: &SandboxPolicy) -> SearchPath {
        let home = paths::home();
        let mut policy = policy.clone();
        policy.writable.extend(super::linked_repositories(&policy));
        let path = super::environment(&policy, &home).remove("PATH");
        super::search_path(path, &policy, &home)
    }
}

/// The most bytes of one write to a process; longer ones go in parts.
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
        Egress::from_enforcement(self.enforcement(), self.policy(), gate)
    }

    fn narrows_processes(&self) -> bool {
        let layers = &self.description.enforcement.layers;
        let holds = |layer| matches!(layers.get(&layer), Some(LayerStatus::Yes { .. }));
        // Mounts or Landlock keep it from writing, the filter of system calls from connecting.
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
