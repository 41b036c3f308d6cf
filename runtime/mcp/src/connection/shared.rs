//! The state that the clones of a connection share with its supervisor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rmcp::model::ServerPeerInfo;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::live::LiveConnection;
use super::{
    CallError, ConnectError, ConnectionDeps, ConnectionState, ConnectionStatus, ToolsOffer, idle,
    supervisor,
};
use crate::ServerConfig;

#[derive(Debug)]
pub(super) struct SharedConnection {
    pub(super) config: ServerConfig,
    pub(super) deps: ConnectionDeps,
    pub(super) lifecycle: watch::Sender<ConnectionLifecycle>,
    pub(super) listing: watch::Sender<ToolListing>,
    pub(super) revision: watch::Sender<u64>,
    /// The number of callers that wait for the connection.
    waiting: AtomicUsize,
    /// Notified when a caller starts to wait.
    pub(super) wanted: Notify,
    /// Cancelled when the connection is closed for good.
    pub(super) closing: CancellationToken,
    pub(super) is_supervised: AtomicBool,
    /// Held while the server of a call runs.
    pub(super) one_at_a_time: Arc<tokio::sync::Mutex<()>>,
    /// Serializes the lists of a server that is started for each.
    pub(super) listing_lock: tokio::sync::Mutex<()>,
    /// Whether a server that is started for each call is known to need the legacy handshake.
    pub(super) is_legacy: AtomicBool,
}

/// The phase of a connection, and the counts of its attempts.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionLifecycle {
    pub(super) phase: ConnectionPhase,
    pub(super) failures: u64,
    pub(super) made: u64,
    pub(super) restarts: u32,
    pub(super) last_error: Option<ConnectError>,
}

#[derive(Debug, Clone, Default)]
pub(super) enum ConnectionPhase {
    #[default]
    Idle,
    Connecting,
    Ready(Arc<LiveConnection>),
    /// The tools of a server that is started for each call are listed, and it does not run.
    Listed(Arc<ServerPeerInfo>),
    Waiting,
    Closed,
}

/// The last list of tools.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolListing {
    /// The generation of the connection that was listed last.
    pub(super) generation: u64,
    pub(super) offer: Arc<ToolsOffer>,
    pub(super) problem: Option<CallError>,
}

impl SharedConnection {
    pub(super) fn new(config: ServerConfig, deps: ConnectionDeps) -> Self {
        Self {
            config,
            deps,
            lifecycle: watch::Sender::default(),
            listing: watch::Sender::default(),
            revision: watch::Sender::new(0),
            waiting: AtomicUsize::new(0),
            wanted: Notify::new(),
            closing: CancellationToken::new(),
            is_supervised: AtomicBool::new(false),
            one_at_a_time: Arc::default(),
            listing_lock: tokio::sync::Mutex::default(),
            is_legacy: AtomicBool::new(false),
        }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }

    /// Returns the connection, or waits for the outcome of the next attempt.
    pub(super) async fn live(self: &Arc<Self>) -> Result<Arc<LiveConnection>, ConnectError> {
        let mut lifecycle = self.lifecycle.subscribe();
        let (failures, made, ready) = {
            let now = lifecycle.borrow_and_update();
            let ready = match &now.phase {
                ConnectionPhase::Ready(live) if !live.has_ended() => Some(Arc::clone(live)),
                _ => None,
            };
            (now.failures, now.made, ready)
        };
        if let Some(live) = ready
            && idle::is_usable(&live, self.config.name()).await
        {
            return Ok(live);
        }
        if self.closing.is_cancelled() {
            return Err(self.closed());
        }
        let _waiting = WaiterGuard::new(self);
        supervisor::supervise(self);
        loop {
            {
                let now = lifecycle.borrow_and_update();
                match &now.phase {
                    ConnectionPhase::Ready(live) if !live.has_ended() => {
                        return Ok(Arc::clone(live));
                    }
                    ConnectionPhase::Closed => return Err(self.closed()),
                    ConnectionPhase::Ready(_) => {}
                    // The attempt has failed, or its connection is lost already.
                    _ if now.failures > failures || now.made > made => {
                        return Err(now.last_error.clone().unwrap_or_else(|| self.closed()));
                    }
                    _ => {}
                }
            }
            // `self` holds the sender, so that this does not fail.
            if lifecycle.changed().await.is_err() {
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
        let lifecycle = self.lifecycle.borrow();
        let (state, info) = match &lifecycle.phase {
            ConnectionPhase::Idle => (ConnectionState::Idle, None),
            ConnectionPhase::Connecting => (ConnectionState::Connecting, None),
            ConnectionPhase::Ready(live) => (ConnectionState::Ready, Some(&live.info)),
            ConnectionPhase::Listed(info) => (ConnectionState::Ready, Some(info)),
            ConnectionPhase::Waiting => (ConnectionState::Waiting, None),
            ConnectionPhase::Closed => (ConnectionState::Closed, None),
        };
        ConnectionStatus {
            state,
            protocol_version: info.map(|info| info.protocol_version.as_str().to_owned()),
            server: info.and_then(|info| info.server_info.clone()),
            capabilities: info.map(|info| info.capabilities.clone()),
            instructions: info.and_then(|info| info.instructions.clone()),
            restarts: lifecycle.restarts,
            last_error: lifecycle.last_error.clone(),
        }
    }

    /// Updates the lifecycle and notifies its watchers.
    pub(super) fn update(&self, change: impl FnOnce(&mut ConnectionLifecycle)) {
        self.lifecycle.send_modify(change);
    }
}

/// Counts a caller that waits for the connection until it is dropped.
struct WaiterGuard<'a>(&'a SharedConnection);

impl<'a> WaiterGuard<'a> {
    fn new(shared: &'a SharedConnection) -> Self {
        shared.waiting.fetch_add(1, Ordering::AcqRel);
        shared.wanted.notify_one();
        Self(shared)
    }
}

impl Drop for WaiterGuard<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}
