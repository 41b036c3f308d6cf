//! The state of a process that callers query.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::Instant;

use super::blocking::blocking;
use super::terminal;
use super::tree::{self, ProcessTree};
use crate::sandbox::spool::Spool;
use crate::sandbox::{
    Exit, OutputChunk, OutputStream, ProcessId, ProcessSpec, ProcessStatus, ReadOutput,
    SandboxError, SandboxId, Signal, Stdin, TerminalSize,
};
use helve_core::support::lock::Mutex;

/// The longest time that a signal waits for the start of its process.
const MAX_START_WAIT: Duration = Duration::from_secs(10);

/// A process and its state.
#[derive(Debug)]
pub(super) struct PassthroughProcess {
    sandbox: SandboxId,
    pub(super) id: ProcessId,
    argv: Vec<String>,
    state: watch::Sender<ProcessState>,
    spools: [Mutex<Spool>; 2],
    pub(super) input: Mutex<InputQueue>,
    /// Admits one writer at a time, so that each pending write is held by its caller.
    writers: Arc<Semaphore>,
    pub(super) terminal: Mutex<Option<OwnedFd>>,
    /// The PID of the child, from its start until it is reaped: as long as no other process can have this PID.
    pub(super) leader: Mutex<Option<u32>>,
    /// Wakes the thread of the process.
    wake: UnixStream,
    is_abandoned: AtomicBool,
    pub(super) thread: Mutex<Option<JoinHandle<()>>>,
}

/// The state of a process, updated by its thread.
#[derive(Debug, Clone, Default)]
pub(super) struct ProcessState {
    /// Whether the start has succeeded or failed.
    pub(super) is_started: bool,
    pub(super) exit: Option<Exit>,
    pub(super) totals: [u64; 2],
    pub(super) ended: [bool; 2],
}

/// The pending writes.
#[derive(Debug, Default)]
pub(super) struct InputQueue {
    pub(super) is_open: bool,
    pub(super) writes: VecDeque<PendingWrite>,
}

#[derive(Debug)]
pub(super) struct PendingWrite {
    pub(super) bytes: Vec<u8>,
    /// The number of bytes that are written.
    pub(super) written: usize,
    pub(super) end: bool,
    /// Signalled when the bytes are written; dropped if they cannot be written.
    pub(super) done: oneshot::Sender<()>,
    /// Held until this write is done; then the next writer proceeds.
    pub(super) _permit: OwnedSemaphorePermit,
}

