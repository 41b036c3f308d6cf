//! The server over standard input and output, which belong to the protocol alone.

mod id;
mod lines;
mod message;
mod streams;

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

pub(super) use lines::Lines;

use super::{ServeError, Server};
use crate::tool::Principal;

/// How long a line may be.
const LINE_BYTES: usize = 16 << 20;

impl Server {
    /// Serves the client that started this program, over standard input and output, until it closes its end or `stop` says
    /// so.
    ///
    /// Both belong to the protocol from then on: what else the program or its tools write to standard output comes out on
    /// standard error, and what reads standard input finds nothing there. It can be done once in a process, and needs the
    /// tokio runtime that it is called on.
    ///
    /// A line of more than 16 MiB is answered with an error, and so is one that is no message; the ones behind it are read on.
    /// Once the client has closed its end, calls that still run have a few seconds to answer, and are then stopped.
    ///
    /// # Errors
    /// When the streams cannot be taken over, or the client does not begin as the protocol says.
    pub async fn serve_stdio(&self, stop: CancellationToken) -> Result<(), StdioError> {
        let (input, output) = streams::claim().map_err(StdioError::Streams)?;
        let served = self.serve_lines(input, output, Principal::default(), stop);
        Ok(served.await?)
    }

    /// Serves one client over a pair of streams, a message a line, until it closes its end or `stop` says so.
    pub(crate) async fn serve_lines(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        principal: Principal,
        stop: CancellationToken,
    ) -> Result<(), ServeError> {
        let lines = Lines::new(reader, writer, LINE_BYTES);
        self.serve_until(stop, lines, principal).await
    }
}

/// Says why the client that started this program could not be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// Standard input and output cannot be taken over.
    #[error("standard input and output cannot be taken over for the protocol")]
    Streams(#[source] io::Error),
    /// Serving it failed.
    #[error(transparent)]
    Serve(#[from] ServeError),
}
