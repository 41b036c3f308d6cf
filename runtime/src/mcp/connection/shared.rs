//! What a connection's clones and its supervisor share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::live::Live;
use super::{
    CallError, ConnectError, ConnectionState, ConnectionStatus, Surroundings, ToolsOffer,
    supervisor,
};
use crate::mcp::ServerConfig;

/// What a connection's clones and its supervisor share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) config: ServerConfig,
    pub(super) surroundings: Surroundings,
    pub(super) standing: watch::Sender<Standing>,
    pub(super) listing: watch::Sender<Listing>,
    pub(super) revision: watch::Sender<u64>,
    /// How many wait for the connection.
    waiting: AtomicUsize,
    /// Somebody waits.
    pub(super) wanted: Notify,
    /// It is closed for good.
    pub(super) closing: CancellationToken,
    /// Whether the supervisor runs.
    pub(super) is_supervised: AtomicBool,
}

/// Where the connection stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Standing {
    pub(super) phase: Phase,
    /// How many attempts have failed.
    pub(super) failures: u64,
    /// How many have not.
    pub(super) made: u64,
    pub(super) restarts: u32,
    pub(super) last_error: Option<ConnectError>,
}

#[derive(Debug, Clone, Default)]
pub(super) enum Phase {
    #[default]
    Idle,
    Connecting,
    Ready(Arc<Live>),
    Waiting,
    Closed,
}

/// The tools as they were last listed.
#[derive(Debug, Clone, Default)]
pub(super) struct Listing {
    /// The connection that was last asked.
    pub(super) generation: u64,
    pub(super) offer: Arc<ToolsOffer>,
    /// Why it did not answer, where it did not.
    pub(super) problem: Option<CallError>,
}

impl Shared {
    pub(super) fn new(config: ServerConfig, surroundings: Surroundings) -> Self {
        Self {
            config,
            surroundings,
            standing: watch::Sender::default(),
            listing: watch::Sender::default(),
            revision: watch::Sender::new(0),
            waiting: AtomicUsize::new(0),
            wanted: Notify::new(),
            closing: CancellationToken::new(),
            is_supervised: AtomicBool::new(false),
        }
    }

    /// Reports whether somebody waits for the connection.
    pub(super) fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }

    /// Returns the connection, or the outcome of the next attempt to make it.
    pub(super) async fn live(self: &Arc<Self>) -> Result<Arc<Live>, ConnectError> {
        let mut standing = self.standing.subscribe();
        let (failures, made) = {
            let now = standing.borrow_and_update();
            if let Phase::Ready(live) = &now.phase
                && !live.has_ended()
            {
                return Ok(Arc::clone(live));
            }
            (now.failures, now.made)
        };
        if self.closing.is_cancelled() {
            return Err(self.closed());
        }
        let _waiting = Waiting::on(self);
        supervisor::supervise(self);
        loop {
            {
                let now = standing.borrow_and_update();
                match &now.phase {
                    Phase::Ready(live) if !live.has_ended() => return Ok(Arc::clone(live)),
                    Phase::Closed => return Err(self.closed()),
                    Phase::Ready(_) => {}
                    // It failed, or was made and is gone already.
                    _ if now.failures > failures || now.made > made => {
                        return Err(now.last_error.clone().unwrap_or_else(|| self.closed()));
                    }
                    _ => {}
                }
            }
            // The sender lives as long as this.
            if standing.changed().await.is_err() {
                return Err(self.closed());
            }
        }
    }

    pub(super) fn closed(&self) -> ConnectError {
        ConnectError::Closed {
            server: self.config.name().clone(),
        }
    }

    pub(super) fn status(&self) -> ConnectionStatus {
        let standing = self.standing.borrow();
        let (state, live) = match &standing.phase {
            Phase::Idle => (ConnectionState::Idle, None),
            Phase::Connecting => (ConnectionState::Connecting, None),
            Phase::Ready(live) => (ConnectionState::Ready, Some(live)),
            Phase::Waiting => (ConnectionState::Waiting, None),
            Phase::Closed => (ConnectionState::Closed, None),
        };
        let info = live.map(|live| &live.info);
        ConnectionStatus {
            state,
            protocol_version: info.map(|info| info.protocol_version.as_str().to_owned()),
            server: info.and_then(|info| info.server_info.clone()),
            capabilities: info.map(|info| info.capabilities.clone()),
            instructions: info.and_then(|info| info.instructions.clone()),
            restarts: standing.restarts,
            last_error: standing.last_error.clone(),
        }
    }

    /// Changes where the connection stands.
    pub(super) fn now(&self, change: impl FnOnce(&mut Standing)) {
        self.standing.send_modify(change);
    }
}

/// Somebody waits for the connection.
struct Waiting<'a>(&'a Shared);

impl<'a> Waiting<'a> {
    fn on(shared: &'a Shared) -> Self {
        shared.waiting.fetch_add(1, Ordering::AcqRel);
        shared.wanted.notify_one();
        Self(shared)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}
