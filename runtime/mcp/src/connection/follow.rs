//! Follows the tools of a server while the connection lasts.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::ServiceError;
use tokio::time::Instant;

use super::live::LiveConnection;
use super::offer::{self, ToolsOffer};
use super::pages::CollectedPages;
use super::request::OutboundRequest;
use super::shared::SharedConnection;
use super::{CallError, Operation};

/// The least interval between two lists, however often the server reports a change.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// The longest delay before an ended subscription is renewed.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Lists the tools, and lists them again after each change. The future does not complete.
pub(super) async fn follow(shared: &Arc<SharedConnection>, live: &Arc<LiveConnection>) {
    tokio::join!(relist(shared, live), subscribe(shared, live));
}

async fn relist(shared: &SharedConnection, live: &LiveConnection) {
    loop {
        let started = Instant::now();
        list(shared, live).await;
        live.changed.notified().await;
        tokio::time::sleep_until(started + MIN_INTERVAL).await;
    }
}

/// Lists the tools once, and publishes the list.
pub(super) async fn list(shared: &SharedConnection, live: &LiveConnection) {
    let limit = shared.config.timeouts().list;
    let what = Operation::Reading("the list of its tools".to_owned());
    let request = OutboundRequest::new(shared.config.name(), what, None, limit);
    let listed = offer::list(live, &request).await;
    publish(shared, live, listed);
}

fn publish(
    shared: &SharedConnection,
    live: &LiveConnection,
    listed: Result<CollectedPages<rmcp::model::Tool>, CallError>,
) {
    let mut revision = None;
    shared.listing.send_modify(|listing| {
        listing.generation = live.generation;
        match listed {
            Ok(CollectedPages { items, notes }) => {
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

/// Subscribes to changes of the tools. Servers of older protocols send notifications without a subscription.
async fn subscribe(shared: &SharedConnection, live: &LiveConnection) {
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
            // The server does not support subscriptions.
            Ok(Err(ServiceError::McpError(error))) => {
                tracing::debug!(message = %error.message, "an MCP server refuses to tell of changes");
                return;
            }
            Ok(Err(error)) => tracing::debug!(%error, "an MCP server does not tell of changes"),
            Err(_) => tracing::debug!("an MCP server does not answer whether it tells of changes"),
        }
        tokio::time::sleep(wait).await;
        wait = (2 * wait).min(LONGEST_WAIT);
        // The tools may have changed between two subscriptions.
        live.changed.notify_one();
    }
}
