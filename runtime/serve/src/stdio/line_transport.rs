//! A transport with one message per line.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::id_scanner::IdScanner;
use super::parse::parse_message;

/// The capacity of the line buffer that is reused for the next line.
const BUFFER_BYTES: usize = 64 << 10;

/// A transport with one message per line. A line that is too long or not a message is answered with an error.
pub(super) struct LineTransport<R, W> {
    input: BufReader<R>,
    max_line_bytes: usize,
    line: Vec<u8>,
    /// The scanner of the current line if it is too long; the line itself is discarded.
    oversized: Option<IdScanner>,
    writer: LineWriter<W>,
    /// Completes when a write has failed. The future is stored, because creating it for each line costs more.
    broken: Pin<Box<WaitForCancellationFutureOwned>>,
    /// The error response that is being written.
    sending_error: Option<BoxFuture<'static, io::Result<()>>>,
    /// Whether a request was received. Messages before the first request are ignored.
    has_request: bool,
}

enum LineRead {
    Complete,
    Oversized(IdScanner),
    EndOfFile,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> LineTransport<R, W> {
    /// Creates a transport over two streams.
    pub(super) fn new(reader: R, writer: W, max_line_bytes: usize) -> Self {
        let is_broken = CancellationToken::new();
        Self {
            input: BufReader::with_capacity(BUFFER_BYTES, reader),
            max_line_bytes,
            line: Vec::new(),
            oversized: None,
            writer: LineWriter {
                stream: Arc::new(Mutex::new(Some(writer))),
                is_broken: is_broken.clone(),
            },
            broken: Box::pin(is_broken.cancelled_owned()),
            sending_error: None,
            has_request: false,
        }
    }

    /// Reads a line. A line that is too long is read to its end and discarded.
    ///
    /// The future can be dropped: the part that was read stays in the buffer.
    async fn next_line(&mut self) -> io::Result<LineRead> {
        loop {
            let read = tokio::select! {
                biased;
                read = self.input.fill_buf() => read?,
                // A client that does not read is considered disconnected, even if it still writes.
                () = &mut self.broken => return Ok(LineRead::EndOfFile),
            };
            if read.is_empty() {
                // The last line need not end with a newline.
                return Ok(match self.oversized.take() {
                    Some(scanner) => LineRead::Oversized(scanner),
                    None if self.line.is_empty() => LineRead::EndOfFile,
                    None => LineRead::Complete,
                });
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            match &mut self.oversized {
                Some(scanner) => scanner.scan(part),
                None if self.line.len() + part.len() > self.max_line_bytes => {
                    let mut scanner = IdScanner::default();
                    scanner.scan(&self.line);
                    scanner.scan(part);
                    self.line = Vec::new();
                    self.oversized = Some(scanner);
                }
                None => self.line.extend_from_slice(part),
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(self
                    .oversized
                    .take()
                    .map_or(LineRead::Complete, LineRead::Oversized));
            }
        }
    }

    /// Parses the line in the buffer. If the line is not a message, starts to send an error.
    fn take_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // Some programs start their output with a byte order mark.
        let line = self.line.strip_prefix(b"\xef\xbb\xbf");
        let line = line.unwrap_or(&self.line).trim_ascii();
        let parsed = (!line.is_empty()).then(|| parse_message(line));
        let error = match parsed {
            None => None,
            Some(Ok(message)) => {
                self.clear_line();
                self.has_request |= matches!(message, JsonRpcMessage::Request(_));
                return self.has_request.then_some(message);
            }
            Some(Err(error)) if error.is_data() => {
                let text = "this is not a JSON-RPC 2.0 message, or it is a batch";
                Some(ErrorData::invalid_request(text, None))
            }
            Some(Err(error)) => {
                let text = format!("this is no JSON: {error}");
                Some(ErrorData::parse_error(text, None))
            }
        };
        if let Some(error) = error {
            let mut scanner = IdScanner::default();
            scanner.scan(line);
            self.start_error(error, scanner);
        }
        self.clear_line();
        None
    }

    fn clear_line(&mut self) {
        self.line.clear();
        self.line.shrink_to(BUFFER_BYTES);
    }

    /// Starts to send an error response for a line.
    fn start_error(&mut self, error: ErrorData, scanner: IdScanner) {
        tracing::debug!(message = &*error.message, "a line was refused");
        let error = TxJsonRpcMessage::<RoleServer>::error(error, scanner.into_id());
        let writer = self.writer.clone();
        self.sending_error = Some(async move { writer.write(&error).await }.boxed());
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = self.writer.clone();
        async move { writer.write(&message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(sending) = &mut self.sending_error {
                let sent = sending.await;
                self.sending_error = None;
                sent.ok()?;
            }
            match self.next_line().await {
                Ok(LineRead::Complete) => {
                    if let Some(message) = self.take_message() {
                        return Some(message);
                    }
                }
                Ok(LineRead::Oversized(scanner)) => {
                    let text = format!("the message is longer than {} bytes", self.max_line_bytes);
                    self.start_error(ErrorData::invalid_request(text, None), scanner);
                }
                Ok(LineRead::EndOfFile) => return None,
                Err(error) => {
                    tracing::warn!(%error, "the client's messages cannot be read");
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.writer.stream.lock().await.take());
        Ok(())
    }
}

#[derive(Debug)]
struct LineWriter<W> {
    stream: Arc<Mutex<Option<W>>>,
    is_broken: CancellationToken,
}

impl<W> Clone for LineWriter<W> {
    fn clone(&self) -> Self {
        Self {
            stream: self.stream.clone(),
            is_broken: self.is_broken.clone(),
        }
    }
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
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
}
