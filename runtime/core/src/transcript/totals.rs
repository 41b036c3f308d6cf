//! What a turn has used up.

use serde::{Deserialize, Serialize};

use super::{Cost, Usage};

/// What a turn has used up, its delegates included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Totals {
    /// The model calls, side steps included. One that a crash cut off does not count: it will be made again.
    pub model_calls: u32,
    /// The tool calls that were let through to permission.
    pub tool_calls: u32,
    /// The tokens.
    pub usage: Usage,
    /// What the model and the tools cost.
    #[serde(rename = "cost_micro_usd")]
    pub cost: Cost,
    /// The wall time in milliseconds, as the driver measured it; a delegate's is a part of it.
    #[serde(default)]
    pub milliseconds: u64,
}

impl Totals {
    /// Returns the tokens, input and output.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let Usage {
            input_tokens,
            output_tokens,
            ..
        } = self.usage;
        input_tokens.saturating_add(output_tokens)
    }

    /// Returns whether nothing was used up.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what a delegate used up. Its time ran while this turn's did.
    #[doc(hidden)]
    pub fn add_delegate(&mut self, other: &Self) {
        self.model_calls = self.model_calls.saturating_add(other.model_calls);
        self.tool_calls = self.tool_calls.saturating_add(other.tool_calls);
        self.usage += other.usage;
        self.cost += other.cost;
    }
}
