//! Counts the calls that hold the execution lock of their session while only the client can make them continue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::session::Session;

/// Counts one call in `Session::suspended_holders` while the call is suspended, or is a task, and waits for input
/// behind the execution lock.
pub(super) struct SuspendedHolder {
    session: Arc<Session>,
    /// Whether the tool itself runs, and so holds the execution lock of the session.
    pub(super) is_executing: Arc<AtomicBool>,
    /// The number of requests for input whose results the call waits for.
    pub(super) awaited_inputs: Arc<AtomicUsize>,
    is_counted: bool,
}

impl SuspendedHolder {
    pub(super) fn new(session: Arc<Session>) -> Self {
        Self {
            session,
            is_executing: Arc::default(),
            awaited_inputs: Arc::default(),
            is_counted: false,
        }
    }

    /// Counts the call or not, after the call was polled. `is_suspended` is whether no request of the client waits for the
    /// call, so that the call can be without input for as long as the client likes.
    pub(super) fn update(&mut self, is_suspended: bool) {
        let is_holder = is_suspended
            && self.is_executing.load(Ordering::Relaxed)
            && self.awaited_inputs.load(Ordering::Relaxed) > 0;
        if is_holder == self.is_counted {
            return;
        }
        self.is_counted = is_holder;
        let holders = &self.session.suspended_holders;
        if is_holder {
            holders.fetch_add(1, Ordering::Relaxed);
        } else {
            holders.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for SuspendedHolder {
    fn drop(&mut self) {
        self.update(false);
    }
}
