//! The permit to execute a tool: it orders exclusive tools, and limits the number of tools that run at once.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, OwnedSemaphorePermit};

use crate::session::Session;

/// How long a call waits behind a suspended call, which the client may never resume.
const SUSPENDED_HOLDER_TIMEOUT: Duration = Duration::from_secs(30);

/// The permit to execute a tool until it is dropped.
pub(super) struct ExecutionPermit {
    _lock: ExecutionGuard,
    _running: Option<OwnedSemaphorePermit>,
}

/// A guard of the execution lock of a session.
enum ExecutionGuard {
    /// Tools that run beside others hold the lock together.
    Shared { _guard: OwnedRwLockReadGuard<()> },
    /// A tool that runs alone holds the lock by itself.
    Exclusive { _guard: OwnedRwLockWriteGuard<()> },
}

impl ExecutionPermit {
    /// Waits until a call may execute; returns `None` if a suspended call holds the lock for too long.
    pub(super) async fn acquire(session: &Session, is_exclusive: bool) -> Option<Self> {
        let guard = match ExecutionGuard::try_acquire(session, is_exclusive) {
            Some(guard) => guard,
            // Boxed, as a call rarely waits.
            None => Box::pin(Self::wait_for_guard(session, is_exclusive)).await?,
        };
        // The semaphore is never closed, so that this does not fail.
        let running = Arc::clone(&session.limits.running).acquire_owned().await;
        Some(Self {
            _lock: guard,
            _running: running.ok(),
        })
    }

    async fn wait_for_guard(session: &Session, is_exclusive: bool) -> Option<ExecutionGuard> {
        tokio::select! {
            guard = ExecutionGuard::acquire(session, is_exclusive) => Some(guard),
            () = wait_for_suspended_holder(session) => None,
        }
    }
}

impl ExecutionGuard {
    fn try_acquire(session: &Session, is_exclusive: bool) -> Option<Self> {
        let lock = Arc::clone(&session.execution_lock);
        if is_exclusive {
            let guard = lock.try_write_owned().ok()?;
            Some(Self::Exclusive { _guard: guard })
        } else {
            let guard = lock.try_read_owned().ok()?;
            Some(Self::Shared { _guard: guard })
        }
    }

    async fn acquire(session: &Session, is_exclusive: bool) -> Self {
        let lock = Arc::clone(&session.execution_lock);
        if is_exclusive {
            Self::Exclusive {
                _guard: lock.write_owned().await,
            }
        } else {
            Self::Shared {
                _guard: lock.read_owned().await,
            }
        }
    }
}

/// Waits until the timeout has passed and a suspended call holds the lock.
async fn wait_for_suspended_holder(session: &Session) {
    loop {
        tokio::time::sleep(SUSPENDED_HOLDER_TIMEOUT).await;
        if session.suspended_holders.load(Ordering::Relaxed) > 0 {
            return;
        }
    }
}
