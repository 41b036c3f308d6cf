//! The guards of an agent, and how they are asked.

use std::sync::Arc;

use super::{Guard, GuardInput, GuardPoint};
use crate::turn::Review;
use helve_permission::call::catch_panics;

/// The guards of an agent, in their order.
#[derive(Clone, Default)]
pub(crate) struct Guards(Vec<Arc<dyn Guard>>);

impl Guards {
    pub(crate) fn push(&mut self, guard: Arc<dyn Guard>) {
        self.0.push(guard);
    }

    /// Returns the guards of a caller that hold in its delegates, followed by these.
    pub(crate) fn within(&self, caller: &Self) -> Self {
        let held = caller.0.iter().filter(|guard| guard.holds_in_delegates());
        Self(held.chain(&self.0).cloned().collect())
    }

    /// Returns all guards of the agent of a session, followed by these.
    pub(crate) fn after(&self, root: &Self) -> Self {
        Self(root.0.iter().chain(&self.0).cloned().collect())
    }

    /// Reports whether a guard checks texts at a point.
    pub(crate) fn checks(&self, point: GuardPoint) -> bool {
        self.0.iter().any(|guard| guard.checks(point))
    }

    /// Returns the names of the guards of a point, separated by commas.
    pub(crate) fn names(&self, point: GuardPoint) -> String {
        let names = self.0.iter().filter(|guard| guard.checks(point));
        let names: Vec<&str> = names.map(|guard| guard.name()).collect();
        names.join(", ")
    }

    /// Checks a text. Returns what guards have to say besides that it passes, each with its name: any number of
    /// replacements, then at most one other review.
    pub(crate) async fn review(&self, input: GuardInput<'_>) -> Vec<(String, Review)> {
        let mut reviews = Vec::new();
        let mut replaced: Option<String> = None;
        for guard in self.0.iter().filter(|guard| guard.checks(input.point)) {
            let text = replaced.as_deref().unwrap_or(input.text);
            let review = ask(&**guard, &GuardInput { text, ..input }).await;
            let by = guard.name().to_owned();
            match &review {
                Review::Pass => {}
                Review::Replace { text } => {
                    replaced = Some(text.clone());
                    reviews.push((by, review));
                }
                Review::Again { .. } | Review::Block { .. } => {
                    reviews.push((by, review));
                    break;
                }
            }
        }
        reviews
    }
}

/// Asks a guard; a failure blocks.
async fn ask(guard: &dyn Guard, input: &GuardInput<'_>) -> Review {
    let limit = guard.time_limit();
    let asking = catch_panics("it", async { guard.check(input).await });
    let why = match tokio::time::timeout(limit, asking).await {
        Ok(Ok(Ok(review))) => return review,
        Ok(Ok(Err(error))) => helve_core::tool::chain_text(&*error),
        Ok(Err(panic)) => panic,
        Err(_) => format!("it did not finish within {limit:?}"),
    };
    tracing::warn!(guard = guard.name(), why, "a guard failed, and blocks");
    Review::block(format!("the guard `{}` failed: {why}", guard.name()))
}
