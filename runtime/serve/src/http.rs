//! The server over HTTP: access control and limits in front of rmcp's streamable HTTP.
//!
//! [`connection`] limits the number of connections and their time, [`access`] checks host, origin and token, and
//! [`endpoint`] limits the size of a message and hands it to the service of its principal. Each principal has its own
//! service with its own sessions, so that no principal can use the session of another.

mod access;
mod admission;
mod allowed_names;
mod body;
mod connection;
mod cors;
mod endpoint;
mod extensions;
mod responses;
mod sessions;
mod settings;
mod tokens;
mod write_timeout;

use std::io;
use std::net::TcpListener;

use tokio_util::sync::CancellationToken;

pub use settings::{HttpSettings, NameError};
pub use tokens::{Tokens, TokensError};

use super::server::Server;
use endpoint::Endpoint;

/// The error of serving over HTTP.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Other machines could reach the server without a token.
    #[error("`{0}` can be reached from other machines: set a token, or listen on 127.0.0.1")]
    TokenNeeded(std::net::SocketAddr),
    /// The listener cannot be used.
    #[error("the listener cannot be used")]
    Listener(#[source] io::Error),
}

impl Server {
    /// Serves the connections of a listener at `/mcp` until `stop` is cancelled. Then the server accepts no more requests,
    /// and running ones have a grace period.
    ///
    /// Requests of the protocols up to 2025-11-25 have sessions, later ones have none. Without tokens the listener must be
    /// on an address that only this machine can reach, such as 127.0.0.1. The method must be called on a tokio runtime.
    ///
    /// ```
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
    /// Fails if the listener cannot be used, or if other machines could reach it without a token.
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
        let limits = settings.limits;
        let server = self.clone();
        let endpoint = Endpoint::new(move |principal| server.handler(principal), &settings);
        let router = access::router(endpoint.clone(), settings);
        connection::accept(listener, router, &endpoint, &limits, stop).await;
        Ok(())
    }
}
