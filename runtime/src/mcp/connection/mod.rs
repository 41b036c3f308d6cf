//! One live server: connected to when somebody needs it, and again when it is lost.
//!
//! A [`Connection`] is cheap to clone and starts nothing by itself. The first who needs the server starts a supervisor
//! task, which alone makes connections; everybody else waits for the outcome of its attempts, whose deadlines are the
//! only ones there are. It ends, and the server with it, when the last clone of the connection is dropped.

mod answers;
mod asked;
mod attempt;
mod call;
mod calls;
mod catalog;
mod error;
mod follow;
mod handler;
mod live;
mod offer;
mod pages;
mod request;
mod shared;
mod status;
mod supervisor;
mod surroundings;
pub(super) mod words;

use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::DropGuard;

pub use asked::Asked;
pub use error::{CallError, ConnectError};
pub use offer::ToolsOffer;
pub use status::{ConnectionState, ConnectionStatus};
pub use surroundings::Surroundings;

use crate::mcp::{ServerConfig, ServerName};
use live::Live;
use shared::{Phase, Shared};

/// A connection to one MCP server, made when it is needed and made anew when it is lost.
#[derive(Debug, Clone)]
pub struct Connection {
    shared: Arc<Shared>,
    /// Ends the supervisor with the last clone.
    _closing: Arc<DropGuard>,
}

impl Connection {
    /// Describes a connection; nothing is started.
    #[must_use]
    pub fn new(config: ServerConfig, surroundings: Surroundings) -> Self {
        let shared = Shared::new(config, surroundings);
        let closing = shared.closing.clone().drop_guard();
        Self {
            shared: Arc::new(shared),
            _closing: Arc::new(closing),
        }
    }

    /// Returns what is said of the server.
    #[must_use]
    pub fn config(&self) -> &ServerConfig {
        &self.shared.config
    }

    /// Makes the connection, unless it is there.
    ///
    /// # Errors
    /// When the attempt fails that is under way, or that this starts.
    pub async fn connect(&self) -> Result<(), ConnectError> {
        self.live().await.map(drop)
    }

    /// Returns the server's tools, and makes the connection first where it is not there.
    ///
    /// Where a list fails that went well before, the last good one is returned with a note.
    ///
    /// # Errors
    /// When there is no connection, or no list ever went well.
    pub async fn tools(&self) -> Result<Arc<ToolsOffer>, CallError> {
        let live = self.live().await?;
        let mut listing = self.shared.listing.subscribe();
        let listed = listing.wait_for(|listing| listing.generation >= live.generation);
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

    /// Returns the tools as they were last listed, without waiting.
    #[must_use]
    pub fn tools_now(&self) -> Arc<ToolsOffer> {
        Arc::clone(&self.shared.listing.borrow().offer)
    }

    /// Tells when the list of tools changes: the revision of each new one.
    #[must_use]
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.shared.revision.subscribe()
    }

    /// Tells where the connection stands.
    #[must_use]
    pub fn status(&self) -> ConnectionStatus {
        self.shared.status()
    }

    /// Ends the connection for good, and the server's program with it.
    pub async fn close(&self) {
        self.shared.closing.cancel();
        let mut standing = self.shared.standing.subscribe();
        let is_over = |standing: &shared::Standing| {
            !matches!(
                standing.phase,
                Phase::Connecting | Phase::Ready(_) | Phase::Waiting
            )
        };
        let _ = standing.wait_for(is_over).await;
        self.shared.now(|standing| standing.phase = Phase::Closed);
    }

    fn name(&self) -> &ServerName {
        self.shared.config.name()
    }

    async fn live(&self) -> Result<Arc<Live>, ConnectError> {
        self.shared.live().await
    }
}
