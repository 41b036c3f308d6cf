//! Telling clients that the list of tools has changed.
//!
//! A toolset cannot push, so that its revision is looked at every two seconds; that costs a comparison.

use std::time::Duration;

use rmcp::model::{ErrorData, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use tokio::time::{MissedTickBehavior, interval};

use super::Server;
use super::session::Session;

/// How often a toolset is looked at.
const LOOK: Duration = Duration::from_secs(2);

/// What there is to be told, as it was when it was looked at last.
struct Watch {
    server: Server,
    tools: u64,
}

impl Watch {
    fn new(server: &Server) -> Self {
        Self {
            server: server.clone(),
            tools: server.toolset().revision(),
        }
    }

    /// Waits until the list of tools has changed.
    async fn changed(&mut self) {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            let tools = self.server.toolset().revision();
            if tools != self.tools {
                self.tools = tools;
                return;
            }
        }
    }
}

/// Tells a connection of changes, until it is closed.
pub(super) fn tell(server: &Server, peer: Peer<RoleServer>) {
    let mut watch = Watch::new(server);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = watch.changed() => {}
                () = closed(&peer) => return,
            }
            if peer.notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    });
}

/// Waits until a connection is closed, which rmcp tells nobody.
async fn closed(peer: &Peer<RoleServer>) {
    while !peer.is_transport_closed() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns the part of what a client wants to be told of that it will be told of.
pub(super) fn accepted(requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
    let mut accepted = SubscriptionFilter::default();
    accepted.tools_list_changed = requested.tools_list_changed;
    Some(accepted)
}

/// Tells a subscription of changes, until the client ends it.
pub(super) async fn listen(
    server: &Server,
    session: &Session,
    subscription: SubscriptionContext,
) -> Result<(), ErrorData> {
    let Some(_place) = session.house.enter() else {
        return Err(ErrorData::internal_error(
            "too many requests of yours are open; end one, then try again",
            None,
        ));
    };
    let mut watch = Watch::new(server);
    loop {
        tokio::select! {
            () = watch.changed() => {}
            () = subscription.cancelled() => return Ok(()),
        }
        if subscription
            .sink()
            .notify_tool_list_changed()
            .await
            .is_err()
        {
            return Ok(());
        }
    }
}
