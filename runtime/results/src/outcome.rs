//! The outcome of a call, whether the call ran or not.

use std::ops::Not;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::enclosure::content_label;
use helve_core::sandbox::Exit;
use helve_core::transcript::{Content, Cost, Label, Totals};

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The content that the model reads.
    pub content: Content,
    /// Whether the call failed, or never ran.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub is_error: bool,
    /// The exit of the command whose output the content is. A command that failed is no failed call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Whether the failure ends the turn.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub fatal: bool,
    /// Whether the result is that of an earlier call, from the cache.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub cached: bool,
    /// The cost of the call.
    #[serde(
        default,
        rename = "cost_micro_usd",
        skip_serializing_if = "Cost::is_zero"
    )]
    pub cost: Cost,
    /// The totals that a delegate consumed for the call; they also count in this turn.
    #[serde(default, skip_serializing_if = "Totals::is_zero")]
    pub used: Totals,
    /// The value that a delegate returned, which the content says as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Box<Value>>,
    /// The label of the text, if it differs from that of the enclosure. Journals of format 1 have no labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<Label>,
}

impl Outcome {
    /// Creates the outcome of a call that succeeded.
    #[must_use]
    pub fn ok(content: impl Into<Content>) -> Self {
        Self {
            content: content.into(),
            is_error: false,
            exit: None,
            fatal: false,
            cached: false,
            cost: Cost::ZERO,
            used: Totals::default(),
            structured: None,
            label: None,
        }
    }

    /// Creates the outcome of a call that failed.
    #[must_use]
    pub fn error(content: impl Into<Content>) -> Self {
        Self {
            is_error: true,
            ..Self::ok(content)
        }
    }

    /// Creates the outcome of a call whose failure ends the turn.
    #[must_use]
    pub fn fatal(content: impl Into<Content>) -> Self {
        Self {
            fatal: true,
            ..Self::error(content)
        }
    }

    /// Sets whether the result is that of an earlier call, from the cache.
    #[must_use]
    pub fn cached(mut self, cached: bool) -> Self {
        self.cached = cached;
        self
    }

    /// Sets the cost of the call.
    #[must_use]
    pub fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Sets the exit of the command whose output the content is.
    #[must_use]
    pub fn exit(mut self, exit: Option<Exit>) -> Self {
        self.exit = exit;
        self
    }

    /// Sets the totals that a delegate consumed for the call.
    #[must_use]
    pub fn used(mut self, totals: Totals) -> Self {
        self.used = totals;
        self
    }

    /// Sets the value that a delegate returned.
    #[must_use]
    pub fn structured(mut self, value: Option<Value>) -> Self {
        self.structured = value.map(Box::new);
        self
    }

    /// Sets the label of the text.
    #[must_use]
    pub fn with_label(mut self, label: Label) -> Self {
        // Most results have the label of the workspace, which journals omit.
        let tells = label == Label::workspace() && label == content_label(&self.content);
        self.label = (!tells).then_some(label);
        self
    }

    /// Joins a label to that of the text.
    #[must_use]
    pub fn with_joined_label(self, label: &Label) -> Self {
        if !label.is_user() {
            let label = self.label().joined(label);
            return self.with_label(label);
        }
        self
    }

    /// Returns the label of the text. If no label was recorded, the enclosure determines it.
    #[must_use]
    pub fn label(&self) -> Label {
        let recorded = self.label.clone();
        recorded.unwrap_or_else(|| content_label(&self.content))
    }
}
