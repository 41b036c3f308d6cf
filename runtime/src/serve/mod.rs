//! The app as an MCP server: its tools, its skills and their files, for any client, under the same permission policy as
//! everywhere.
//!
//! A [`Server`] is what is served, whatever the transport: [`Server::serve_io`] speaks over a pair of streams, and the
//! command line's `serve` over standard input and output or over HTTP. Each connection has a session of its own; what
//! comes without one (the protocol from 2026-07-28) shares the session of its principal.
//!
//! What a tool asks of [`cx.client()`](crate::tool::ToolContext::client) the client answers: as a request of the server
//! in the older protocols; from 2026-07-28 on the call is parked, its future kept in the process, until the client comes
//! back with the answer.

mod asking;
mod builder;
mod call;
mod changes;
mod client;
mod completion;
mod error;
mod handler;
mod house;
mod http;
mod info;
mod list;
mod page;
mod parked;
mod progress;
mod prompts;
mod reply;
mod resources;
mod session;
#[cfg(feature = "skills")]
mod skills;
mod stdio;
mod tasks;

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

/// What is served: tools and all that belongs to them, for any number of clients.
///
/// Cloning it is cheap; clones share everything.
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
/// // A client that goes away at once.
/// server.serve_io(tokio::io::empty(), tokio::io::sink(), Default::default()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Server {
    pub(crate) inner: Arc<Inner>,
}

/// What the clones of a server share.
pub(crate) struct Inner {
    pub(crate) settings: builder::Settings,
    /// What a client is shown of the tools, made once for each state of the toolset.
    offer: list::Offer,
    /// The principals that are being served.
    houses: house::Houses,
    /// The calls that wait for an answer of their client.
    parked: parked::Parking,
    /// The calls that go on after their request was answered.
    tasks: tasks::Tasks,
    /// The skills as clients are shown them.
    #[cfg(feature = "skills")]
    skills: Option<skills::ServedSkills>,
    /// What there was after the last call, which may have changed it.
    seen: tokio::sync::watch::Sender<changes::Revisions>,
}

impl Server {
    /// Starts a server of this name and version, as clients are told them.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// Returns the tools that are served.
    #[must_use]
    pub fn toolset(&self) -> &Toolset {
        &self.inner.settings.toolset
    }

    /// Makes what answers the requests of one connection of this principal.
    ///
    /// A connection that begins with `initialize` has a session of its own: state, what it has read, the calls that run
    /// alone. Requests that come without one share the session of their principal, so that a handler may be made for
    /// each of them.
    pub(crate) fn handler(&self, principal: Principal) -> Handler {
        Handler::new(self.clone(), principal)
    }

    /// Serves one client over a pair of streams, one JSON message a line, until the client closes its end.
    ///
    /// Every version of the protocol from 2024-11-05 to 2026-07-28 is spoken. Calls that still run when the client is gone
    /// are stopped.
    ///
    /// # Errors
    ///
    /// Fails where the client does not begin as the protocol says, or cannot be written to.
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

    /// Serves one client over any transport of rmcp's, until it closes its end or `stop` says so.
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
            Ok(running) => ServeError::of_end(running.waiting().await),
            Err(error) => ServeError::of_beginning(error),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.inner.settings.name)
            .field("toolset", &self.inner.settings.toolset)
            .finish_non_exhaustive()
    }
}
