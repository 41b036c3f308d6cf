//! What a turn knows of the compactions of its conversation.

use serde::{Deserialize, Serialize};

use crate::compaction::RetainedFacts;
use crate::journal::is_default;
use helve_core::transcript::Usage;

/// The fill of the context, and the results of the compactions of a turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CompactionState {
    /// The round before which the last compaction succeeded or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) settled: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kept: Option<Box<RetainedFacts>>,
    /// The number of failures since the last successful compaction.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) failed: u32,
    /// The first round in which a compaction may be tried again.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) again: u32,
    /// The tokens of the last reply and its request; 0 if they are unknown, or after a compaction.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) tokens: u64,
}

impl CompactionState {
    pub(super) fn set_usage(&mut self, usage: Usage) {
        self.tokens = usage.input_tokens.saturating_add(usage.output_tokens);
    }
}
