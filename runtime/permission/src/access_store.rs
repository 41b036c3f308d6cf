//! Where the accesses that a user allowed for all sessions are stored.

use futures_util::future::BoxFuture;

use helve_core::sandbox::BlockedAccess;

/// Stores the accesses of sandboxed commands that a user allowed for all sessions.
pub trait AccessStore: Send + Sync {
    /// Stores an access.
    ///
    /// # Errors
    ///
    /// The reason why later sessions will not allow the access: it was not stored, or another setting overrides it.
    fn save<'a>(&'a self, access: &'a BlockedAccess) -> BoxFuture<'a, Result<(), String>>;
}
