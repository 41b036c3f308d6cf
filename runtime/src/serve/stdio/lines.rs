//! One message a line, both ways.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::id::IdSearch;

/// How many messages wait to be served; the client waits with more.
const WAITING: usize = 4;

/// How much of a line's buffer is kept for the next line.
const KEPT_BYTES: usize = 64 << 10;

/// A transport whose messages are lines. A line that cannot be served is answered with an error, and passed over.
#[derive(Debug)]
pub(in crate::serve) struct Lines<W> {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    reading: JoinHandle<()>,
    writer: Writer<W>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    /// Makes a transport of two streams, whose lines may be so long.
    pub(in crate::serve) fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: W,
        most: usize,
    ) -> Self {
        let (sender, messages) = mpsc::channel(WAITING);
        let writer = Writer {
            stream: Arc::new(Mutex::new(Some(writer))),
            is_broken: CancellationToken::new(),
        };
        let reader = Reader {
            input: BufReader::with_capacity(KEPT_BYTES, reader),
            most,
            writer: writer.clone(),
            has_begun: false,
        };
        Self {
            messages,
            reading: tokio::spawn(reader.run(sender)),
            writer,
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = self.writer.clone();
        async move { writer.write(&message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        tokio::select! {
            message = self.messages.recv() => message,
            // Whoever does not listen has gone, whatever else it still says.
            () = self.writer.is_broken.cancelled() => None,
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.reading.abort();
        drop(self.writer.stream.lock().await.take());
        Ok(())
    }
}

impl<W> Drop for Lines<W> {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

/// Writes whole lines, one after the other.
#[derive(Debug)]
struct Writer<W> {
    stream: Arc<Mutex<Option<W>>>,
    is_broken: CancellationToken,
}

impl<W> Clone for Writer<W> {
    fn clone(&self) -> Self {
        Self {
            stream: self.stream.clone(),
            is_broken: self.is_broken.clone(),
        }
    }
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    async fn write(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut stream = self.stream.lock().await;
        let Some(stream) = stream.as_mut() else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let written = match stream.write_all(&line).await {
            Ok(()) => stream.flush().await,
            Err(error) => Err(error),
        };
        if written.is_err() {
            self.is_broken.cancel();
        }
        written
    }

    /// Answers a line that is not served.
    async fn refuse(&self, error: ErrorData, search: IdSearch) -> io::Result<()> {
        tracing::debug!(message = &*error.message, "a line was refused");
        let error = TxJsonRpcMessage::<RoleServer>::error(error, search.found());
        self.write(&error).await
    }
}

/// Reads lines, and hands the messages on.
struct Reader<R, W> {
    input: BufReader<R>,
    most: usize,
    writer: Writer<W>,
    /// Whether a request came: before the first one there is nothing that another message could be about.
    has_begun: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Reader<R, W> {
    async fn run(mut self, sender: mpsc::Sender<RxJsonRpcMessage<RoleServer>>) {
        let mut line = Vec::new();
        loop {
            line.clear();
            line.shrink_to(KEPT_BYTES);
            let handed_on = match self.line(&mut line).await {
                Ok(Line::Whole) => self.serve(&line, &sender).await,
                Ok(Line::Long(search)) => {
                    let most = self.most;
                    let error = format!("the message is longer than {most} bytes");
                    let error = ErrorData::invalid_request(error, None);
                    self.writer.refuse(error, search).await.is_ok()
                }
                Ok(Line::End) => false,
                Err(error) => {
                    tracing::warn!(%error, "the client's messages cannot be read");
                    false
                }
            };
            if !handed_on {
                return;
            }
        }
    }

    /// Reads a line. One that is too long is read to its end, and not kept.
    async fn line(&mut self, line: &mut Vec<u8>) -> io::Result<Line> {
        let mut long: Option<IdSearch> = None;
        loop {
            let read = self.input.fill_buf().await?;
            if read.is_empty() {
                // A client that writes one message and closes its end may leave out the end of the line.
                return Ok(match long {
                    Some(search) => Line::Long(search),
                    None if line.is_empty() => Line::End,
                    None => Line::Whole,
                });
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            match &mut long {
                Some(search) => search.read(part),
                None if line.len() + part.len() > self.most => {
                    let mut search = IdSearch::default();
                    search.read(line);
                    search.read(part);
                    *line = Vec::new();
                    long = Some(search);
                }
                None => line.extend_from_slice(part),
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(long.map_or(Line::Whole, Line::Long));
            }
        }
    }

    /// Hands a message on, or answers why not. Returns whether there is anybody left to read for.
    async fn serve(
        &mut self,
        line: &[u8],
        sender: &mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    ) -> bool {
        // Some programs begin their output with a byte order mark.
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let line = line.trim_ascii();
        if line.is_empty() {
            return true;
        }
        let error = match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
            Ok(message) => {
                self.has_begun |= matches!(message, JsonRpcMessage::Request(_));
                return !self.has_begun || sender.send(message).await.is_ok();
            }
            Err(error) if error.is_data() => {
                let text = "this is no message of JSON-RPC 2.0, or a batch of them";
                ErrorData::invalid_request(text, None)
            }
            Err(error) => ErrorData::parse_error(format!("this is no JSON: {error}"), None),
        };
        let mut search = IdSearch::default();
        search.read(line);
        self.writer.refuse(error, search).await.is_ok()
    }
}

/// What came.
enum Line {
    Whole,
    /// A line that is too long, with what was found of its id.
    Long(IdSearch),
    End,
}
