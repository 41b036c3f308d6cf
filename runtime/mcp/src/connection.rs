//! The connection to one server, which is established when it is first used and re-established when it is lost.
//!
//! A [`Connection`] is cheap to clone and starts nothing by itself. Its first use starts a supervisor task, which alone
//! establishes connections. All users wait for the outcome of the supervisor's attempts and share their deadlines. The
//! supervisor ends, and the server with it, when the last clone of the connection is dropped.

mod answers;
mod attempt;
mod call;
mod calls;
mod catalog;
mod deps;
mod error;
mod follow;
mod handler;
mod idle;
mod live;
mod offer;
mod operation;
mod pages;
mod per_call;
mod request;
mod shared;
mod status;
mod supervisor;

use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::DropGuard;

pub use deps::ConnectionDeps;
pub(crate) use deps::Dial;
pub use error::{CallError, ConnectError};
pub use offer::ToolsOffer;
pub use operation::Operation;
pub use status::{ConnectionState, ConnectionStatus};

use crate::{ServerConfig, ServerLifetime, ServerName};
use per_call::ConnectionLease;
use shared::{ConnectionPhase, SharedConnection};

/// A connection to one MCP server, which is established on first use and re-established when it is lost.
///
/// A server that was idle for a minute is pinged before its next request, and started again if it does not answer. A
/// server whose [lifetime](ServerLifetime) is one call is started for each request, and for no two at a time.
#[derive(Debug, Clone)]
pub struct Connection {
    shared: Arc<SharedConnection>,
    /// Ends the supervisor when the last clone is dropped.
    _closing: Arc<DropGuard>,
}

impl Connection {
    /// Creates a connection without starting the server.
    #[must_use]
    pub fn new(config: ServerConfig, deps: ConnectionDeps) -> Self {
        let shared = SharedConnection::new(config, deps);
        let closing = shared.closing.clone().drop_guard();
        Self {
            shared: Arc::new(shared),
            _closing: Arc::new(closing),
        }
    }

    /// Returns the configuration of the server.
    #[must_use]
    pub fn config(&self) -> &ServerConfig {
        &self.shared.config
    }

    /// Establishes the connection, unless it is ready.
    ///
    /// # Errors
    ///
    /// Fails if the current attempt fails, or the one that this call starts.
    pub async fn connect(&self) -> Result<(), ConnectError> {
        match self.config().lifetime() {
            ServerLifetime::Session => self.live().await.map(drop),
            ServerLifetime::Call => per_call::list(&self.shared).await,
        }
    }

    /// Returns the server's tools; establishes the connection first, unless it is ready.
    ///
    /// If the current list fails, the last successful one is returned with a note.
    ///
    /// # Errors
    ///
    /// Fails if there is no connection, or if no list has succeeded so far.
    pub async fn tools(&self) -> Result<Arc<ToolsOffer>, CallError> {
        let generation = match self.config().lifetime() {
            ServerLifetime::Session => self.live().await?.generation,
            ServerLifetime::Call => {
                per_call::list(&self.shared).await?;
                0
            }
        };
        let mut listing = self.shared.listing.subscribe();
        let listed = listing.wait_for(|listing| listing.generation >= generation);
        let Ok(listing) = listed.await.map(|listing| listing.clone()) else {
            return Err(self.shared.closed().into());
        };
        match listing.problem {
            Some(problem) if listing.offer.revision == 0 => Err(problem),
            Some(problem) => {
                let mut offer = ToolsOffer::clone(&listing.offer);
                offer
                    .notes
                    .push(format!("this list is an old one: {problem}"));
                Ok(Arc::new(offer))
            }
            None => Ok(listing.offer),
        }
    }

    /// Returns the tools of the last list, without waiting.
    #[must_use]
    pub fn tools_now(&self) -> Arc<ToolsOffer> {
        Arc::clone(&self.shared.listing.borrow().offer)
    }

    /// Returns a receiver of the list's revision, which changes with each new list.
    #[must_use]
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.shared.revision.subscribe()
    }

    /// Returns the status of the connection.
    #[must_use]
    pub fn status(&self) -> ConnectionStatus {
        self.shared.status()
    }

    /// Closes the connection for good, and ends the server's program.
    pub async fn close(&self) {
        self.shared.closing.cancel();
        let mut lifecycle = self.shared.lifecycle.subscribe();
        let is_over = |lifecycle: &shared::ConnectionLifecycle| {
            !matches!(
                lifecycle.phase,
                ConnectionPhase::Connecting | ConnectionPhase::Ready(_) | ConnectionPhase::Waiting
            )
        };
        let _ = lifecycle.wait_for(is_over).await;
        // The server of a call has ended when the next one may start.
        drop(self.shared.one_at_a_time.lock().await);
        self.shared
            .update(|lifecycle| lifecycle.phase = ConnectionPhase::Closed);
    }

    fn name(&self) -> &ServerName {
        self.shared.config.name()
    }

    async fn live(&self) -> Result<ConnectionLease, ConnectError> {
        match self.config().lifetime() {
            ServerLifetime::Session => self.shared.live().await.map(ConnectionLease::shared),
            ServerLifetime::Call => per_call::open(&self.shared).await,
        }
    }
}
