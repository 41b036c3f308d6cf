//! An MCP server of an app's tools and skills, for any client and under the permission policy of the app.
//!
//! A [`Server`] is independent of its transport: [`Server::serve_io`] serves a pair of streams, [`Server::serve_stdio`]
//! standard input and output, and [`Server::serve_http`] HTTP. Each connection has its own session. Requests without a
//! connection, in the protocol from 2026-07-28, share the session of their principal.
//!
//! The client answers the requests that a tool makes through [`cx.client()`](crate::tool::ToolContext::client). In the
//! older protocols the server sends them as requests of its own. From 2026-07-28 on the call is suspended: its future
//! stays in the process until another request of the client brings the input.
//!
//! The modules form floors. [`settings`], [`limits`] and [`client`] are the lowest; [`session`] uses them, and [`call`]
//! runs one call in a session. [`suspended`] and [`tasks`] store calls. [`state`] holds all of it, [`dispatch`] drives
//! calls for requests, and [`handler`] receives the requests.

mod builder;
mod call;
mod call_tool;
mod changes;
mod client;
mod completion;
mod dispatch;
mod error;
mod handler;
mod http;
mod interactive;
mod limits;
mod page;
mod progress;
mod prompts;
mod resources;
mod response;
mod revisions;
mod server_info;
mod session;
mod settings;
mod shared_sessions;
#[cfg(feature = "skills")]
mod skills;
mod state;
mod stdio;
mod suspended;
mod tasks;
mod tool_list;

use std::fmt;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

pub use builder::ServerBuilder;
pub use error::ServeError;
pub use http::{HttpError, HttpSettings, NameError, Tokens, TokensError};
pub use prompts::{Prompt, PromptArgument, PromptArguments, PromptMessage, Prompts};
pub use resources::{ListedResource, ResourceChange, ResourceSource, ResourceTemplate};
pub use stdio::StdioError;
pub use tasks::TaskPolicy;

use crate::tool::Principal;
use crate::toolset::Toolset;
use handler::Handler;
use state::ServerState;

/// An MCP server of tools, prompts, resources and skills, for any number of clients.
///
/// A clone is cheap and shares the state of the server.
///
/// ```
/// # extern crate helve_runtime as helve;
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
    state: Arc<ServerState>,
}

impl Server {
    /// Returns a builder of a server with this name and version, which clients are told.
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