impl PassthroughProcess {
    /// Creates the state of a process that is about to start, and the two ends of the socket that wakes its thread.
    pub(super) fn new(
        sandbox: &SandboxId,
        spec: &ProcessSpec,
        folder: &Path,
        output: u64,
    ) -> io::Result<(Arc<Self>, UnixStream)> {
        let (wake, woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        let spool = |stream| Mutex::new(Spool::create(folder, stream, output));
        let process = Self {
            sandbox: sandbox.clone(),
            id: spec.id.clone(),
            argv: spec.argv.clone(),
            state: watch::Sender::default(),
            spools: [spool(OutputStream::Stdout), spool(OutputStream::Stderr)],
            input: Mutex::new(InputQueue {
                is_open: spec.stdin == Stdin::Open,
                writes: VecDeque::new(),
            }),
            writers: Arc::new(Semaphore::new(1)),
            terminal: Mutex::default(),
            leader: Mutex::default(),
            wake,
            is_abandoned: AtomicBool::new(false),
            thread: Mutex::default(),
        };
        Ok((Arc::new(process), woken))
    }

    pub(super) fn status(&self) -> ProcessStatus {
        let state = self.state.borrow();
        let mut status = ProcessStatus::new(self.id.clone(), self.argv.clone());
        status.exit.clone_from(&state.exit);
        [status.stdout, status.stderr] = state.totals;
        status
    }

    /// Waits for the end of the process, for at most `wait`.
    pub(super) async fn wait(&self, wait: Duration) -> ProcessStatus {
        self.wait_until(wait, |state| state.exit.is_some()).await;
        self.status()
    }

    async fn wait_until(&self, wait: Duration, is_met: impl Fn(&ProcessState) -> bool) {
        let mut state = self.state.subscribe();
        let met = state.wait_for(|state| is_met(state));
        // The sender lives as long as `self`, so only the timeout ends the wait early.
        let _ = match Instant::now().checked_add(wait) {
            Some(deadline) => tokio::time::timeout_at(deadline, met).await.is_ok(),
            None => met.await.is_ok(),
        };
    }

    pub(super) async fn read(
        self: &Arc<Self>,
        read: ReadOutput,
    ) -> Result<OutputChunk, SandboxError> {
        let at = index(read.stream);
        self.wait_until(read.wait, |state| {
            state.totals[at] > read.offset || state.ended[at]
        })
        .await;
        let state = self.state.borrow().clone();
        if state.totals[at] <= read.offset {
            let (offset, total) = (read.offset, state.totals[at]);
            return Ok(OutputChunk::new(offset, Vec::new(), total, state.ended[at]));
        }
        let process = Arc::clone(self);
        blocking(move || {
            let chunk = process.spools[at].lock().read(read.offset, read.max);
            chunk.map_err(|source| SandboxError::Io {
                doing: format!("reading the output of `{}`", process.id),
                source,
            })
        })
        .await
    }

    pub(super) async fn write(&self, bytes: Vec<u8>, end: bool) -> Result<(), SandboxError> {
        let closed = || SandboxError::InputClosed {
            id: self.id.clone(),
        };
        let permit = Arc::clone(&self.writers).acquire_owned().await;
        let _permit = permit.map_err(|_| closed())?;
        let (done, written) = oneshot::channel();
        {
            let mut input = self.input.lock();
            if !input.is_open {
                return Err(closed());
            }
            input.is_open = !end;
            input.writes.push_back(PendingWrite {
                bytes,
                written: 0,
                end,
                done,
                _permit,
            });
        }
        self.wake();
        written.await.map_err(|_| closed())
    }

    pub(super) fn resize(&self, size: TerminalSize) -> Result<(), SandboxError> {
        let terminal = self.terminal.lock();
        let terminal = terminal.as_ref().ok_or_else(|| SandboxError::NoTerminal {
            id: self.id.clone(),
        })?;
        terminal::resize(terminal, size).map_err(|source| SandboxError::Io {
            doing: format!("resizing the terminal of `{}`", self.id),
            source,
        })
    }

    /// Waits until the process runs or could not be started.
    pub(super) async fn wait_started(&self) {
        self.wait_until(MAX_START_WAIT, |state| state.is_started)
            .await;
    }

    /// Signals the process and its descendants.
    pub(super) fn signal(&self, signal: Signal) {
        // The lock is held meanwhile, so that the PID is not reused.
        let leader = self.leader.lock();
        let family = ProcessTree::from_process(&self.sandbox, &self.id, *leader);
        match signal {
            Signal::Kill => tree::kill(&family),
            other => tree::signal(&family, other),
        }
    }

    /// Requests the thread to kill the process and to end.
    pub(super) fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Release);
        self.wake();
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Acquire)
    }

    /// Joins the thread, which was requested to end.
    pub(super) fn join(&self) {
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    /// Stores output. Bytes that cannot be stored are still counted.
    pub(super) fn record_output(&self, stream: OutputStream, bytes: &[u8]) {
        let at = index(stream);
        let mut spool = self.spools[at].lock();
        if let Err(error) = spool.append(bytes) {
            tracing::warn!(process = %self.id, %error, "output could not be kept");
        }
        let total = spool.total();
        drop(spool);
        self.state.send_modify(|state| state.totals[at] = total);
    }

    /// Marks a stream as ended: it has no writer any more.
    pub(super) fn end_stream(&self, stream: OutputStream) {
        let at = index(stream);
        let _ = self.spools[at].lock().end();
        self.state.send_modify(|state| state.ended[at] = true);
    }

    pub(super) fn set_started(&self) {
        self.state.send_modify(|state| state.is_started = true);
    }

    pub(super) fn set_exited(&self, exit: Exit) {
        self.state.send_modify(|state| state.exit = Some(exit));
    }

    fn wake(&self) {
        // A full buffer wakes the thread, too.
        let _ = (&self.wake).write(&[1]);
    }
}

fn index(stream: OutputStream) -> usize {
    match stream {
        OutputStream::Stdout => 0,
        OutputStream::Stderr => 1,
    }
}
