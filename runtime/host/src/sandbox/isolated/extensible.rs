//! A sandbox to which folders are added while it is in use.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::client::paths;
use super::{IsolatedSandbox, offer};
use crate::sandbox::{
    Access, Egress, EgressGate, Enforcement, FolderAccess, GrantScope, OutputChunk, ProcessId,
    ProcessSpec, ProcessStatus, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId,
    SandboxPolicy, SearchPath, Signal, TerminalSize, proxy,
};
use helve_core::support::lock::Mutex;

/// The greatest number of sandboxes beside the first one.
const MAX_EXTENSIONS: usize = 8;

/// An [`IsolatedSandbox`] that [offers](Sandbox::offer) the folders outside of its policy, and starts commands that may
/// use them.
///
/// The root of a sandbox is fixed once it is built. A command with one more folder runs in another sandbox, whose policy
/// has the folder, so that everything that protects the other folders protects this one. All of these sandboxes have the
/// same gate, and each has private folders of its own, such as `/tmp`.
pub struct ExtensibleSandbox {
    first: Arc<IsolatedSandbox>,
    gate: Arc<EgressGate>,
    state: Mutex<ExtensionState>,
    /// Held while a sandbox is opened, so that no folder of the session is lost.
    opening: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct ExtensionState {
    /// The policy, with the folders that were allowed for the session.
    policy: SandboxPolicy,
    /// The sandbox in which commands start.
    current: Arc<IsolatedSandbox>,
    /// The sandboxes beside the first one, the oldest first.
    extensions: Vec<Arc<IsolatedSandbox>>,
    /// The sandboxes of the processes that did not start in the first one.
    owners: BTreeMap<ProcessId, Arc<IsolatedSandbox>>,
    projected: Vec<(PathBuf, String)>,
}

impl ExtensibleSandbox {
    /// Opens a sandbox.
    ///
    /// # Errors
    /// As [`IsolatedSandbox::open`].
    pub async fn open(policy: SandboxPolicy) -> Result<Self, SandboxError> {
        let gate = proxy::gate_for(&policy);
        let opened = IsolatedSandbox::open_gated(policy.clone(), Arc::clone(&gate)).await?;
        let first = Arc::new(opened);
        let state = ExtensionState {
            policy,
            current: Arc::clone(&first),
            extensions: Vec::new(),
            owners: BTreeMap::new(),
            projected: Vec::new(),
        };
        Ok(Self {
            first,
            gate,
            state: Mutex::new(state),
            opening: tokio::sync::Mutex::new(()),
        })
    }

    /// Returns the sandbox of a process.
    fn owner(&self, process: &ProcessId) -> Arc<IsolatedSandbox> {
        let state = self.state.lock();
        Arc::clone(state.owners.get(process).unwrap_or(&self.first))
    }

    /// Opens a sandbox with one more folder.
    async fn extend(
        &self,
        folder: FolderAccess,
        scope: GrantScope,
    ) -> Result<Arc<IsolatedSandbox>, SandboxError> {
        let _opening = self.opening.lock().await;
        self.close_idle_extensions().await?;
        let (mut policy, projected) = {
            let state = self.state.lock();
            (state.policy.clone(), state.projected.clone())
        };
        match folder.access {
            Access::Read => policy.readable.push(folder.path),
            Access::Write => policy.writable.push(folder.path),
        }
        let gate = Arc::clone(&self.gate);
        let opened = Arc::new(IsolatedSandbox::open_gated(policy.clone(), gate).await?);
        // The caller was told what the first sandbox enforces.
        let known = self.first.enforcement().missing();
        let missing = opened.enforcement().missing();
        if let Some(layer) = missing.iter().find(|layer| !known.contains(layer)) {
            return Err(paths::unavailable(format!(
                "with this folder, the layer `{}` would not be enforced",
                layer.name()
            )));
        }
        for (folder, name) in projected {
            opened.project(&folder, &name).await?;
        }
        let mut state = self.state.lock();
        state.extensions.push(Arc::clone(&opened));
        if scope == GrantScope::Session {
            state.policy = policy;
            state.current = Arc::clone(&opened);
        }
        Ok(opened)
    }

    /// Closes the sandboxes in which no command starts any more and none runs, if there are too many.
    async fn close_idle_extensions(&self) -> Result<(), SandboxError> {
        let extensions = self.state.lock().extensions.clone();
        if extensions.len() < MAX_EXTENSIONS {
            return Ok(());
        }
        for extension in extensions {
            let is_current = Arc::ptr_eq(&self.state.lock().current, &extension);
            let is_idle = || async {
                let list = extension.list().await;
                list.is_ok_and(|list| list.iter().all(|process| process.exit.is_some()))
            };
            if is_current || !is_idle().await {
                continue;
            }
            let mut state = self.state.lock();
            state
                .extensions
                .retain(|other| !Arc::ptr_eq(other, &extension));
            state
                .owners
                .retain(|_, owner| !Arc::ptr_eq(owner, &extension));
        }
        if self.state.lock().extensions.len() < MAX_EXTENSIONS {
            return Ok(());
        }
        Err(paths::unavailable(
            "commands with other folders are still running; end one of them first",
        ))
    }

