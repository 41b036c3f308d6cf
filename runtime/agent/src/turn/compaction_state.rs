//! The state of the compactions of a turn.

use serde::{Deserialize, Serialize};

use crate::compaction::RetainedFacts;
use helve_core::transcript::Usage;

/// The fill of the context, and the results of the compactions of a turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CompactionState {
    /// The round before which the last compaction succeeded or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) settled: Option<u32>,
    /// What the last successful compaction kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kept: Option<Box<RetainedFacts>>,
    /// The number of failures since the last successful compaction.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) failed: u32,
    /// The first round in which a compaction may be tried again.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) again: u32,
    /// The tokens of the last reply and its request; 0 if they are unknown, or after a compaction.
    #[serde(skip_serializing_if = "is_zero_tokens")]
    pub(super) tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero_tokens(tokens: &u64) -> bool {
    *tokens == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl CompactionState {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn set_usage(&mut self, usage: Usage) {
        self.tokens = usage.input_tokens.saturating_add(usage.output_tokens);
    }
}
