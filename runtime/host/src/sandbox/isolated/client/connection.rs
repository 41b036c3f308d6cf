//! Requests and replies over one connection to a supervisor.

use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::super::wire::{
    ReplyPayload, Request, RequestKind, WireError, WireReply, decode, encode, parse,
};
use crate::sandbox::SandboxError;
use helve_core::support::lock::Mutex;

/// The greatest number of requests that may wait to be sent.
const QUEUE: usize = 16;
/// The size of the read buffer, in bytes.
const PART: usize = 64 << 10;

type CallResult = Result<(ReplyPayload, Vec<u8>), WireError>;

/// A connection to a supervisor. The sandbox ends when its last connection closes.
pub(super) struct SupervisorClient {
    next: AtomicU64,
    pending: Arc<Mutex<PendingCalls>>,
    send: mpsc::Sender<Vec<u8>>,
    tasks: [JoinHandle<()>; 2],
}

/// The callers that wait for a reply, by request number; `None` after the connection closed.
type PendingCalls = Option<HashMap<u64, oneshot::Sender<CallResult>>>;

impl SupervisorClient {
    pub(super) fn from_socket(socket: UnixStream) -> Result<Self, SandboxError> {
        let broken = |source| SandboxError::Io {
            doing: "failed to connect to the supervisor".to_owned(),
            source,
        };
        socket.set_nonblocking(true).map_err(broken)?;
        let socket = tokio::net::UnixStream::from_std(socket).map_err(broken)?;
        let (reading, writing) = socket.into_split();
        let waiting = Arc::new(Mutex::new(Some(HashMap::new())));
        let (send, sent) = mpsc::channel(QUEUE);
        Ok(Self {
            next: AtomicU64::new(1),
            tasks: [
                tokio::spawn(read_frames(reading, Arc::clone(&waiting))),
                tokio::spawn(write_frames(writing, sent)),
            ],
            pending: waiting,
            send,
        })
    }

    /// Sends a request and waits for the reply. A request whose caller is gone is still answered; the reply is dropped.
    pub(super) async fn call(
        &self,
        ask: RequestKind,
        bytes: &[u8],
    ) -> Result<(ReplyPayload, Vec<u8>), SandboxError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let frame = encode(&Request { number, ask }, bytes).map_err(|source| SandboxError::Io {
            doing: "failed to send a request to the supervisor".to_owned(),
            source,
        })?;
        let (answer, answered) = oneshot::channel();
        match &mut *self.pending.lock() {
            Some(waiting) => drop(waiting.insert(number, answer)),
            None => return Err(closed_error()),
        }
        let _forget = ForgetOnDrop {
            client: self,
            number,
        };
        self.send.send(frame).await.map_err(|_| closed_error())?;
        match answered.await {
            Ok(answer) => answer.map_err(Into::into),
            Err(_) => Err(closed_error()),
        }
    }
}

impl Drop for SupervisorClient {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// Removes the pending call when dropped.
struct ForgetOnDrop<'a> {
    client: &'a SupervisorClient,
    number: u64,
}

impl Drop for ForgetOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(waiting) = &mut *self.client.pending.lock() {
            waiting.remove(&self.number);
        }
    }
}

async fn write_frames(mut socket: OwnedWriteHalf, mut frames: mpsc::Receiver<Vec<u8>>) {
    while let Some(frame) = frames.recv().await {
        if socket.write_all(&frame).await.is_err() {
            return;
        }
    }
}

async fn read_frames(mut socket: OwnedReadHalf, waiting: Arc<Mutex<PendingCalls>>) {
    let mut buffer = Vec::new();
    while let Ok(1..) = socket.read_buf(&mut buffer).await {
        while let Ok(Some(frame)) = parse(&mut buffer) {
            let Ok(reply) = decode::<WireReply>(&frame) else {
                break;
            };
            let asker = waiting
                .lock()
                .as_mut()
                .and_then(|waiting| waiting.remove(&reply.number));
            if let Some(asker) = asker {
                // The caller may be gone.
                let _ = asker.send(reply.result.map(|answer| (answer, frame.body)));
            }
        }
        buffer.reserve(PART);
    }
    // Dropping the senders wakes all waiting callers.
    *waiting.lock() = None;
}

fn closed_error() -> SandboxError {
    SandboxError::Closed {
        why: "the supervisor exited and all processes were killed; open a new sandbox".to_owned(),
    }
}

pub(super) fn unexpected_reply() -> SandboxError {
    SandboxError::Closed {
        why: "the supervisor sent an unexpected reply".to_owned(),
    }
}
