//! What stands around the turns of an agent: hooks, guards, and notes.

use std::sync::Arc;

use super::Agent;
use crate::guard::{Guard, GuardPoint};
use crate::hook::{Hook, HookChain};
use crate::note_queue::NoteQueue;
use crate::turn::{Bounds, DEFAULT_REVIEWS};

impl Agent {
    /// Adds a hook inside the existing hooks. The hook applies to this agent and not to its delegates; a
    /// [hook of the session](Self::session_hook) applies to both.
    #[must_use]
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.own_hooks.push(Arc::new(hook));
        self.rebuild_hooks()
    }

    /// Adds a hook outside of every [`hook`](Self::hook), for this agent and all its delegates.
    #[must_use]
    pub fn session_hook(mut self, hook: impl Hook + 'static) -> Self {
        self.session_hooks.push(Arc::new(hook));
        self.rebuild_hooks()
    }

    /// Adds a guard after the existing ones. It also holds in the delegates of the agent, unless it
    /// [says otherwise](Guard::holds_in_delegates).
    #[must_use]
    pub fn guard(mut self, guard: impl Guard + 'static) -> Self {
        self.guards.push(Arc::new(guard));
        self
    }

    /// Adds a shared guard after the existing ones.
    #[doc(hidden)]
    #[must_use]
    pub fn shared_guard(mut self, guard: Arc<dyn Guard>) -> Self {
        self.guards.push(guard);
        self
    }

    /// Sets the queue of notes that the model reads while it works.
    #[must_use]
    pub fn notes(mut self, notes: &NoteQueue) -> Self {
        self.notes = Some(notes.clone());
        self
    }

    /// Returns the [bounds](Self::bounds) of a turn.
    #[must_use]
    pub fn turn_bounds(&self) -> Bounds {
        self.with_reviews(self.bounds.clone())
    }

    /// Returns the bounds of a turn of this agent: replies are reviewed if a guard checks them.
    pub(crate) fn with_reviews(&self, bounds: Bounds) -> Bounds {
        let is_reviewed = self.guards.checks(GuardPoint::Reply);
        let most = self.bounds.reviews.unwrap_or(DEFAULT_REVIEWS);
        bounds.reviews(is_reviewed.then_some(most))
    }

    pub(super) fn rebuild_hooks(mut self) -> Self {
        self.hooks = self.session_hooks.with_inner(&self.own_hooks);
        self
    }

    /// Adds hooks of the session inside the existing ones.
    #[doc(hidden)]
    pub fn session_hooks(mut self, hooks: HookChain) -> Self {
        self.session_hooks.extend(hooks);
        self.rebuild_hooks()
    }
}
