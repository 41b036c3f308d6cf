//! The session of one client: its state, its permissions, and the lock that orders its calls.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use tokio::sync::RwLock;

use super::client::SessionLogLevel;
use super::limits::PrincipalLimits;
use super::settings::Settings;
use helve_core::support::lock::Mutex;
use helve_core::support::random;
use helve_core::tool::ToolContext;
use helve_core::transcript::{CallKey, Origin, SessionId};
use helve_permission::Policy;

/// The greatest number of resources that one connection can subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// The session of one connection, or of one principal whose requests come without a connection.
pub(crate) struct Session {
    pub(super) id: SessionId,
    /// The origin of all calls of the session, which form one turn without an end.
    pub(super) origin: Origin,
    /// The counters of the principal, which all of its sessions share.
    pub(super) limits: Arc<PrincipalLimits>,
    /// The context that the context of each call derives from.
    pub(super) context: ToolContext,
    /// The permissions, and the labels of the content that the client has read.
    pub(super) policy: Policy,
    /// Each call that runs holds this lock: shared, or exclusively if its tool runs alone.
    pub(super) execution_lock: Arc<RwLock<()>>,
    /// The number of suspended calls and tasks that wait for input while they hold `execution_lock`.
    pub(super) suspended_holders: AtomicUsize,
    /// The least log level that the connection has asked for.
    pub(super) log_level: SessionLogLevel,
    calls: AtomicU32,
    /// The URIs of the resources that the connection has subscribed to.
    subscriptions: Mutex<HashSet<String>>,
}

impl Session {
    pub(super) fn new(settings: &Settings, limits: Arc<PrincipalLimits>) -> Arc<Self> {
        let id = SessionId::from(format!("mcp-{}", random::hex::<8>()));
        let origin = Origin::new("mcp", "mcp");
        let context = (settings.contexts)(&limits.principal);
        // The connection says who is asking and how, and the app may say the rest.
        let (mut principal, app) = (limits.principal.clone(), context.principal());
        principal.team = principal.team.or_else(|| app.team.clone());
        principal.tenant = principal.tenant.or_else(|| app.tenant.clone());
        let context = context
            .derive()
            .session(id.clone())
            .agent(origin.agent.clone())
            .turn(origin.turn.clone())
            .principal(principal)
            .build();
        Arc::new(Self {
            context,
            origin,
            policy: settings.policy.for_session().without_conversation(),
            execution_lock: Arc::default(),
            suspended_holders: AtomicUsize::new(0),
            log_level: SessionLogLevel::default(),
            calls: AtomicU32::new(0),
            subscriptions: Mutex::default(),
            id,
            limits,
        })
    }

    pub(super) fn next_call(&self) -> CallKey {
        CallKey::new(1, self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// Subscribes the connection to a resource; returns `false` if the connection has too many subscriptions.
    pub(super) fn subscribe(&self, uri: String) -> bool {
        let mut subscriptions = self.subscriptions.lock();
        let is_admitted = subscriptions.len() < MAX_SUBSCRIPTIONS || subscriptions.contains(&uri);
        if is_admitted {
            subscriptions.insert(uri);
        }
        is_admitted
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.subscriptions.lock().remove(uri);
    }

    pub(super) fn is_subscribed(&self, uri: &str) -> bool {
        self.subscriptions.lock().contains(uri)
    }
}
