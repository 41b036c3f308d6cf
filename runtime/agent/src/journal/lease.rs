//! The lease of a writer: the epoch in which it writes, and the signal that another writer has taken over.

use tokio_util::sync::CancellationToken;

/// The lease with which a writer holds a session: its epoch, and the signal of its loss.
///
/// Each opening of a session for writing has a higher epoch than all earlier ones. A writer that is stopped for longer
/// than its lease lasts can lose it: another writer takes over in the next epoch, and every later write of the first
/// one is refused.
///
/// ```
/// use helve::agent::session::Lease;
///
/// let lease = Lease::new(3);
/// assert!(lease.epoch() == 3 && !lease.is_lost());
/// lease.mark_lost();
/// assert!(lease.clone().is_lost());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Lease {
    epoch: u64,
    lost: CancellationToken,
}

impl Lease {
    /// Creates a lease in an epoch. The clones of a lease are lost together.
    #[must_use]
    pub fn new(epoch: u64) -> Self {
        Self {
            epoch,
            lost: CancellationToken::new(),
        }
    }

    /// Returns the epoch, from 1; 0 for the lease of a store that counts no epochs.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Reports whether another writer has taken over.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.is_cancelled()
    }

    /// Waits until another writer has taken over; forever, if none does.
    pub async fn lost(&self) {
        self.lost.cancelled().await;
    }

    /// Signals that another writer has taken over. A store calls this when it finds out.
    pub fn mark_lost(&self) {
        self.lost.cancel();
    }
}
