//! Notices of changes: those that watch a session are woken when it may have changed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use tokio::sync::Notify;

use helve_core::support::lock::Mutex;
use helve_core::transcript::SessionId;

/// A stream of notices that sessions may have changed. The first item is ready at once.
pub type StoreWatch = BoxStream<'static, ()>;

/// Watches by looking again and again: the first notice comes at once, each further one after an interval.
pub(super) fn poll(interval: Duration) -> StoreWatch {
    let ticks = stream::unfold(false, move |is_begun| async move {
        if is_begun {
            tokio::time::sleep(interval).await;
        }
        Some(((), true))
    });
    ticks.boxed()
}

/// The watchers of the sessions of a store.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    watchers: Mutex<Vec<Weak<Watcher>>>,
}

/// Somebody who watches one session, or all.
#[derive(Debug)]
pub(super) struct Watcher {
    session: Option<SessionId>,
    changed: Notify,
}

impl Watchers {
    /// Adds a watcher of one session, or of all. The watcher is removed when it is dropped.
    pub(super) fn add(&self, session: Option<&SessionId>) -> Arc<Watcher> {
        let watcher = Arc::new(Watcher {
            session: session.cloned(),
            changed: Notify::new(),
        });
        // The first notice comes at once.
        watcher.changed.notify_one();
        let mut watchers = self.watchers.lock();
        watchers.retain(|watcher| watcher.strong_count() > 0);
        watchers.push(Arc::downgrade(&watcher));
        watcher
    }

    /// Wakes the watchers of a session, or all watchers.
    pub(super) fn notify(&self, session: Option<&str>) {
        for watcher in self.watchers.lock().iter().filter_map(Weak::upgrade) {
            let own = watcher.session.as_deref();
            if own.is_none() || session.is_none() || own == session {
                watcher.changed.notify_one();
            }
        }
    }
}

impl Watcher {
    /// Waits for the next change. A change between two calls is not missed.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}
