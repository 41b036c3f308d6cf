//! The server over HTTP: who may come in, how much of everything, and rmcp's streamable HTTP behind it.
//!
//! A request passes from [`connection`] (how many, how slow) to [`gate`] (which name, which page, which token) to
//! [`endpoint`] (how long a message) and to the service of its principal. Each principal has a service of its own with
//! sessions of its own, so that nobody else's can be named.

mod admission;
mod answer;
mod body;
mod connection;
mod endpoint;
mod gate;
mod names;
mod pages;
mod sessions;
mod settings;
mod stalled;
mod tokens;

use std::io;
use std::net::TcpListener;

use tokio_util::sync::CancellationToken;

pub use settings::{HttpSettings, NameError};
pub use tokens::{Tokens, TokensError};

use super::Server;
use endpoint::Endpoint;

/// The path under which the server is reached.
pub(crate) const PATH: &str = "/mcp";

/// Says why a server is not reached over HTTP.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Others could reach it, and nothing would hold them off.
    #[error(
        "`{0}` is reached from other machines, so that a token is needed: give one, or listen on 127.0.0.1"
    )]
    TokenNeeded(std::net::SocketAddr),
    /// The listener is none.
    #[error("the listener cannot be used")]
    Listener(#[source] io::Error),
}

impl Server {
    /// Serves what connects to a listener, at `/mcp`, until `stop` says so: then no request begins any more, and what runs
    /// has a while to end.
    ///
    /// The protocols up to 2025-11-25 have sessions; what comes by a later one has none. Without tokens the listener has to
    /// be on an address that this machine alone reaches, such as 127.0.0.1. It needs the tokio runtime that it is called on.
    ///
    /// ```
    /// # extern crate helve_runtime as helve;
    /// use helve::serve::{HttpSettings, Server};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("empty", "1.0.0").build();
    /// let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// let stop = tokio_util::sync::CancellationToken::new();
    /// # stop.cancel();
    /// server.serve_http(listener, HttpSettings::new(), stop).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the listener cannot be used, or others could reach it without a token.
    pub async fn serve_http(
        &self,
        listener: impl Into<TcpListener>,
        settings: HttpSettings,
        stop: CancellationToken,
    ) -> Result<(), HttpError> {
        let listener = listener.into();
        listener
            .set_nonblocking(true)
            .map_err(HttpError::Listener)?;
        let address = listener.local_addr().map_err(HttpError::Listener)?;
        if settings.tokens.is_empty() && !address.ip().is_loopback() {
            return Err(HttpError::TokenNeeded(address));
        }
        let listener = tokio::net::TcpListener::from_std(listener).map_err(HttpError::Listener)?;
        let bounds = settings.bounds;
        let server = self.clone();
        let endpoint = Endpoint::new(move |principal| server.handler(principal), &settings);
        let router = gate::router(endpoint.clone(), settings);
        connection::accept(listener, router, &endpoint, &bounds, stop).await;
        Ok(())
    }
}
