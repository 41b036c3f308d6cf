//! A connection with an idle timeout.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// The idle timeout of a connection.
const IDLE: Duration = Duration::from_secs(300);

/// A connection that fails when it was idle in both directions for the timeout.
#[derive(Debug)]
pub(super) struct IdleTimeoutStream {
    stream: TcpStream,
    bound: Duration,
    sleep: Pin<Box<Sleep>>,
}

impl IdleTimeoutStream {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self::with_timeout(stream, IDLE)
    }

    pub(super) fn with_timeout(stream: TcpStream, bound: Duration) -> Self {
        Self {
            stream,
            bound,
            sleep: Box::pin(sleep(bound)),
        }
    }

    /// Returns progress and restarts the timeout, or fails a wait that exceeded the timeout.
    fn restart_timeout<T>(
        &mut self,
        cx: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            let later = Instant::now() + self.bound;
            self.sleep.as_mut().reset(later);
            return polled;
        }
        ready!(self.sleep.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for IdleTimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.restart_timeout(cx, polled)
    }
}

impl AsyncWrite for IdleTimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.restart_timeout(cx, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
