//! An established connection.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ServerPeerInfo;
use rmcp::service::Peer;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ConnectError;
use super::answers::ServerRequestHandler;
use super::attempt::EstablishedConnection;
use crate::transport::Fault;
use helve_core::support::lock::Mutex;

#[derive(Debug)]
pub(super) struct LiveConnection {
    /// The number of the connection, counted from 1.
    pub(super) generation: u64,
    pub(super) peer: Peer<RoleClient>,
    pub(super) info: Arc<ServerPeerInfo>,
    pub(super) answers: ServerRequestHandler,
    pub(super) fault: Arc<Fault>,
    /// Notified when the server reports changed tools.
    pub(super) changed: Arc<Notify>,
    /// Cancelled when a request finds the connection unusable. The connection then accepts no new requests.
    pub(super) useless: CancellationToken,
    in_flight: watch::Sender<usize>,
    /// The end of the last request.
    last_used: Mutex<Instant>,
    end: watch::Sender<Option<ConnectError>>,
}

/// Counts a request as in flight until it is dropped.
#[derive(Debug)]
pub(super) struct RequestGuard<'a>(&'a LiveConnection);

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        *self.0.last_used.lock() = Instant::now();
        self.0.in_flight.send_modify(|in_flight| *in_flight -= 1);
    }
}

impl LiveConnection {
    pub(super) fn new(generation: u64, established: &EstablishedConnection) -> Self {
        Self {
            generation,
            peer: established.running.peer().clone(),
            info: Arc::clone(&established.info),
            answers: established.answers.clone(),
            fault: Arc::clone(&established.fault),
            changed: Arc::clone(&established.changed),
            useless: CancellationToken::new(),
            in_flight: watch::Sender::new(0),
            last_used: Mutex::new(Instant::now()),
            end: watch::Sender::new(None),
        }
    }

    /// Counts a request as in flight until the guard is dropped; returns `None` if the connection accepts no more requests.
    pub(super) fn begin_request(&self) -> Option<RequestGuard<'_>> {
        // The count is increased before the check, so that `wait_until_idle` waits for each request that passes the check.
        self.in_flight.send_modify(|in_flight| *in_flight += 1);
        let guard = RequestGuard(self);
        (!self.useless.is_cancelled()).then_some(guard)
    }

    /// Returns the time since the last request ended; zero while a request is in flight.
    pub(super) fn idle_time(&self) -> Duration {
        if *self.in_flight.borrow() > 0 {
            return Duration::ZERO;
        }
        self.last_used.lock().elapsed()
    }

    pub(super) async fn wait_until_idle(&self) {
        let mut in_flight = self.in_flight.subscribe();
        // `self` holds the sender, so that this does not fail.
        let _ = in_flight.wait_for(|in_flight| *in_flight == 0).await;
    }

    pub(super) fn end(&self, why: ConnectError) {
        self.end.send_replace(Some(why));
    }

    /// Returns whether the connection can no longer be used.
    pub(super) fn has_ended(&self) -> bool {
        self.end.borrow().is_some()
            || self.useless.is_cancelled()
            || self.peer.is_transport_closed()
    }

    /// Waits until the connection has ended, and returns why. The supervisor calls [`end`](Self::end).
    pub(super) async fn ended(&self) -> Option<ConnectError> {
        let mut end = self.end.subscribe();
        let why = end.wait_for(Option::is_some).await.ok()?;
        why.clone()
    }
}
