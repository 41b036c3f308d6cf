//! The [`Sandbox`] trait.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, ready};

use super::{
    Access, Egress, Enforcement, FolderAccess, GrantScope, OutputChunk, ProcessId, ProcessSpec,
    ProcessStatus, ReadOutput, SandboxError, SandboxFs, SandboxId, SearchPath, Signal,
    TerminalSize,
};

/// A sandbox: an environment in which commands run with restricted access to the machine.
///
/// A sandbox belongs to a session: its processes end when the sandbox is closed, when its last handle is dropped, and
/// when the process that opened it dies for any reason. Sandboxes and processes are identified by ids, so that another
/// process can use a handle while the sandbox is alive.
///
/// Futures may be dropped at any time: after a dropped start, the process either runs under its id or does not run.
pub trait Sandbox: Send + Sync + Debug {
    /// Returns the id of the sandbox.
    fn id(&self) -> &SandboxId;

    /// Returns the enforced layers.
    fn enforcement(&self) -> &Enforcement;

    /// Returns how commands reach the network.
    fn egress(&self) -> Egress {
        Egress::Unchecked
    }

    /// Reports whether the sandbox can restrict a single process further than its policy if the process specification
    /// requires it: to [`Access::Read`](super::Access::Read) and
    /// [`NetworkAccess::Closed`](super::NetworkAccess::Closed).
    ///
    /// Only a sandbox that prevents a command from writing and from connecting returns true. If this is false, a
    /// read-only call is started with the access of the policy; the proof that the call only reads is then the only
    /// guarantee.
    fn narrows_processes(&self) -> bool {
        false
    }

    /// Returns the search path of commands, and whether commands can write to its folders; `None` if this is unknown.
    /// In that case, nothing can be proven about a command line.
    fn search_path(&self) -> Option<&SearchPath> {
        None
    }

    /// Returns the file system as commands see it; the first root is the working folder of commands.
    fn files(&self) -> Arc<dyn SandboxFs>;

    /// Starts a process and returns as soon as it runs.
    ///
    /// # Errors
    /// When the id is used, the program does not exist, or the sandbox cannot run the program.
    fn start(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>>;

    /// Returns the folder or file that would have to be allowed so that a command can use a path that its error message
    /// names. Returns `None` if the policy allows the path already, if the path must stay out of reach (a secret, a
    /// protected or masked path, a folder of the system), or if this sandbox cannot show further folders.
    ///
    /// The text of a command is no proof of anything: the returned folder is only offered to the user.
    fn offer<'a>(&'a self, path: &'a Path, access: Access) -> BoxFuture<'a, Option<FolderAccess>> {
        let _ = (path, access);
        Box::pin(ready(None))
    }

    /// Starts a process that may use one more folder, which was [offered](Self::offer) and allowed. With
    /// [`GrantScope::Session`], later processes may use the folder, too.
    ///
    /// # Errors
    /// As [`start`](Self::start), and if the sandbox cannot show further folders.
    fn start_with(
        &self,
        spec: ProcessSpec,
        folder: FolderAccess,
        scope: GrantScope,
    ) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        let _ = (spec, scope);
        let why = format!("this sandbox cannot let a command {folder}");
        let kind = self.enforcement().mechanism.clone();
        Box::pin(ready(Err(SandboxError::Unavailable { kind, why })))
    }

    /// Reads output from an offset on; see [`OutputChunk`]. Several readers are independent of each other.
    ///
    /// # Errors
    /// When there is no such process.
    fn read(&self, read: ReadOutput) -> BoxFuture<'_, Result<OutputChunk, SandboxError>>;

    /// Writes to the standard input of a process that was started with [`Stdin::Open`](super::Stdin::Open), then
    /// closes the input if `end` is true.
    ///
    /// # Errors
    /// When there is no such process, or its input is closed.
    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> BoxFuture<'a, Result<(), SandboxError>>;

    /// Changes the size of a process's terminal.
    ///
    /// # Errors
    /// When there is no such process, or it has no terminal.
    fn resize<'a>(
        &'a self,
        process: &'a ProcessId,
        size: TerminalSize,
    ) -> BoxFuture<'a, Result<(), SandboxError>>;

    /// Sends a signal to a process and its descendants; nothing happens if the process has ended.
    ///
    /// # Errors
    /// When there is no such process.
    fn signal<'a>(
        &'a self,
        process: &'a ProcessId,
        signal: Signal,
    ) -> BoxFuture<'a, Result<(), SandboxError>>;

    /// Returns the status of a process after at most `wait`, and at once when the process has ended.
    ///
    /// # Errors
    /// When there is no such process.
    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> BoxFuture<'a, Result<ProcessStatus, SandboxError>>;

    /// Lists all processes in the order of their starts, including those that have ended.
    ///
    /// # Errors
    /// When the sandbox is gone.
    fn list(&self) -> BoxFuture<'_, Result<Vec<ProcessStatus>, SandboxError>>;

    /// Makes a folder of this machine readable in the sandbox, and returns its path there.
    ///
    /// `name` is one path component. Links that lead out of the folder are dangling in the sandbox.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read, or the name is already used.
    fn project<'a>(
        &'a self,
        folder: &'a Path,
        name: &'a str,
    ) -> BoxFuture<'a, Result<PathBuf, SandboxError>>;

    /// Ends all processes of the sandbox and removes the sandbox; closing it again does nothing.
    ///
    /// # Errors
    ///
    /// When a part of the sandbox cannot be removed.
    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>>;
}
