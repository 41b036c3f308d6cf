//! Keeping up with what a server offers while the connection lasts.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::ServiceError;
use tokio::time::Instant;

use super::live::Live;
use super::offer::{self, ToolsOffer};
use super::pages::Listed;
use super::request::Ask;
use super::shared::Shared;
use super::{Asked, CallError};

/// The least time between the beginnings of two lists, however often the server says that it has changed.
const BETWEEN: Duration = Duration::from_secs(1);
/// How long to wait before a subscription that ended is made anew, at most.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Lists the tools, and again whenever they change; it does not end by itself.
pub(super) async fn follow(shared: &Arc<Shared>, live: &Arc<Live>) {
    tokio::join!(relist(shared, live), subscribe(shared, live));
}

async fn relist(shared: &Shared, live: &Live) {
    loop {
        let started = Instant::now();
        let limit = shared.config.timeouts().list;
        let what = Asked::Reading("the list of its tools".to_owned());
        let ask = Ask::new(shared.config.name(), what, None, limit);
        let listed = offer::list(live, &ask).await;
        publish(shared, live, listed);
        live.changed.notified().await;
        tokio::time::sleep_until(started + BETWEEN).await;
    }
}

fn publish(shared: &Shared, live: &Live, listed: Result<Listed<rmcp::model::Tool>, CallError>) {
    let mut revision = None;
    shared.listing.send_modify(|listing| {
        listing.generation = live.generation;
        match listed {
            Ok(Listed { items, notes }) => {
                let before = &listing.offer;
                let is_same = before.revision > 0 && before.tools == items && before.notes == notes;
                if !is_same {
                    let next = before.revision + 1;
                    listing.offer = Arc::new(ToolsOffer {
                        tools: items,
                        revision: next,
                        notes,
                    });
                    revision = Some(next);
                }
                listing.problem = None;
            }
            Err(problem) => {
                tracing::debug!(%problem, "the tools of an MCP server could not be listed");
                listing.problem = Some(problem);
            }
        }
    });
    if let Some(revision) = revision {
        shared.revision.send_replace(revision);
    }
}

/// Has a server of the newest protocol tell of changes, which the older ones tell unasked.
async fn subscribe(shared: &Shared, live: &Live) {
    let tools = live.info.capabilities.tools.as_ref();
    let tells = tools.and_then(|tools| tools.list_changed) == Some(true);
    if live.info.protocol_version.has_initialize() || !tells {
        return;
    }
    let mut wait = Duration::from_secs(1);
    loop {
        let mut filter = SubscriptionFilter::new();
        filter.tools_list_changed = Some(true);
        let limit = shared.config.timeouts().list;
        match tokio::time::timeout(limit, live.peer.listen(filter)).await {
            Ok(Ok(mut subscription)) => {
                wait = Duration::from_secs(1);
                while let Ok(Some(told)) = subscription.next().await {
                    if matches!(told, ServerNotification::ToolListChangedNotification(_)) {
                        live.changed.notify_one();
                    }
                }
            }
            // It does not know what is asked, and will not learn it.
            Ok(Err(ServiceError::McpError(error))) => {
                tracing::debug!(message = %error.message, "an MCP server refuses to tell of changes");
                return;
            }
            Ok(Err(error)) => tracing::debug!(%error, "an MCP server does not tell of changes"),
            Err(_) => tracing::debug!("an MCP server does not answer whether it tells of changes"),
        }
        tokio::time::sleep(wait).await;
        wait = (2 * wait).min(LONGEST_WAIT);
        // Something may have changed in between.
        live.changed.notify_one();
    }
}