    /// Starts a process in one of the sandboxes.
    async fn start_in(
        &self,
        sandbox: Arc<IsolatedSandbox>,
        spec: ProcessSpec,
    ) -> Result<ProcessStatus, SandboxError> {
        let id = spec.id.clone();
        if !Arc::ptr_eq(&sandbox, &self.first) {
            let mut state = self.state.lock();
            if state.owners.contains_key(&id) {
                return Err(SandboxError::ProcessExists { id });
            }
            // A start that is dropped may have started the process.
            state.owners.insert(id.clone(), Arc::clone(&sandbox));
        }
        let started = sandbox.start(spec).await;
        if started.is_err() {
            self.state.lock().owners.remove(&id);
        }
        started
    }

    fn all(&self) -> Vec<Arc<IsolatedSandbox>> {
        let mut all = vec![Arc::clone(&self.first)];
        all.extend(self.state.lock().extensions.iter().cloned());
        all
    }
}

impl Sandbox for ExtensibleSandbox {
    fn id(&self) -> &SandboxId {
        self.first.id()
    }

    fn enforcement(&self) -> &Enforcement {
        self.first.enforcement()
    }

    fn egress(&self) -> Egress {
        self.first.egress()
    }

    fn narrows_processes(&self) -> bool {
        self.first.narrows_processes()
    }

    fn search_path(&self) -> Option<&SearchPath> {
        self.first.search_path()
    }

    fn files(&self) -> Arc<dyn SandboxFs> {
        self.first.files()
    }

    fn start(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        let current = Arc::clone(&self.state.lock().current);
        Box::pin(self.start_in(current, spec))
    }

    fn offer<'a>(&'a self, path: &'a Path, access: Access) -> BoxFuture<'a, Option<FolderAccess>> {
        let (policy, path) = (self.state.lock().policy.clone(), path.to_owned());
        Box::pin(async move {
            let home = paths::home();
            let finding = move || offer::offer(&policy, &home, &path, access);
            let offered = tokio::task::spawn_blocking(finding).await.ok()??;
            // The programs of the search path stay those for which commands are judged.
            let folders = std::slice::from_ref(&offered.path);
            let leads_into = self
                .first
                .search_path()
                .is_some_and(|path| path.leads_into(folders));
            (access == Access::Read || !leads_into).then_some(offered)
        })
    }

    fn start_with(
        &self,
        spec: ProcessSpec,
        folder: FolderAccess,
        scope: GrantScope,
    ) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        Box::pin(async move {
            let sandbox = self.extend(folder, scope).await?;
            self.start_in(sandbox, spec).await
        })
    }

    fn read(&self, read: ReadOutput) -> BoxFuture<'_, Result<OutputChunk, SandboxError>> {
        let owner = self.owner(&read.process);
        Box::pin(async move { owner.read(read).await })
    }

    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        let owner = self.owner(process);
        Box::pin(async move { owner.write(process, bytes, end).await })
    }

    fn resize<'a>(
        &'a self,
        process: &'a ProcessId,
        size: TerminalSize,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        let owner = self.owner(process);
        Box::pin(async move { owner.resize(process, size).await })
    }

    fn signal<'a>(
        &'a self,
        process: &'a ProcessId,
        signal: Signal,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        let owner = self.owner(process);
        Box::pin(async move { owner.signal(process, signal).await })
    }

    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> BoxFuture<'a, Result<ProcessStatus, SandboxError>> {
        let owner = self.owner(process);
        Box::pin(async move { owner.status(process, wait).await })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<ProcessStatus>, SandboxError>> {
        Box::pin(async move {
            let mut all = Vec::new();
            for sandbox in self.all() {
                all.extend(sandbox.list().await?);
            }
            Ok(all)
        })
    }

    fn project<'a>(
        &'a self,
        folder: &'a Path,
        name: &'a str,
    ) -> BoxFuture<'a, Result<PathBuf, SandboxError>> {
        Box::pin(async move {
            let _opening = self.opening.lock().await;
            let path = self.first.project(folder, name).await?;
            for sandbox in self.all().into_iter().skip(1) {
                sandbox.project(folder, name).await?;
            }
            let projected = (folder.to_owned(), name.to_owned());
            let mut state = self.state.lock();
            if !state.projected.contains(&projected) {
                state.projected.push(projected);
            }
            Ok(path)
        })
    }

    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>> {
        Box::pin(async move {
            let mut closed = Ok(());
            for sandbox in self.all() {
                closed = closed.and(sandbox.close().await);
            }
            closed
        })
    }
}

impl fmt::Debug for ExtensibleSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtensibleSandbox")
            .field("first", &self.first)
            .field("state", &self.state.lock())
            .finish_non_exhaustive()
    }
}
