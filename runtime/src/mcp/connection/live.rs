//! A connection while it lasts.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::ServerPeerInfo;
use rmcp::service::Peer;
use tokio::sync::{Notify, watch};

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
    /// Somebody found that it is of no use any more.
    pub(super) useless: Notify,
    end: watch::Sender<Option<ConnectError>>,
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
            useless: Notify::new(),
            end: watch::Sender::new(None),
        }
    }

    /// Says why it has ended.
    pub(super) fn end(&self, why: ConnectError) {
        self.end.send_replace(Some(why));
    }

    /// Reports whether it can no longer be used.
    pub(super) fn has_ended(&self) -> bool {
        self.end.borrow().is_some() || self.peer.is_transport_closed()
    }

    /// Waits until it has ended, and returns why. The supervisor sees to it that it does.
    pub(super) async fn ended(&self) -> Option<ConnectError> {
        let mut end = self.end.subscribe();
        let why = end.wait_for(Option::is_some).await.ok()?;
        why.clone()
    }
}
