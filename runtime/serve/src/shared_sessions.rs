//! The sessions of requests that come without a connection: one for each principal.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::session::Session;
use helve_core::support::lock::Mutex;
use helve_core::tool::Principal;

/// How long the session of an idle principal is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3_600);

/// The number of sessions from which on idle ones are removed.
const CLEANUP_THRESHOLD: usize = 1_024;

/// The session of each principal whose requests come without a connection.
#[derive(Default)]
pub(super) struct SharedSessions(Mutex<HashMap<Principal, SharedSession>>);

struct SharedSession {
    session: Arc<Session>,
    last_used: Instant,
}

impl SharedSession {
    /// Returns whether a call holds the session, or a request has used it lately.
    fn is_live(&self, now: Instant) -> bool {
        self.last_used + IDLE_TIMEOUT > now || Arc::strong_count(&self.session) > 1
    }
}

impl SharedSessions {
    /// Returns the session of a principal; `create` makes it if there is none, or replaces an idle one.
    pub(super) fn get_or_create(
        &self,
        principal: &Principal,
        create: impl FnOnce() -> Arc<Session>,
    ) -> Arc<Session> {
        let mut sessions = self.0.lock();
        let now = Instant::now();
        if let Some(shared) = sessions.get_mut(principal)
            && shared.is_live(now)
        {
            shared.last_used = now;
            return shared.session.clone();
        }
        if sessions.len() >= CLEANUP_THRESHOLD {
            sessions.retain(|_, shared| shared.is_live(now));
        }
        let session = create();
        let shared = SharedSession {
            session: session.clone(),
            last_used: now,
        };
        sessions.insert(principal.clone(), shared);
        session
    }
}
