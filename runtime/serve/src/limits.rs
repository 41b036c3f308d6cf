//! Limits on what one principal may have open at once, over all of its connections.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use helve_core::support::lock::Mutex;
use helve_core::tool::Principal;

/// The number of known principals from which on those without open connections are removed.
const CLEANUP_THRESHOLD: usize = 1_024;

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The number of calls that run at once.
    pub(super) running: usize,
    /// The number of calls that run, wait to run, or wait for input of the client.
    pub(super) calls: usize,
    /// The number of calls that are suspended until the client resumes them.
    pub(super) suspended: usize,
    /// How long the client may take to answer a request for input.
    pub(super) input_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            running: 32,
            calls: 256,
            suspended: 16,
            input_timeout: Duration::from_secs(600),
        }
    }
}

/// The counters of every principal that has a session or a call.
pub(super) struct Principals {
    limits: Limits,
    known: Mutex<HashMap<Principal, Weak<PrincipalLimits>>>,
}

impl Principals {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            known: Mutex::default(),
        }
    }

    /// Returns the counters of a principal, which all of its connections share.
    pub(super) fn get(&self, principal: &Principal) -> Arc<PrincipalLimits> {
        let mut known = self.known.lock();
        if let Some(limits) = known.get(principal).and_then(Weak::upgrade) {
            return limits;
        }
        if known.len() >= CLEANUP_THRESHOLD {
            known.retain(|_, limits| limits.strong_count() > 0);
        }
        let limits = Arc::new(PrincipalLimits::new(principal.clone(), self.limits));
        known.insert(principal.clone(), Arc::downgrade(&limits));
        limits
    }
}

pub(super) struct PrincipalLimits {
    pub(super) principal: Principal,
    /// One permit for each call that runs.
    pub(super) running: Arc<Semaphore>,
    calls: Arc<Semaphore>,
    suspended: Arc<Semaphore>,
}

impl PrincipalLimits {
    fn new(principal: Principal, limits: Limits) -> Self {
        let permits = |most: usize| Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        Self {
            principal,
            running: permits(limits.running),
            calls: permits(limits.calls),
            suspended: permits(limits.suspended),
        }
    }

    /// Counts a call; returns `None` if the principal has too many.
    pub(super) fn acquire_call(self: &Arc<Self>) -> Option<Permit> {
        self.acquire(&self.calls)
    }

    /// Counts a suspended call; returns `None` if the principal has too many.
    pub(super) fn acquire_suspended(self: &Arc<Self>) -> Option<Permit> {
        self.acquire(&self.suspended)
    }

    fn acquire(self: &Arc<Self>, permits: &Arc<Semaphore>) -> Option<Permit> {
        let permit = Arc::clone(permits).try_acquire_owned().ok()?;
        Some(Permit {
            _limits: Arc::clone(self),
            _permit: permit,
        })
    }
}

/// Counts one call until it is dropped, and keeps the counters of its principal.
pub(super) struct Permit {
    _limits: Arc<PrincipalLimits>,
    _permit: OwnedSemaphorePermit,
}
