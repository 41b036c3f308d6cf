//! A handle to one process in a sandbox.

use std::sync::Arc;
use std::time::Duration;

use super::{
    FolderAccess, GrantScope, OutputChunk, OutputStream, ProcessId, ProcessSpec, ProcessStatus,
    ReadOutput, Sandbox, SandboxError, Signal,
};

/// How long one request for output or for a status waits before the request is repeated.
const WAIT: Duration = Duration::from_secs(20);
/// How long a process has to exit after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// How long the kernel has to end a process after SIGKILL.
const KILL_WAIT: Duration = Duration::from_secs(5);

/// A handle to one process in a [`Sandbox`].
///
/// Dropping the handle ends the process according to [`OnDrop`]. The output of the process is read with
/// [`output`](Self::output).
#[derive(Debug)]
pub struct Child {
    sandbox: Arc<dyn Sandbox>,
    id: ProcessId,
    on_drop: OnDrop,
}

/// What happens to a process when its [`Child`] is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnDrop {
    /// The process keeps running.
    Detach,
    /// The process is terminated, and killed if it does not exit: see [`Child::terminate`].
    Terminate,
    /// The process is killed.
    Kill,
}

/// The result of [`Child::terminate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Termination {
    /// The process had already ended.
    AlreadyEnded,
    /// The process exited after SIGTERM.
    Terminated,
    /// The process did not exit after SIGTERM and was killed.
    Killed,
}

impl Child {
    /// Starts a process.
    ///
    /// The process is ended according to `on_drop` if this future is dropped, and if it is unknown whether the process
    /// started.
    ///
    /// # Errors
    /// As [`Sandbox::start`].
    pub async fn spawn(
        sandbox: &Arc<dyn Sandbox>,
        spec: ProcessSpec,
        on_drop: OnDrop,
    ) -> Result<Self, SandboxError> {
        let child = Self::attach(sandbox, &spec.id);
        child.started_by(sandbox.start(spec), on_drop).await
    }

    /// Starts a process that may use one more folder, as [`Sandbox::start_with`] does.
    ///
    /// # Errors
    /// As [`Sandbox::start_with`].
    #[doc(hidden)]
    pub async fn spawn_with(
        sandbox: &Arc<dyn Sandbox>,
        spec: ProcessSpec,
        on_drop: OnDrop,
        (folder, scope): (FolderAccess, GrantScope),
    ) -> Result<Self, SandboxError> {
        let child = Self::attach(sandbox, &spec.id);
        let starting = sandbox.start_with(spec, folder, scope);
        child.started_by(starting, on_drop).await
    }

    async fn started_by(
        mut self,
        starting: impl Future<Output = Result<ProcessStatus, SandboxError>>,
        on_drop: OnDrop,
    ) -> Result<Self, SandboxError> {
        self.on_drop = on_drop;
        match starting.await {
            Ok(_) => Ok(self),
            Err(error) => {
                // The id may belong to another process, which must not be ended.
                if matches!(
                    error,
                    SandboxError::ProcessExists { .. }
                        | SandboxError::ProgramNotFound { .. }
                        | SandboxError::CannotStart { .. }
                ) {
                    self.detach();
                }
                Err(error)
            }
        }
    }

    /// Returns a handle to a process that is already running; dropping the handle does not end the process.
    pub fn attach(sandbox: &Arc<dyn Sandbox>, id: &ProcessId) -> Self {
        Self {
            sandbox: Arc::clone(sandbox),
            id: id.clone(),
            on_drop: OnDrop::Detach,
        }
    }

    /// Keeps the process running when the handle is dropped.
    pub fn detach(&mut self) {
        self.on_drop = OnDrop::Detach;
    }

    /// Returns the id of the process.
    pub fn id(&self) -> &ProcessId {
        &self.id
    }

    /// Returns the output of one stream, starting at a byte offset.
    pub fn output(&self, stream: OutputStream, offset: u64) -> ChildOutput {
        ChildOutput {
            sandbox: Arc::clone(&self.sandbox),
            id: self.id.clone(),
            stream,
            offset,
        }
    }

    /// Writes to the standard input, then closes the input if `end` is true.
    ///
    /// # Errors
    /// As [`Sandbox::write`].
    pub async fn write(&self, bytes: Vec<u8>, end: bool) -> Result<(), SandboxError> {
        self.sandbox.write(&self.id, bytes, end).await
    }

