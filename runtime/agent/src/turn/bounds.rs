//! How far a turn may go.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{EndReason, Totals};
use crate::journal::ReservedField;
use crate::setters::setters;
use helve_core::transcript::Cost;

/// How far a turn may go. Model calls are bounded always, so that every turn ends.
///
/// Each bound has an [`EndReason`] of its own. A call that goes beyond one is not run, and its result says so. Calls
/// that are running then are waited for, and their results are kept; only the bound on [wall time](Self::wall_time)
/// stops them.
///
/// | bound | default | a turn ends when |
/// |---|---|---|
/// | [`model_calls`](Self::new) | required | another one would be needed |
/// | [`tool_calls`](Self::tool_calls) | none | the model requests one more |
/// | [`same_tool`](Self::same_tool) | none | the model requests the same tool once more in a row |
/// | [`identical_calls`](Self::identical_calls) | 5 | the model requests the same call once more in a row |
/// | [`repeats`](Self::repeats) | 3 | so many replies in a row repeat the calls of the up to 8 replies before |
/// | [`denials`](Self::denials) | 10 | so many calls in a row were denied or rejected |
/// | [`tokens`](Self::tokens) | none | so many are used up |
/// | [`cost`](Self::cost) | none | so much is used up |
/// | [`wall_time`](Self::wall_time) | none | it is over |
///
/// How [deep](Self::depth) agents may work for each other ends no turn: a task that goes deeper is not handed over.
///
/// ```
/// use helve::agent::turn::Bounds;
///
/// let bounds = Bounds::new(20).tool_calls(100).parallel(4).identical_calls(None);
/// # let _ = bounds;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bounds {
    /// The most model calls, side steps included.
    pub model_calls: u32,
    /// The most tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
    /// The most calls of one tool in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_tool: Option<u32>,
    /// The most identical calls in a row: the same tool with the same arguments, however they are spelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identical_calls: Option<u32>,
    /// The hit in a row at which a repeating pattern ends the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<u32>,
    /// The denial in a row that ends the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denials: Option<u32>,
    /// The most tokens, input and output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The most money.
    #[serde(
        default,
        rename = "cost_micro_usd",
        skip_serializing_if = "Option::is_none"
    )]
    pub cost: Option<Cost>,
    /// The longest wall time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<u64>,
    /// The most calls that run side by side; at least one runs always.
    pub parallel: u32,
    /// How deep agents may work for each other below this turn; with 0, no task is handed over.
    #[serde(default = "default_depth", skip_serializing_if = "is_default_depth")]
    pub depth: u32,
    /// A program that reads past a bound would go beyond it.
    #[serde(default, skip_serializing)]
    pub(super) reviews: ReservedField,
    #[serde(default, skip_serializing)]
    pub(super) delegates: ReservedField,
}

const DEFAULT_DEPTH: u32 = 3;

const fn default_depth() -> u32 {
    DEFAULT_DEPTH
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_default_depth(depth: &u32) -> bool {
    *depth == DEFAULT_DEPTH
}

impl Bounds {
    /// Makes bounds of so many model calls, with what the table says for the others, and ten calls side by side.
    #[must_use]
    pub const fn new(model_calls: u32) -> Self {
        Self {
            model_calls,
            tool_calls: None,
            same_tool: None,
            identical_calls: Some(5),
            repeats: Some(3),
            denials: Some(10),
            tokens: None,
            cost: None,
            milliseconds: None,
            parallel: 10,
            depth: DEFAULT_DEPTH,
            reviews: ReservedField,
            delegates: ReservedField,
        }
    }

    setters! {
        /// Sets the most tool calls.
        tool_calls(most: impl Into<Option<u32>>) => tool_calls = most.into();

        /// Sets the most calls of one tool in a row.
        same_tool(most: impl Into<Option<u32>>) => same_tool = most.into();

        /// Sets the most identical calls in a row: the same tool with the same arguments, however they are spelled.
        identical_calls(most: impl Into<Option<u32>>) => identical_calls = most.into();

        /// Sets at which hit in a row a repeating pattern ends the turn.
        ///
        /// A reply is a hit if the calls of the last replies, it included, are the same sequence twice, of up to 8 replies:
        /// with the default of 3, the turn ends at the fourth reply that makes the same calls, or at the sixth of two that
        /// take turns. What the model says beside its calls does not matter.
        repeats(hits: impl Into<Option<u32>>) => repeats = hits.into();

        /// Sets how many calls in a row are denied or rejected when the turn ends.
        denials(in_a_row: impl Into<Option<u32>>) => denials = in_a_row.into();

        /// Sets the most tokens, input and output, those of side steps and delegates included.
        tokens(most: impl Into<Option<u64>>) => tokens = most.into();

        /// Sets the most money: what the model costs by its [`Prices`](helve_model::Prices), and what tools report.
        cost(most: impl Into<Option<Cost>>) => cost = most.into();
    }

    /// Sets the longest wall time, as the driver measures it: time in which the turn only waits for answers from
    /// outside does not count. What still runs when it is over is stopped.
    #[must_use]
    pub fn wall_time(mut self, longest: impl Into<Option<Duration>>) -> Self {
        let longest = longest.into();
        self.milliseconds =
            longest.map(|longest| u64::try_from(longest.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Sets the most calls that run side by side.
    #[must_use]
    pub const fn parallel(mut self, most: u32) -> Self {
        self.parallel = most;
        self
    }

    /// Sets how deep agents may work for each other below this turn: 3 without a word, and none with 0.
    #[must_use]
    pub const fn depth(mut self, most: u32) -> Self {
        self.depth = most;
        self
    }

    /// Returns the tighter of two bounds, one by one: what a delegate gets of its own bounds and its parent's rest.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        Self {
            model_calls: self.model_calls.min(other.model_calls),
            tool_calls: tighter(self.tool_calls, other.tool_calls),
            same_tool: tighter(self.same_tool, other.same_tool),
            identical_calls: tighter(self.identical_calls, other.identical_calls),
            repeats: tighter(self.repeats, other.repeats),
            denials: tighter(self.denials, other.denials),
            tokens: tighter(self.tokens, other.tokens),
            cost: tighter(self.cost, other.cost),
            milliseconds: tighter(self.milliseconds, other.milliseconds),
            parallel: self.parallel.min(other.parallel),
            depth: self.depth.min(other.depth),
            reviews: ReservedField,
            delegates: ReservedField,
        }
    }

    /// Returns which of the bounds that are sums is used up, if one is.
    pub(super) fn exhausted(&self, totals: &Totals) -> Option<EndReason> {
        let reaches = |most: Option<u64>, used: u64| most.is_some_and(|most| used >= most);
        if reaches(self.milliseconds, totals.milliseconds) {
            return Some(EndReason::WallTime);
        }
        if self.cost.is_some_and(|most| totals.cost >= most) {
            return Some(EndReason::Cost);
        }
        reaches(self.tokens, totals.tokens()).then_some(EndReason::Tokens)
    }
}

fn tighter<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
