//! Messages as lines through two pipes, and what keeps the other end alive.

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
use super::lines::{self, Line, Lines};

/// How many messages wait to be taken; the server waits beyond that.
const WAITING: usize = 64;

/// A message on its way out, and whom to tell that it is gone.
pub(super) type Outgoing = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// Messages as lines.
pub(in crate::mcp) struct Pipe {
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    // Unbounded, so that messages leave in the order in which they were sent; whoever sends waits for the other half.
    outgoing: Option<mpsc::UnboundedSender<Outgoing>>,
    keeper: Option<Keeper>,
}

/// Asks for the end of whatever is at the other end.
pub(super) struct Keeper {
    /// Ends it in order.
    pub(super) closing: CancellationToken,
    /// Ends it at once, when dropped.
    pub(super) kill: DropGuard,
    /// Says that it has ended.
    pub(super) ended: CancellationToken,
}

impl Pipe {
    pub(super) fn new(
        incoming: mpsc::Receiver<ServerJsonRpcMessage>,
        outgoing: mpsc::UnboundedSender<Outgoing>,
        keeper: Option<Keeper>,
    ) -> Self {
        Self {
            incoming,
            outgoing: Some(outgoing),
            keeper,
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
        if let Some(keeper) = self.keeper.take() {
            keeper.closing.cancel();
            keeper.ended.cancelled().await;
            drop(keeper.kill);
        }
        Ok(())
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "it closed its input")
}

/// Speaks with a server through a stream of this process.
pub(in crate::mcp) fn open(
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

/// Makes the channel that messages come through.
pub(super) fn channel() -> (
    mpsc::Sender<ServerJsonRpcMessage>,
    mpsc::Receiver<ServerJsonRpcMessage>,
) {
    mpsc::channel(WAITING)
}

/// Writes what is sent, until nobody sends any more or nobody reads.
pub(super) async fn write(
    mut writer: impl AsyncWrite + Unpin,
    mut queue: mpsc::UnboundedReceiver<Outgoing>,
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

/// Reads messages until there is nothing more, or nobody wants them.
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
    // What was not ended with a line break may still be whole.
    if let Line::Message(message) = lines::read(&lines.rest()) {
        let _ = found.send(*message).await;
    }
}

/// Hands on the messages of some bytes; says whether more are wanted.
pub(super) async fn take(
    lines: &mut Lines,
    bytes: &[u8],
    found: &mpsc::Sender<ServerJsonRpcMessage>,
    fault: &Fault,
) -> bool {
    let pushed = lines.push(bytes);
    while let Some(line) = lines.next() {
        match lines::read(&line) {
            Line::Message(message) => {
                if found.send(*message).await.is_err() {
                    return false;
                }
            }
            Line::Noise(line) if line.is_empty() => {}
            Line::Noise(line) => {
                tracing::debug!(line, "an MCP server wrote what is no message");
            }
            Line::Malformed(cause) => {
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