    /// Sends a signal to the process and all its descendants.
    ///
    /// # Errors
    /// As [`Sandbox::signal`].
    pub async fn signal(&self, signal: Signal) -> Result<(), SandboxError> {
        self.sandbox.signal(&self.id, signal).await
    }

    /// Returns the current status.
    ///
    /// # Errors
    /// As [`Sandbox::status`].
    pub async fn status(&self) -> Result<ProcessStatus, SandboxError> {
        self.sandbox.status(&self.id, Duration::ZERO).await
    }

    /// Waits until the process ends.
    ///
    /// # Errors
    /// As [`Sandbox::status`].
    pub async fn wait(&self) -> Result<ProcessStatus, SandboxError> {
        loop {
            let status = self.sandbox.status(&self.id, WAIT).await?;
            if status.exit.is_some() {
                return Ok(status);
            }
            // A sandbox that answers immediately must not block the other tasks of its thread.
            tokio::task::yield_now().await;
        }
    }

    /// Ends the process and its descendants: sends SIGTERM, and kills the remaining processes after two seconds.
    ///
    /// # Errors
    /// As [`Sandbox::signal`].
    pub async fn terminate(&self) -> Result<(Termination, ProcessStatus), SandboxError> {
        let before = self.status().await?;
        if before.exit.is_some() {
            // Nothing else ends the processes that the process left running.
            self.signal(Signal::Kill).await?;
            return Ok((Termination::AlreadyEnded, before));
        }
        self.signal(Signal::Terminate).await?;
        let asked = self.sandbox.status(&self.id, GRACE).await?;
        self.signal(Signal::Kill).await?;
        if asked.exit.is_some() {
            return Ok((Termination::Terminated, asked));
        }
        let killed = self.sandbox.status(&self.id, KILL_WAIT).await?;
        Ok((Termination::Killed, killed))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.on_drop == OnDrop::Detach {
            return;
        }
        // Without a runtime no process keeps running anyway: the sandbox ends its processes when its last handle is
        // dropped.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let child = Self::attach(&self.sandbox, &self.id);
        let on_drop = self.on_drop;
        runtime.spawn(async move {
            let ended = if on_drop == OnDrop::Kill {
                child.signal(Signal::Kill).await
            } else {
                child.terminate().await.map(drop)
            };
            if let Err(error) = ended {
                tracing::debug!(id = %child.id, %error, "failed to kill a process after its handle was dropped");
            }
        });
    }
}

/// One output stream of a process, with the read position.
#[derive(Debug)]
pub struct ChildOutput {
    sandbox: Arc<dyn Sandbox>,
    id: ProcessId,
    stream: OutputStream,
    offset: u64,
}

/// A part of the output of a process, in the order in which it was written.
#[derive(Debug)]
#[non_exhaustive]
pub struct ChildChunk {
    /// The number of bytes before this part that are no longer kept and were not read.
    pub missed: u64,
    /// The bytes; empty if there was no output in time.
    pub bytes: Vec<u8>,
    /// Whether the stream has ended.
    pub end: bool,
}

impl ChildOutput {
    /// Returns the offset of the next byte to read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Waits for output, and reads at most `max` bytes of it. The bytes are empty only at the end of the stream.
    ///
    /// Dropping the future loses no output.
    ///
    /// # Errors
    /// As [`Sandbox::read`].
    pub async fn next(&mut self, max: usize) -> Result<ChildChunk, SandboxError> {
        loop {
            let chunk = self.read(max, WAIT).await?;
            if chunk.end || !chunk.bytes.is_empty() {
                return Ok(chunk);
            }
            // A sandbox that answers immediately must not block the other tasks of its thread.
            tokio::task::yield_now().await;
        }
    }

    /// Reads at most `max` bytes; waits at most `wait` if there is no output.
    ///
    /// Dropping the future loses no output.
    ///
    /// # Errors
    /// As [`Sandbox::read`].
    pub async fn read(&mut self, max: usize, wait: Duration) -> Result<ChildChunk, SandboxError> {
        let read = ReadOutput {
            process: self.id.clone(),
            stream: self.stream,
            offset: self.offset,
            max,
            wait,
        };
        let chunk: OutputChunk = self.sandbox.read(read).await?;
        // The offset changes in the same step in which the chunk is returned, so that no bytes are lost between the two.
        let mut missed = 0;
        if chunk.end || !chunk.bytes.is_empty() {
            missed = chunk.offset.saturating_sub(self.offset);
            self.offset = chunk.next();
        }
        Ok(ChildChunk {
            missed,
            bytes: chunk.bytes,
            end: chunk.end,
        })
    }
}
