//! Whether the skill of a schedule is in use.

use futures_util::future::BoxFuture;

/// Decides whether the schedules of skills make runs.
pub trait SkillGuard: Send + Sync {
    /// Returns why a skill is not used now, as the end of a sentence; `None` if it is in use.
    fn unused_because<'a>(&'a self, skill: &'a str) -> BoxFuture<'a, Option<String>>;

    /// Pauses a skill whose scheduled runs fail again and again.
    fn pause<'a>(&'a self, skill: &'a str, reason: &'a str) -> BoxFuture<'a, ()>;
}
