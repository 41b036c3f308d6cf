//! Telling clients that there is something else than before: other tools, prompts or resources, other contents.
//!
//! Prompts and resources push. A toolset cannot, and folders of skills cannot either, so that their revision is looked at
//! after each call, and every two seconds.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{BoxStream, SelectAll, StreamExt as _};
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, ServiceError, SubscriptionContext};
use tokio::sync::watch;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::prompts::Prompt;
use super::session::Session;
use super::{ResourceChange, Server};

/// How often is looked at what cannot push.
const LOOK: Duration = Duration::from_secs(2);

/// How often the sources of skills are asked, which takes longer.
#[cfg(feature = "skills")]
const SKILLS: Duration = Duration::from_secs(30);

/// What has changed.
enum Change {
    Tools,
    Prompts,
    Resources,
    Contents(String),
}

/// The numbers of the states of what cannot push.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Revisions {
    tools: u64,
    skills: u64,
}

impl Revisions {
    fn of(server: &Server) -> Self {
        Self {
            tools: server.toolset().revision(),
            skills: skills(server),
        }
    }
}

/// Looks at what cannot push, after a call that may have changed it, and wakes whoever tells of it where it did.
pub(super) fn look(server: &Server) {
    let now = Revisions::of(server);
    let seen = &server.inner.seen;
    seen.send_if_modified(|seen| std::mem::replace(seen, now) != now);
}

/// What there is to be told, as it was when it was looked at last.
struct Watch {
    server: Server,
    looks: Interval,
    seen: watch::Receiver<Revisions>,
    told: Revisions,
    prompts: Option<watch::Receiver<Arc<[Arc<Prompt>]>>>,
    resources: SelectAll<BoxStream<'static, ResourceChange>>,
}

impl Watch {
    fn new(server: &Server) -> Self {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let settings = &server.inner.settings;
        let sources = settings.resources.iter().map(|source| source.changes());
        Self {
            looks,
            seen: server.inner.seen.subscribe(),
            told: Revisions::of(server),
            prompts: settings.prompts.as_ref().map(super::Prompts::watch),
            resources: sources.collect(),
            server: server.clone(),
        }
    }

    /// Waits until something has changed.
    async fn changed(&mut self) -> Change {
        loop {
            tokio::select! {
                () = replaced(self.prompts.as_mut()) => return Change::Prompts,
                // A stream that has ended tells of nothing more.
                Some(change) = self.resources.next() => return match change {
                    ResourceChange::List => Change::Resources,
                    ResourceChange::Contents(uri) => Change::Contents(uri),
                },
                _ = self.looks.tick() => {
                    #[cfg(feature = "skills")]
                    if let Some(skills) = &self.server.inner.skills {
                        skills.refresh(SKILLS).await;
                    }
                }
                // The server holds the other end.
                _ = self.seen.changed() => {}
            }
            if let Some(change) = self.looked() {
                return change;
            }
        }
    }

    /// Looks at what cannot push.
    fn looked(&mut self) -> Option<Change> {
        let now = Revisions::of(&self.server);
        if self.told.tools != now.tools {
            self.told.tools = now.tools;
            return Some(Change::Tools);
        }
        let told = std::mem::replace(&mut self.told, now);
        (told.skills != now.skills).then_some(Change::Resources)
    }
}

/// Waits until the prompts were replaced; for ever where there are none.
async fn replaced(prompts: Option<&mut watch::Receiver<Arc<[Arc<Prompt>]>>>) {
    if let Some(prompts) = prompts
        && prompts.changed().await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// Returns the number of the state that the skills are in.
#[cfg(feature = "skills")]
fn skills(server: &Server) -> u64 {
    let skills = server.inner.skills.as_ref();
    skills.map_or(0, super::skills::ServedSkills::revision)
}

#[cfg(not(feature = "skills"))]
fn skills(_: &Server) -> u64 {
    0
}

/// Tells a connection of changes, until it is closed.
pub(super) fn tell(server: &Server, session: Arc<Session>, peer: Peer<RoleServer>) {
    let mut watch = Watch::new(server);
    tokio::spawn(async move {
        loop {
            let change = tokio::select! {
                change = watch.changed() => change,
                () = closed(&peer) => return,
            };
            if told(&peer, &session, change).await.is_err() {
                return;
            }
        }
    });
}

async fn told(
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

/// Waits until a connection is closed, which rmcp tells nobody.
async fn closed(peer: &Peer<RoleServer>) {
    while !peer.is_transport_closed() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns the part of what a client wants to be told of that it will be told of.
pub(super) fn accepted(requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
    Some(requested.clone())
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
    let wanted = subscription.accepted().clone();
    let is_wanted = |change: &Change| match change {
        Change::Tools => wanted.tools_list_changed == Some(true),
        Change::Prompts => wanted.prompts_list_changed == Some(true),
        Change::Resources => wanted.resources_list_changed == Some(true),
        Change::Contents(uri) => {
            let uris = wanted.resource_subscriptions.as_deref();
            uris.is_some_and(|uris| uris.contains(uri))
        }
    };
    let mut watch = Watch::new(server);
    let sink = subscription.sink();
    loop {
        let change = tokio::select! {
            change = watch.changed() => change,
            () = subscription.cancelled() => return Ok(()),
        };
        if !is_wanted(&change) {
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
