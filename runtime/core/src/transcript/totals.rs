//! The resource usage of a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cost, Usage};

/// The resource usage of a turn, including its delegates.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::{Totals, Usage};
///
/// let mut totals = Totals::default();
/// totals.usage = Usage::new(100, 20);
/// assert_eq!(totals.tokens(), 120);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Totals {
    /// The number of model calls, including side steps. A call that a crash interrupted does not count, since it is
    /// repeated.
    pub model_calls: u32,
    /// The number of tool calls that were passed to the permission check.
    pub tool_calls: u32,
    /// The tokens.
    pub usage: Usage,
    /// The cost of the model and of the tools.
    #[serde(rename = "cost_micro_usd")]
    pub cost: Cost,
    /// The wall time in milliseconds, as measured by the driver; it includes the time of delegates.
    #[serde(default)]
    pub milliseconds: u64,
    /// The number of tasks that other agents worked on; counted only where it is bounded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delegates: u32,
    /// The tokens that background jobs were granted; they count towards the bounds, whether or not the jobs use them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub granted_tokens: u64,
    /// The cost that background jobs were granted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub granted_cost: Cost,
}

impl Totals {
    /// Returns the number of input and output tokens.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let (input, output) = (self.usage.input_tokens, self.usage.output_tokens);
        input.saturating_add(output)
    }

    /// Returns whether all totals are zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}
