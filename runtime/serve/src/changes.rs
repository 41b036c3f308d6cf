//! Notifies clients of changes of the tools, the prompts, the resources and their contents.
//!
//! Prompts and resources report their changes. A toolset and folders of skills cannot, so that their revisions are
//! compared after each call, and every two seconds.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{BoxStream, SelectAll, StreamExt as _};
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, ServiceError, SubscriptionContext};
use tokio::sync::watch;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::prompts::{Prompt, Prompts};
use super::resources::ResourceChange;
use super::revisions::Revisions;
use super::session::Session;
use super::state::ServerState;

/// The interval in which revisions are compared.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The least interval in which the sources of skills are refreshed, which takes longer than to compare revisions.
#[cfg(feature = "skills")]
const SKILLS_REFRESH_INTERVAL: Duration = Duration::from_secs(30);

enum Change {
    Tools,
    Prompts,
    Resources,
    /// The contents of the resource at a URI.
    Contents(String),
}

/// Watches everything that a client can be notified of.
struct ChangeWatcher {
    state: Arc<ServerState>,
    poll: Interval,
    after_calls: watch::Receiver<Revisions>,
    known: Revisions,
    prompts: Option<watch::Receiver<Arc<[Arc<Prompt>]>>>,
    resources: SelectAll<BoxStream<'static, ResourceChange>>,
}

impl ChangeWatcher {
    fn new(state: &Arc<ServerState>) -> Self {
        let mut poll = interval(POLL_INTERVAL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let settings = &state.settings;
        let sources = settings.resources.iter().map(|source| source.changes());
        Self {
            poll,
            after_calls: state.revisions.subscribe(),
            known: Revisions::current(settings),
            prompts: settings.prompts.as_ref().map(Prompts::watch),
            resources: sources.collect(),
            state: state.clone(),
        }
    }

    async fn next(&mut self) -> Change {
        loop {
            tokio::select! {
                () = prompts_changed(self.prompts.as_mut()) => return Change::Prompts,
                // The branch is disabled once all streams have ended.
                Some(change) = self.resources.next() => return match change {
                    ResourceChange::List => Change::Resources,
                    ResourceChange::Contents(uri) => Change::Contents(uri),
                },
                _ = self.poll.tick() => {
                    #[cfg(feature = "skills")]
                    if let Some(skills) = &self.state.skills {
                        skills.refresh(SKILLS_REFRESH_INTERVAL).await;
                    }
                }
                // This does not fail, because the state holds the sender.
                _ = self.after_calls.changed() => {}
            }
            if let Some(change) = self.compare_revisions() {
                return change;
            }
        }
    }

    fn compare_revisions(&mut self) -> Option<Change> {
        let current = Revisions::current(&self.state.settings);
        if self.known.tools != current.tools {
            self.known.tools = current.tools;
            return Some(Change::Tools);
        }
        let known = std::mem::replace(&mut self.known, current);
        (known.skills != current.skills).then_some(Change::Resources)
    }
}

/// Waits until the prompts are replaced; waits forever if there are none.
async fn prompts_changed(prompts: Option<&mut watch::Receiver<Arc<[Arc<Prompt>]>>>) {
    if let Some(prompts) = prompts
        && prompts.changed().await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// Notifies a connection of changes until the connection is closed.
pub(super) fn spawn_notifier(
    state: &Arc<ServerState>,
    session: Arc<Session>,
    peer: Peer<RoleServer>,
) {
    let mut watcher = ChangeWatcher::new(state);
    tokio::spawn(async move {
        loop {
            let change = tokio::select! {
                change = watcher.next() => change,
                () = closed(&peer) => return,
            };
            if notify(&peer, &session, change).await.is_err() {
                return;
            }
        }
    });
}

async fn notify(
    peer: &Peer<RoleServer>,
    session: &Session,
    change: Change,
) -> Result<(), ServiceError> {
    match change {
        Change::Tools => peer.notify_tool_list_changed().await,
        Change::Prompts => peer.notify_prompt_list_changed().await,
        Change::Resources => peer.notify_resource_list_changed().await,
        Change::Contents(uri) if session.is_subscribed(&uri) => {
            let updated = ResourceUpdatedNotificationParam::new(uri);
            peer.notify_resource_updated(updated).await
        }
        Change::Contents(_) => Ok(()),
    }
}

/// Waits until a connection is closed. rmcp has no event for it, so that this polls.
async fn closed(peer: &Peer<RoleServer>) {
    while !peer.is_transport_closed() {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Notifies a subscription of changes until the client ends the subscription.
pub(super) async fn listen(
    state: &Arc<ServerState>,
    session: &Session,
    subscription: SubscriptionContext,
) -> Result<(), ErrorData> {
    let Some(_permit) = session.limits.acquire_call() else {
        let why = "too many requests of yours are open; end one, then try again";
        return Err(ErrorData::internal_error(why, None));
    };
    let filter = subscription.accepted().clone();
    let mut watcher = ChangeWatcher::new(state);
    let sink = subscription.sink();
    loop {
        let change = tokio::select! {
            change = watcher.next() => change,
            () = subscription.cancelled() => return Ok(()),
        };
        if !matches_filter(&filter, &change) {
            continue;
        }
        let sent = match change {
            Change::Tools => sink.notify_tool_list_changed().await,
            Change::Prompts => sink.notify_prompt_list_changed().await,
            Change::Resources => sink.notify_resource_list_changed().await,
            Change::Contents(uri) => sink.notify_resource_updated(uri).await,
        };
        if sent.is_err() {
            return Ok(());
        }
    }
}

/// Returns whether a subscription covers a change.
fn matches_filter(filter: &SubscriptionFilter, change: &Change) -> bool {
    match change {
        Change::Tools => filter.tools_list_changed == Some(true),
        Change::Prompts => filter.prompts_list_changed == Some(true),
        Change::Resources => filter.resources_list_changed == Some(true),
        Change::Contents(uri) => {
            let uris = filter.resource_subscriptions.as_deref();
            uris.is_some_and(|uris| uris.contains(uri))
        }
    }
}
