//! A connection while it lasts.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::ServerPeerInfo;
use rmcp::service::Peer;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::ConnectError;
use super::answers::Answers;
use super::calls::Calls;
use crate::mcp::transport::Fault;

/// A connection while it lasts.
#[derive(Debug)]
pub(super) struct Live {
    /// Counts the connections, from 1.
    pub(super) generation: u64,
    pub(super) peer: Peer<RoleClient>,
    pub(super) info: Arc<ServerPeerInfo>,
    pub(super) answers: Answers,
    #[allow(dead_code, reason = "keeps the requests that are under way")]
    pub(super) calls: Arc<Calls>,
    pub(super) fault: Arc<Fault>,
    /// The tools have changed.
    pub(super) changed: Arc<Notify>,
    /// A request found that the connection is of no use any more: it takes no new requests.
    pub(super) useless: CancellationToken,
    /// How many requests are in flight.
    in_flight: watch::Sender<usize>,
    end: watch::Sender<Option<ConnectError>>,
}

/// Counts a request as in flight until it is dropped.
#[derive(Debug)]
pub(super) struct RequestGuard<'a>(&'a watch::Sender<usize>);

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|in_flight| *in_flight -= 1);
    }
}

impl Live {
    pub(super) fn new(
        generation: u64,
        peer: Peer<RoleClient>,
        info: Arc<ServerPeerInfo>,
        answers: Answers,
        calls: Arc<Calls>,
        fault: Arc<Fault>,
        changed: Arc<Notify>,
    ) -> Self {
        Self {
            generation,
            peer,
            info,
            answers,
            calls,
            fault,
            changed,
            useless: CancellationToken::new(),
            in_flight: watch::Sender::new(0),
            end: watch::Sender::new(None),
        }
    }

    /// Counts a request as in flight until the guard is dropped; `None` where the connection takes no more requests.
    pub(super) fn begin_request(&self) -> Option<RequestGuard<'_>> {
        // The count comes first: a request that passes the check is one that `wait_until_idle` waits for.
        self.in_flight.send_modify(|in_flight| *in_flight += 1);
        let guard = RequestGuard(&self.in_flight);
        (!self.useless.is_cancelled()).then_some(guard)
    }

    /// Waits until no request is in flight.
    pub(super) async fn wait_until_idle(&self) {
        let mut in_flight = self.in_flight.subscribe();
        // The sender lives as long as this.
        let _ = in_flight.wait_for(|in_flight| *in_flight == 0).await;
    }

    /// Says why it has ended.
    pub(super) fn end(&self, why: ConnectError) {
        self.end.send_replace(Some(why));
    }

    /// Reports whether it can no longer be used.
    pub(super) fn has_ended(&self) -> bool {
        self.end.borrow().is_some()
            || self.useless.is_cancelled()
            || self.peer.is_transport_closed()
    }

    /// Waits until it has ended, and returns why. The supervisor sees to it that it does.
    pub(super) async fn ended(&self) -> Option<ConnectError> {
        let mut end = self.end.subscribe();
        let why = end.wait_for(Option::is_some).await.ok()?;
        why.clone()
    }
}
