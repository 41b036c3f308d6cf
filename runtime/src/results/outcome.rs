//! What came of a call, whether it ran or not.

use serde::{Deserialize, Serialize};

use super::enclosure::content_label;
use crate::transcript::{Content, Cost, Label, Totals};

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// What the model reads.
    pub content: Content,
    /// Whether the call failed, or never ran.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
    /// Whether the failure ends the turn.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fatal: bool,
    /// Whether it is the result of an earlier call, which nothing has changed since.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cached: bool,
    /// What the call cost.
    #[serde(
        default,
        rename = "cost_micro_usd",
        skip_serializing_if = "Cost::is_zero"
    )]
    pub cost: Cost,
    /// What a delegate used up for the call; it counts in this turn too.
    #[serde(default, skip_serializing_if = "Totals::is_zero")]
    pub used: Totals,
    /// Where the text came from, where the text does not tell it. Journals of format 1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<Label>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Outcome {
    /// Makes the outcome of a call that succeeded.
    #[must_use]
    pub fn ok(content: impl Into<Content>) -> Self {
        Self {
            content: content.into(),
            is_error: false,
            fatal: false,
            cached: false,
            cost: Cost::ZERO,
            used: Totals::default(),
            label: None,
        }
    }

    /// Makes the outcome of a call that failed.
    #[must_use]
    pub fn error(content: impl Into<Content>) -> Self {
        Self {
            is_error: true,
            ..Self::ok(content)
        }
    }

    /// Makes the outcome of a call whose failure ends the turn.
    #[must_use]
    pub fn fatal(content: impl Into<Content>) -> Self {
        Self {
            fatal: true,
            ..Self::error(content)
        }
    }

    /// Says whether it is the result of an earlier call.
    #[must_use]
    pub fn cached(mut self, cached: bool) -> Self {
        self.cached = cached;
        self
    }

    /// Sets what the call cost.
    #[must_use]
    pub fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Sets what a delegate used up for the call.
    #[must_use]
    pub fn used(mut self, totals: Totals) -> Self {
        self.used = totals;
        self
    }

    /// Sets where the text came from.
    #[must_use]
    pub fn labelled(mut self, label: Label) -> Self {
        // Most results are of the workspace, and their journal says it by saying nothing.
        let tells = label == Label::workspace() && label == content_label(&self.content);
        self.label = (!tells).then_some(label);
        self
    }

    /// Adds a label to that of the text.
    #[must_use]
    pub fn joined(self, label: &Label) -> Self {
        if !label.is_user() {
            let label = self.label().joined(label);
            return self.labelled(label);
        }
        self
    }

    /// Returns where the text came from. Of an outcome that was recorded without a label the enclosure tells it.
    #[must_use]
    pub fn label(&self) -> Label {
        let recorded = self.label.clone();
        recorded.unwrap_or_else(|| content_label(&self.content))
    }
}
