//! A sandbox that runs commands as plain child processes, for programs that are already isolated.

mod blocking;
mod enforcement;
mod environment;
mod folder;
mod limits;
mod process;
mod process_table;
mod project;
mod read_in;
mod runner;
mod shared;
mod spawn;
mod start;
mod terminal;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use self::blocking::blocking;
use self::folder::SandboxFolder;
use self::process_table::ProcessTable;
use self::shared::PassthroughState;
use super::{
    Enforcement, FsError, LocalFs, OutputChunk, ProcessId, ProcessSpec, ProcessStatus, ReadOutput,
    Sandbox, SandboxError, SandboxFs, SandboxFuture, SandboxId, SandboxPolicy, SearchPath, Signal,
    TerminalSize,
};

/// A sandbox without isolation: commands can do whatever this process can.
///
/// It is a separate type, so that it is never chosen by accident. It runs commands, stores their output and ends them;
/// its [`Enforcement`] reports almost every layer as not enforced. These layers are enforced: commands see the same
/// allowlist of environment variables as in other sandboxes and no open file of this process, and the kernel enforces
/// the per-process limits.
///
/// The descendants of a command are found by their ancestry, their session and a marker in their environment; a process
/// that has left all three outlives the command. Closing or dropping the sandbox kills the processes that are found. If
/// this process dies without either, the kernel kills the commands themselves, but not their descendants.
///
/// The processes belong to the process that opened the sandbox, so no other process can attach to it. While the sandbox
/// is open, other processes of this user can read the output of its processes through its folder: see
/// [`read_in`](Self::read_in).
#[derive(Debug)]
pub struct PassthroughSandbox {
    enforcement: Enforcement,
    files: Arc<LocalFs>,
    search_path: SearchPath,
    shared: Arc<PassthroughState>,
}

impl PassthroughSandbox {
    /// Opens a sandbox.
    ///
    /// # Errors
    /// Fails if the workspace is not a folder, or if the temporary folder is not writable.
    pub async fn open(policy: SandboxPolicy) -> Result<Self, SandboxError> {
        blocking(move || Self::open_blocking(policy)).await
    }

    fn open_blocking(policy: SandboxPolicy) -> Result<Self, SandboxError> {
        policy.reject_staged("passthrough")?;
        let files = files(&policy).map_err(|error| SandboxError::Unavailable {
            kind: "passthrough".to_owned(),
            why: error.to_string(),
        })?;
        Ok(Self {
            enforcement: enforcement::table(),
            files: Arc::new(files),
            search_path: environment::search_path(&policy),
            shared: Arc::new(PassthroughState {
                policy,
                folder: SandboxFolder::create()?,
                processes: ProcessTable::default(),
            }),
        })
    }

    /// Returns the folder that stores output while the sandbox is open.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.shared.folder.path
    }

    /// Reads the output of a command in a sandbox that another process opened; `folder` is the folder of the sandbox.
    ///
    /// # Errors
    /// Fails if the sandbox is closed, or has no such process.
    pub async fn read_in(folder: &Path, read: ReadOutput) -> Result<OutputChunk, SandboxError> {
        read_in::read(folder, read).await
    }

    /// Returns the search path for programs of a sandbox with this policy, before the sandbox is opened.
    pub fn search_path_before(policy: &SandboxPolicy) -> SearchPath {
        environment::search_path(policy)
    }
}

impl Sandbox for PassthroughSandbox {
    fn id(&self) -> &SandboxId {
        &self.shared.folder.id
    }

    fn enforcement(&self) -> &Enforcement {
        &self.enforcement
    }

    fn search_path(&self) -> Option<&SearchPath> {
        Some(&self.search_path)
    }

    fn files(&self) -> Arc<dyn SandboxFs> {
        self.files.clone()
    }

    fn start(&self, spec: ProcessSpec) -> SandboxFuture<'_, ProcessStatus> {
        Box::pin(start::start(&self.shared, spec))
    }

    fn read(&self, read: ReadOutput) -> SandboxFuture<'_, OutputChunk> {
        Box::pin(async move { self.shared.processes.get(&read.process)?.read(read).await })
    }

    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> SandboxFuture<'a, ()> {
        Box::pin(async move { self.shared.processes.get(process)?.write(bytes, end).await })
    }

    fn resize<'a>(&'a self, process: &'a ProcessId, size: TerminalSize) -> SandboxFuture<'a, ()> {
        Box::pin(async move { self.shared.processes.get(process)?.resize(size) })
    }

    fn signal<'a>(&'a self, process: &'a ProcessId, signal: Signal) -> SandboxFuture<'a, ()> {
        Box::pin(async move {
            let process = self.shared.processes.get(process)?;
            process.wait_started().await;
            blocking(move || {
                process.signal(signal);
                Ok(())
            })
            .await
        })
    }

    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> SandboxFuture<'a, ProcessStatus> {
        Box::pin(async move { Ok(self.shared.processes.get(process)?.wait(wait).await) })
    }

    fn list(&self) -> SandboxFuture<'_, Vec<ProcessStatus>> {
        Box::pin(async move { self.shared.processes.list() })
    }

    /// Copies the folder beside the output, without links that lead out of it. Only the mode of the copy protects it
    /// from commands.
    fn project<'a>(&'a self, folder: &'a Path, name: &'a str) -> SandboxFuture<'a, PathBuf> {
        let (shared, folder, name) = (self.shared.clone(), folder.to_owned(), name.to_owned());
        Box::pin(blocking(move || project::project(&shared, &folder, &name)))
    }

    fn close(&self) -> SandboxFuture<'_, ()> {
        let shared = Arc::clone(&self.shared);
        Box::pin(blocking(move || {
            shared.close();
            Ok(())
        }))
    }
}

impl Drop for PassthroughSandbox {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// Opens the files with the rules for tools; commands are not restricted.
fn files(policy: &SandboxPolicy) -> Result<LocalFs, FsError> {
    let roots = policy.roots();
    LocalFs::with_roots(roots)?
        .deny(&policy.masked)?
        .protect(&policy.protected)
}
