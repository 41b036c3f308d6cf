//! A transport of lines over two pipes, with a handle of the process at the other end.

use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Fault;
use super::lines::{self, Lines, ReceivedLine};

/// The number of received messages that are buffered; the server blocks on further ones.
pub(super) const WAITING: usize = 64;

/// A message to send, with the channel that reports that it was sent.
pub(super) type OutgoingMessage = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// A transport with one message per line.
pub(crate) struct Pipe {
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    // Unbounded, so that messages keep their order; the sender waits for the report of its message.
    outgoing: Option<mpsc::UnboundedSender<OutgoingMessage>>,
    guard: Option<PipeGuard>,
}

/// Ends the process at the other end.
pub(super) struct PipeGuard {
    /// Requests an orderly exit when it is cancelled.
    pub(super) closing: CancellationToken,
    pub(super) kill: DropGuard,
    /// Cancelled when the process has exited.
    pub(super) ended: CancellationToken,
}

impl Pipe {
    pub(super) fn new(
        incoming: mpsc::Receiver<ServerJsonRpcMessage>,
        outgoing: mpsc::UnboundedSender<OutgoingMessage>,
        guard: Option<PipeGuard>,
    ) -> Self {
        Self {
            incoming,
            outgoing: Some(outgoing),
            guard,
        }
    }
}

impl Transport<RoleClient> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sent = serde_json::to_vec(&item)
            .map_err(io::Error::from)
            .and_then(|mut line| {
                line.push(b'\n');
                let (told, gone) = oneshot::channel();
                let outgoing = self.outgoing.as_ref().ok_or_else(closed)?;
                outgoing.send((line, told)).map_err(|_| closed())?;
                Ok(gone)
            });
        async move { sent?.await.unwrap_or_else(|_| Err(closed())) }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outgoing = None;
        self.incoming.close();
        if let Some(guard) = self.guard.take() {
            guard.closing.cancel();
            guard.ended.cancelled().await;
            drop(guard.kill);
        }
        Ok(())
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "it closed its input")
}

pub(crate) fn open(
    stream: impl AsyncRead + AsyncWrite + Send + 'static,
    fault: &Arc<Fault>,
) -> Pipe {
    let (reader, writer) = tokio::io::split(stream);
    let (outgoing, queue) = mpsc::unbounded_channel();
    let (found, incoming) = mpsc::channel(WAITING);
    tokio::spawn(write(writer, queue));
    tokio::spawn(read(reader, found, Arc::clone(fault)));
    Pipe::new(incoming, outgoing, None)
}

/// Writes messages until the senders are dropped or the pipe is closed.
pub(super) async fn write(
    mut writer: impl AsyncWrite + Unpin,
    mut queue: mpsc::UnboundedReceiver<OutgoingMessage>,
) {
    while let Some((line, told)) = queue.recv().await {
        let written = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        let written = written.await;
        let failed = written.is_err();
        let _ = told.send(written);
        if failed {
            break;
        }
    }
    let _ = writer.shutdown().await;
}

/// Reads messages until the end of the stream, or until the receiver is dropped.
pub(super) async fn read(
    mut reader: impl AsyncRead + Unpin,
    found: mpsc::Sender<ServerJsonRpcMessage>,
    fault: Arc<Fault>,
) {
    let mut lines = Lines::default();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = tokio::select! {
            biased;
            () = found.closed() => return,
            count = reader.read(&mut buffer) => count,
        };
        let count = match count {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => {
                fault.note(format!("its output cannot be read: {error}"));
                return;
            }
        };
        if !take(&mut lines, &buffer[..count], &found, &fault).await {
            return;
        }
    }
    // The last line may be complete without a newline.
    if let ReceivedLine::Message(message) = lines::read(&lines.rest()) {
        let _ = found.send(*message).await;
    }
}

/// Forwards the messages in a chunk; returns whether the receiver still exists.
pub(super) async fn take(
    lines: &mut Lines,
    bytes: &[u8],
    found: &mpsc::Sender<ServerJsonRpcMessage>,
    fault: &Fault,
) -> bool {
    let pushed = lines.push(bytes);
    while let Some(line) = lines.next() {
        match lines::read(&line) {
            ReceivedLine::Message(message) => {
                if found.send(*message).await.is_err() {
                    return false;
                }
            }
            ReceivedLine::Noise(line) if line.is_empty() => {}
            ReceivedLine::Noise(line) => {
                tracing::debug!(line, "an MCP server wrote what is no message");
            }
            ReceivedLine::Malformed(cause) => {
                fault.note(cause);
                return false;
            }
        }
    }
    if let Err(cause) = pushed {
        fault.note(cause);
        return false;
    }
    true
}
