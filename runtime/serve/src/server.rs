//! The server, independent of its transport.

use std::fmt;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::builder::ServerBuilder;
use super::error::ServeError;
use super::handler::Handler;
use super::state::ServerState;
use helve_core::tool::Principal;
use helve_core::toolset::Toolset;

/// An MCP server of tools, prompts, resources and skills, for any number of clients.
///
/// A clone is cheap and shares the state of the server.
///
/// ```
/// use helve::prelude::*;
/// use helve::serve::Server;
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::serve::ServeError> {
/// let server = Server::builder("sums", "1.0.0").tools(toolset![add]).build();
/// // The empty input is a client that disconnects at once.
/// server.serve_io(tokio::io::empty(), tokio::io::sink(), Default::default()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Server {
    pub(super) state: Arc<ServerState>,
}

impl Server {
    /// Returns a builder of a server with this name and version, which clients see.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// Returns the tools that are served.
    #[must_use]
    pub fn toolset(&self) -> &Toolset {
        &self.state.settings.toolset
    }

    /// Returns the handler of one connection of a principal.
    ///
    /// A connection that starts with `initialize` has its own session, with its own state, permissions and execution
    /// lock. Requests without a connection share the session of their principal, so that each may have a handler of its
    /// own.
    pub(crate) fn handler(&self, principal: Principal) -> Handler {
        Handler::new(self.state.clone(), principal)
    }

    /// Serves one client over a pair of streams, with one JSON message per line, until the client closes its end.
    ///
    /// All versions of the protocol from 2024-11-05 to 2026-07-28 are supported. Calls that still run when the client
    /// disconnects are cancelled.
    ///
    /// # Errors
    ///
    /// Fails if the client does not start as the protocol requires, or if writing to the client fails.
    pub async fn serve_io<R, W>(
        &self,
        reader: R,
        writer: W,
        principal: Principal,
    ) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let stop = CancellationToken::new();
        self.serve_lines(reader, writer, principal, stop).await
    }

    /// Serves one client over a transport of rmcp, until the client closes its end or `stop` is cancelled.
    pub(crate) async fn serve_until<T, E, A>(
        &self,
        stop: CancellationToken,
        transport: T,
        principal: Principal,
    ) -> Result<(), ServeError>
    where
        T: rmcp::transport::IntoTransport<rmcp::RoleServer, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let handler = self.handler(principal);
        match rmcp::service::serve_server_with_ct(handler, transport, stop).await {
            Ok(running) => ServeError::from_quit(running.waiting().await),
            Err(error) => ServeError::from_initialize(error),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.state.settings.name)
            .field("toolset", &self.state.settings.toolset)
            .finish_non_exhaustive()
    }
}
