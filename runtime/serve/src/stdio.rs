//! The server over standard input and output.

mod id_scanner;
mod line_transport;
mod parse;
mod streams;

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::error::ServeError;
use super::server::Server;
use helve_core::tool::Principal;
use line_transport::LineTransport;

const MAX_LINE_BYTES: usize = 16 << 20;

impl Server {
    /// Serves the client that started this program, over standard input and output, until the client closes its end or
    /// `stop` is cancelled.
    ///
    /// The method reserves both streams for the protocol: other writes of the process to standard output go to standard
    /// error, and other reads of standard input find the end of file. The method can be called once per process, and must
    /// be called on a tokio runtime.
    ///
    /// A line of more than 16 MiB, or one that is not a message, is answered with an error; the server then reads the next
    /// line. Once the client has closed its end, running calls have a few seconds to finish, and are then cancelled.
    ///
    /// # Errors
    ///
    /// Fails if the streams cannot be reserved, or if the client does not start as the protocol requires.
    pub async fn serve_stdio(&self, stop: CancellationToken) -> Result<(), StdioError> {
        let (input, output) = streams::reserve().map_err(StdioError::Streams)?;
        let principal = Principal::default().with_platform("mcp");
        let served = self.serve_lines(input, output, principal, stop);
        Ok(served.await?)
    }

    /// Serves one client over a pair of streams, one message per line, until the client closes its end or `stop` is
    /// cancelled.
    pub(crate) async fn serve_lines(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        principal: Principal,
        stop: CancellationToken,
    ) -> Result<(), ServeError> {
        let transport = LineTransport::new(reader, writer, MAX_LINE_BYTES);
        self.serve_until(stop, transport, principal).await
    }
}

/// The error of serving over standard input and output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// Standard input and output cannot be reserved.
    #[error("cannot reserve standard input and output for the protocol")]
    Streams(#[source] io::Error),
    /// Serving the client failed.
    #[error(transparent)]
    Serve(#[from] ServeError),
}
