//! Which connections have sent a request that passed the gate. Those that have not give way to new ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::task::AbortHandle;

/// Whether a request of one connection has passed the gate; an extension of its requests.
#[derive(Debug, Clone, Default)]
pub(super) struct Admission(Arc<AtomicBool>);

impl Admission {
    /// Records that a request has passed.
    pub(super) fn admit(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_admitted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The connections whose requests have not passed the gate, the oldest first.
///
/// A client that opens connections and sends nothing, or only requests that are refused, would otherwise keep everybody
/// else out for as long as a head may take.
#[derive(Debug, Default)]
pub(super) struct Unadmitted(VecDeque<(Admission, AbortHandle)>);

impl Unadmitted {
    /// Adds a connection.
    pub(super) fn push(&mut self, admission: Admission, connection: AbortHandle) {
        self.remove_settled();
        self.0.push_back((admission, connection));
    }

    /// Closes the oldest connection. Returns whether there was one.
    pub(super) fn close_oldest(&mut self) -> bool {
        self.remove_settled();
        let oldest = self.0.pop_front();
        if let Some((_, connection)) = &oldest {
            tracing::debug!("a connection without an admitted request makes room for another");
            connection.abort();
        }
        oldest.is_some()
    }

    fn remove_settled(&mut self) {
        self.0.retain(|(admission, connection)| {
            !admission.is_admitted() && !connection.is_finished()
        });
    }
}
