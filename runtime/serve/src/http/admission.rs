//! Tracks which connections have sent a request that passed the access check. The others are closed first if there are too
//! many connections.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::task::AbortHandle;

/// Whether a request of one connection has passed the access check; an extension of its requests.
#[derive(Debug, Clone, Default)]
pub(super) struct Admission(Arc<AtomicBool>);

impl Admission {
    /// Records that a request has passed the access check.
    pub(super) fn admit(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_admitted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The connections without an admitted request, the oldest first.
///
/// Without this, a client that opens connections and sends nothing, or only requests that are refused, could occupy all
/// connections until the timeout of the request head.
#[derive(Debug, Default)]
pub(super) struct Unadmitted(VecDeque<(Admission, AbortHandle)>);

impl Unadmitted {
    pub(super) fn push(&mut self, admission: Admission, connection: AbortHandle) {
        self.remove_admitted();
        self.0.push_back((admission, connection));
    }

    /// Closes the oldest connection; returns whether there was one.
    pub(super) fn close_oldest(&mut self) -> bool {
        self.remove_admitted();
        let oldest = self.0.pop_front();
        if let Some((_, connection)) = &oldest {
            tracing::debug!(
                "a connection without an admitted request is closed in favour of a new one"
            );
            connection.abort();
        }
        oldest.is_some()
    }

    fn remove_admitted(&mut self) {
        self.0.retain(|(admission, connection)| {
            !admission.is_admitted() && !connection.is_finished()
        });
    }
}
