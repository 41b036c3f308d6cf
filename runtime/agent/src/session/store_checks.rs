//! Checks that any store of sessions has to pass.

mod entries;
mod leases;
mod postings;
mod session_steps;
mod watching;

use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use session_steps::{Checked, ExpireLeases};

use super::SessionStore;

/// Tests whether a store of sessions does what [`SessionStore`] describes.
///
/// Each check gets a new store from the closure. Run the checks in a test of the store:
///
/// ```
/// use helve::agent::session::{MemoryStore, StoreChecks};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::session::StoreCheckFailures> {
/// let checks = StoreChecks::new(MemoryStore::new).expire_leases(MemoryStore::expire_leases);
/// checks.run().await?;
/// # Ok(())
/// # }
/// ```
pub struct StoreChecks<S> {
    new_store: Box<dyn Fn() -> S + Send + Sync>,
    expire: Option<ExpireLeases<S>>,
}

/// A check, which gets a new store, and what ends its leases.
type Check<S> = for<'c> fn(&'c S, Option<&'c ExpireLeases<S>>) -> BoxFuture<'c, Checked>;

/// The checks that a store failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store fails {} checks:{}", failures.len(), render_failures(failures))]
#[non_exhaustive]
pub struct StoreCheckFailures {
    /// The checks, in order.
    pub failures: Vec<StoreCheckFailure>,
}

/// A check that a store failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreCheckFailure {
    /// The name of the check.
    pub check: &'static str,
    /// What was expected, and what the store did.
    pub reason: String,
}

impl<S> fmt::Debug for StoreChecks<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expires = self.expire.is_some();
        let mut debug = f.debug_struct("StoreChecks");
        debug.field("expires_leases", &expires);
        debug.finish_non_exhaustive()
    }
}

impl<S: SessionStore> StoreChecks<S> {
    /// Creates the checks of a store; the closure returns a new, empty store each time.
    pub fn new(new_store: impl Fn() -> S + Send + Sync + 'static) -> Self {
        Self {
            new_store: Box::new(new_store),
            expire: None,
        }
    }

    /// Also checks that a lease which has expired is lost to the next writer. The closure ends the leases of a store, as
    /// if their holders had been stopped for longer than the leases last.
    #[must_use]
    pub fn expire_leases(mut self, expire: impl Fn(&S) + Send + Sync + 'static) -> Self {
        self.expire = Some(Box::new(expire));
        self
    }

    /// Runs all checks, also after one has failed.
    ///
    /// # Errors
    /// The store fails some of the checks.
    ///
    /// # Panics
    /// If the closure that returns a store panics, or the store does.
    pub async fn run(&self) -> Result<(), StoreCheckFailures> {
        let mut failures = Vec::new();
        for (check, run) in Self::checks() {
            let store = (self.new_store)();
            if let Err(reason) = run(&store, self.expire.as_ref()).await {
                failures.push(StoreCheckFailure { check, reason });
            }
        }
        match failures.is_empty() {
            true => Ok(()),
            false => Err(StoreCheckFailures { failures }),
        }
    }

    fn checks() -> [(&'static str, Check<S>); 16] {
        [
            ("entries_are_read_back", |store, _| {
                entries::read_back(store).boxed()
            }),
            ("entries_are_read_in_pages", |store, _| {
                entries::pages(store).boxed()
            }),
            ("nothing_is_written_of_no_entries", |store, _| {
                entries::empty(store).boxed()
            }),
            ("a_session_is_created_once", |store, _| {
                entries::created_once(store).boxed()
            }),
            ("unknown_sessions_are_refused", |store, _| {
                entries::unknown(store).boxed()
            }),
            ("sessions_are_listed", |store, _| {
                entries::list(store).boxed()
            }),
            ("a_session_is_removed", |store, _| {
                entries::remove(store).boxed()
            }),
            ("one_writer_holds_a_session", |store, _| {
                leases::one_writer(store).boxed()
            }),
            ("one_of_many_openings_succeeds", |store, _| {
                leases::race(store).boxed()
            }),
            ("epochs_rise", |store, _| leases::epochs(store).boxed()),
            ("an_expired_lease_is_lost", |store, expire| {
                leases::takeover(store, expire).boxed()
            }),
            ("postings_are_stored", |store, _| {
                postings::stored(store).boxed()
            }),
            ("a_pending_posting_is_not_replaced", |store, _| {
                postings::pending(store).boxed()
            }),
            ("receipts_are_kept", |store, _| {
                postings::receipts(store).boxed()
            }),
            ("changes_are_noticed", |store, _| {
                watching::noticed(store).boxed()
            }),
            ("other_sessions_are_watched", |store, _| {
                watching::all(store).boxed()
            }),
        ]
    }
}

fn render_failures(failures: &[StoreCheckFailure]) -> String {
    let line = |failure: &StoreCheckFailure| format!("\n  {}: {}", failure.check, failure.reason);
    failures.iter().map(line).collect()
}
