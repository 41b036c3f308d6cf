//! One message a line, both ways.

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

use super::id::IdSearch;
use super::message;

/// How much of a line's buffer is kept for the next line.
const KEPT_BYTES: usize = 64 << 10;

/// A transport whose messages are lines. A line that cannot be served is answered with an error, and passed over.
pub(in crate::serve) struct Lines<R, W> {
    input: BufReader<R>,
    most: usize,
    /// What has come of the line that is being read.
    line: Vec<u8>,
    /// What was found of a line that is too long, whose rest is passed over.
    long: Option<IdSearch>,
    writer: Writer<W>,
    /// Ends when nothing can be written any more; kept, since to begin to wait costs more than to go on.
    broken: Pin<Box<WaitForCancellationFutureOwned>>,
    /// The answer to a line that is not served, while it is written.
    refusing: Option<BoxFuture<'static, io::Result<()>>>,
    /// Whether a request came: before the first one there is nothing that another message could be about.
    has_begun: bool,
}

/// What came.
enum Line {
    Whole,
    Long(IdSearch),
    End,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    /// Makes a transport of two streams, whose lines may be so long.
    pub(in crate::serve) fn new(reader: R, writer: W, most: usize) -> Self {
        let is_broken = CancellationToken::new();
        Self {
            input: BufReader::with_capacity(KEPT_BYTES, reader),
            most,
            line: Vec::new(),
            long: None,
            writer: Writer {
                stream: Arc::new(Mutex::new(Some(writer))),
                is_broken: is_broken.clone(),
            },
            broken: Box::pin(is_broken.cancelled_owned()),
            refusing: None,
            has_begun: false,
        }
    }

    /// Reads a line. One that is too long is read to its end, and not kept.
    ///
    /// Whoever stops to wait for it loses nothing: what has come of it is kept for the next time.
    async fn next_line(&mut self) -> io::Result<Line> {
        loop {
            let read = tokio::select! {
                biased;
                read = self.input.fill_buf() => read?,
                // Whoever does not listen has gone, whatever else it still says.
                () = &mut self.broken => return Ok(Line::End),
            };
            if read.is_empty() {
                // A client that writes one message and closes its end may leave out the end of the line.
                return Ok(match self.long.take() {
                    Some(search) => Line::Long(search),
                    None if self.line.is_empty() => Line::End,
                    None => Line::Whole,
                });
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            match &mut self.long {
                Some(search) => search.read(part),
                None if self.line.len() + part.len() > self.most => {
                    let mut search = IdSearch::default();
                    search.read(&self.line);
                    search.read(part);
                    self.line = Vec::new();
                    self.long = Some(search);
                }
                None => self.line.extend_from_slice(part),
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(self.long.take().map_or(Line::Whole, Line::Long));
            }
        }
    }

    /// Reads the message of the line that came. Where it is none, the answer is on its way.
    fn message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // Some programs begin their output with a byte order mark.
        let line = self.line.strip_prefix(b"\xef\xbb\xbf");
        let line = line.unwrap_or(&self.line).trim_ascii();
        let read = match line.is_empty() {
            true => None,
            false => Some(message::read(line)),
        };
        let error = match read {
            None => None,
            Some(Ok(message)) => {
                self.forget_line();
                self.has_begun |= matches!(message, JsonRpcMessage::Request(_));
                return self.has_begun.then_some(message);
            }
            Some(Err(error)) if error.is_data() => {
                let text = "this is no message of JSON-RPC 2.0, or a batch of them";
                Some(ErrorData::invalid_request(text, None))
            }
            Some(Err(error)) => {
                let text = format!("this is no JSON: {error}");
                Some(ErrorData::parse_error(text, None))
            }
        };
        if let Some(error) = error {
            let mut search = IdSearch::default();
            search.read(line);
            self.refuse(error, search);
        }
        self.forget_line();
        None
    }

    fn forget_line(&mut self) {
        self.line.clear();
        self.line.shrink_to(KEPT_BYTES);
    }

    /// Begins to answer a line that is not served.
    fn refuse(&mut self, error: ErrorData, search: IdSearch) {
        tracing::debug!(message = &*error.message, "a line was refused");
        let error = TxJsonRpcMessage::<RoleServer>::error(error, search.found());
        let writer = self.writer.clone();
        self.refusing = Some(async move { writer.write(&error).await }.boxed());
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
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
            if let Some(refusing) = &mut self.refusing {
                let refused = refusing.await;
                self.refusing = None;
                refused.ok()?;
            }
            match self.next_line().await {
                Ok(Line::Whole) => {
                    if let Some(message) = self.message() {
                        return Some(message);
                    }
                }
                Ok(Line::Long(search)) => {
                    let text = format!("the message is longer than {} bytes", self.most);
                    self.refuse(ErrorData::invalid_request(text, None), search);
                }
                Ok(Line::End) => return None,
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
}
