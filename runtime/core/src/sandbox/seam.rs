//! The [`Sandbox`] trait.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{
    Egress, Enforcement, OutputChunk, ProcessId, ProcessSpec, ProcessStatus, ReadOutput,
    SandboxError, SandboxFs, SandboxId, SearchPath, Signal, TerminalSize,
};

/// A place where commands run, and how much of the machine they reach from there.
///
/// A sandbox belongs to a session: what runs in it ends when it is closed, when its last handle is dropped, and when the
/// process that opened it dies, however it dies. Everything in it goes by ids, so that a handle can be taken up by
/// another process while it lives.
///
/// Futures may be dropped at any time: a process whose start was asked for either runs under its id or does not.
pub trait Sandbox: Send + Sync + Debug {
    /// Names the sandbox.
    fn id(&self) -> &SandboxId;

    /// Returns, layer by layer, what is enforced here.
    fn enforcement(&self) -> &Enforcement;

    /// Returns how commands reach the network.
    fn egress(&self) -> Egress {
        Egress::Unchecked
    }

    /// Reports whether a single process is held to less than the policy allows where its description says so: to
    /// [`Access::Read`](super::Access::Read) and [`NetworkAccess::Closed`](super::NetworkAccess::Closed).
    ///
    /// Only a sandbox that keeps a command from writing and from connecting returns true. Where it is false, a call that
    /// only reads is started with what the policy allows: its proof is then all that keeps it.
    fn narrows_processes(&self) -> bool {
        false
    }

    /// Returns where its commands look for programs, and whether they can write there; `None` where that is not known.
    /// Nothing is proven of a command line then.
    fn search_path(&self) -> Option<&SearchPath> {
        None
    }

    /// Returns the files as commands see them; the first root is the folder that commands start in.
    fn files(&self) -> Arc<dyn SandboxFs>;

    /// Starts a process and returns as soon as it runs.
    ///
    /// # Errors
    /// When its id is taken, its program is not there, or the sandbox cannot run it.
    fn start(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>>;

    /// Reads output from an offset on; see [`OutputChunk`]. Two readers do not disturb each other.
    ///
    /// # Errors
    /// When there is no such process.
    fn read(&self, read: ReadOutput) -> BoxFuture<'_, Result<OutputChunk, SandboxError>>;

    /// Writes to the standard input of a process that was started with it open, then closes it if `end`.
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

    /// Sends a signal to a process and all that descends from it; one that has ended is left alone.
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

    /// Lists all processes that were started, in the order of their starts; those that ended, too.
    ///
    /// # Errors
    /// When the sandbox is gone.
    fn list(&self) -> BoxFuture<'_, Result<Vec<ProcessStatus>, SandboxError>>;

    /// Makes a folder of this machine readable in the sandbox, and returns where it is there.
    ///
    /// `name` is one path component. Links that lead out of the folder lead nowhere in the sandbox.
    ///
    /// # Errors
    /// When the folder cannot be read, or the name is taken by another one.
    fn project<'a>(
        &'a self,
        folder: &'a Path,
        name: &'a str,
    ) -> BoxFuture<'a, Result<PathBuf, SandboxError>>;

    /// Ends all that runs in the sandbox and takes it down; closing it again does nothing.
    ///
    /// # Errors
    /// When something could not be taken down.
    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>>;
}
