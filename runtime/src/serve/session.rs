//! What one client has of a server: its state, its permissions, and the order of its calls.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

#[expect(
    deprecated,
    reason = "deprecated by the protocol of 2026-07-28, and spoken before it"
)]
use rmcp::model::LoggingLevel;
use tokio::sync::RwLock;

use super::Server;
use super::client::level;
use super::house::House;
use crate::capability::LogLevel;
use crate::permission::Policy;
use crate::support::lock::Mutex;
use crate::support::random;
use crate::tool::ToolContext;
use crate::transcript::{CallKey, Origin, SessionId};

/// The most resources that one connection is told of.
const MOST_SUBSCRIBED: usize = 1_000;

/// A session: the calls of one connection, or of one principal that comes without connections.
pub(crate) struct Session {
    pub(super) id: SessionId,
    /// Whose turn its calls are: one that never ends.
    pub(super) origin: Origin,
    /// What the connections of the principal have together.
    pub(super) house: Arc<House>,
    /// What the context of each call derives from.
    pub(super) context: ToolContext,
    /// What may run, and what the client has read.
    pub(super) policy: Policy,
    /// Held by each call that runs: by one alone where it says so.
    pub(super) order: Arc<RwLock<()>>,
    /// How many calls hold the order while they wait for the client to come back.
    pub(super) stalled: AtomicUsize,
    /// The least level of the log that a connection wants, as a number.
    level: AtomicU8,
    /// How many calls there were.
    calls: AtomicU32,
    /// The resources that a connection wants to be told of.
    subscribed: Mutex<HashSet<String>>,
}

impl Session {
    pub(super) fn begin(server: &Server, house: Arc<House>) -> Arc<Self> {
        let settings = &server.inner.settings;
        let id = SessionId::from(format!("mcp-{}", random::hex::<8>()));
        let context = (settings.contexts)(&house.principal);
        let origin = Origin::new("mcp", "mcp");
        let context = context.derive().session(id.clone());
        let context = context
            .agent(origin.agent.clone())
            .turn(origin.turn.clone());
        Arc::new(Self {
            context: context.principal(house.principal.clone()).build(),
            origin,
            policy: settings.policy.for_session().without_conversation(),
            order: Arc::default(),
            stalled: AtomicUsize::new(0),
            level: AtomicU8::new(LogLevel::Info as u8),
            calls: AtomicU32::new(0),
            subscribed: Mutex::default(),
            id,
            house,
        })
    }

    /// Returns the place of the next call.
    pub(super) fn next_call(&self) -> CallKey {
        CallKey::new(1, self.calls.fetch_add(1, Ordering::Relaxed))
    }

    #[expect(
        deprecated,
        reason = "deprecated by the protocol of 2026-07-28, and spoken before it"
    )]
    pub(super) fn set_level(&self, level: LoggingLevel) {
        self.level
            .store(level::from_rmcp(level) as u8, Ordering::Relaxed);
    }

    /// Takes note that a connection wants to be told of a resource; `false` where it wants to be told of too many.
    pub(super) fn subscribe(&self, uri: String) -> bool {
        let mut subscribed = self.subscribed.lock();
        let has_room = subscribed.len() < MOST_SUBSCRIBED || subscribed.contains(&uri);
        if has_room {
            subscribed.insert(uri);
        }
        has_room
    }

    /// Takes note that a connection wants to be told of a resource no longer.
    pub(super) fn unsubscribe(&self, uri: &str) {
        self.subscribed.lock().remove(uri);
    }

    /// Reports whether a connection wants to be told of a resource.
    pub(super) fn is_subscribed(&self, uri: &str) -> bool {
        self.subscribed.lock().contains(uri)
    }

    /// Reports whether a connection wants a line of the log.
    pub(super) fn wants(&self, level: LogLevel) -> bool {
        level as u8 >= self.level.load(Ordering::Relaxed)
    }
}
