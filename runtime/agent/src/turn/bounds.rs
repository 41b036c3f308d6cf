//! The bounds of a turn.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{EndReason, Totals};
use crate::setters::setters;
use helve_core::transcript::Cost;

/// The bounds of a turn. The number of model calls is always bounded, so that every turn ends.
///
/// Each bound has its own [`EndReason`]. A call that exceeds a bound is not run, and its result states the bound. Calls
/// that are running at that point are awaited, and their results are kept; only the bound on [wall
/// time](Self::wall_time) stops them.
///
/// | bound | default | a turn ends when |
/// |---|---|---|
/// | [`model_calls`](Self::new) | required | another one would be needed |
/// | [`tool_calls`](Self::tool_calls) | none | the model requests one more |
/// | [`same_tool`](Self::same_tool) | none | the model requests the same tool once more in a row |
/// | [`identical_calls`](Self::identical_calls) | 5 | the model requests the same call once more in a row |
/// | [`repeats`](Self::repeats) | 3 | this many replies in a row repeat the calls of up to 8 previous replies |
/// | [`denials`](Self::denials) | 10 | this many calls in a row were denied or rejected |
/// | [`tokens`](Self::tokens) | none | this many tokens are consumed |
/// | [`cost`](Self::cost) | none | this cost is reached |
/// | [`wall_time`](Self::wall_time) | none | this time has passed |
/// | [`reviews`](Self::reviews) | 3 with guards | guards demand another reply once more |
///
/// The maximum [depth](Self::depth) of delegation and the maximum number of [delegates](Self::delegates) do not end a
/// turn: a task that would exceed them is not delegated. The depth also bounds how often a prompt is
/// [handed off](super::HandOff).
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
    /// The maximum number of model calls, side steps included.
    pub model_calls: u32,
    /// The maximum number of tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
    /// The maximum number of calls of one tool in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_tool: Option<u32>,
    /// The maximum number of identical calls in a row: the same tool with equivalent arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identical_calls: Option<u32>,
    /// The number of hits in a row at which a repeating pattern ends the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<u32>,
    /// The number of denials in a row that ends the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denials: Option<u32>,
    /// The maximum number of tokens, input and output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The maximum cost.
    #[serde(
        default,
        rename = "cost_micro_usd",
        skip_serializing_if = "Option::is_none"
    )]
    pub cost: Option<Cost>,
    /// The maximum wall time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<u64>,
    /// The maximum number of calls that run concurrently; a value of 0 counts as 1.
    pub parallel: u32,
    /// The maximum depth of delegation below this turn; with 0, no task is delegated.
    #[serde(default = "default_depth", skip_serializing_if = "is_default_depth")]
    pub depth: u32,
    /// The maximum number of further replies that guards may demand; `None` if the last reply is not reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviews: Option<u32>,
    /// The maximum number of tasks that other agents may work on, at all depths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegates: Option<u32>,
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
    /// Creates bounds with a maximum number of model calls, the defaults of the table for the others, and ten
    /// concurrent calls.
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
            reviews: None,
            delegates: None,
        }
    }

    setters! {
        /// Sets the maximum number of tool calls.
        tool_calls(most: impl Into<Option<u32>>) => tool_calls = most.into();

        /// Sets the maximum number of calls of one tool in a row.
        same_tool(most: impl Into<Option<u32>>) => same_tool = most.into();

        /// Sets the maximum number of identical calls in a row: the same tool with equivalent arguments.
        identical_calls(most: impl Into<Option<u32>>) => identical_calls = most.into();

        /// Sets the number of hits in a row at which a repeating pattern ends the turn.
        ///
        /// A reply is a hit if the most recent replies, including this one, consist of the same sequence of calls
        /// twice; a sequence has up to 8 replies. With the default of 3, the turn ends at the fourth reply with the
        /// same calls, or at the sixth of two alternating replies. The text beside the calls is ignored.
        repeats(hits: impl Into<Option<u32>>) => repeats = hits.into();

        /// Sets the number of denied or rejected calls in a row that ends the turn.
        denials(in_a_row: impl Into<Option<u32>>) => denials = in_a_row.into();

        /// Sets the maximum number of tokens, input and output, including those of side steps and delegates.
        tokens(most: impl Into<Option<u64>>) => tokens = most.into();

        /// Sets the maximum cost: the cost of the model by its [`Prices`](helve_model::Prices), and the costs that
        /// tools report.
        cost(most: impl Into<Option<Cost>>) => cost = most.into();

        /// Sets the maximum number of further replies that [guards](crate::Guard) may demand. By default it is 3 where a
        /// guard checks replies, and no reply is reviewed otherwise.
        reviews(most: impl Into<Option<u32>>) => reviews = most.into();

        /// Sets the maximum number of tasks that other agents may work on for this turn, those that the agents delegate
        /// themselves included. By default, only the [depth](Self::depth) is bounded.
        delegates(most: impl Into<Option<u32>>) => delegates = most.into();
    }

    /// Sets the maximum wall time, as the driver measures it: time in which the turn only waits for external answers
    /// does not count. Work that still runs at that point is stopped.
    #[must_use]
    pub fn wall_time(mut self, longest: impl Into<Option<Duration>>) -> Self {
        let longest = longest.into();
        self.milliseconds =
            longest.map(|longest| u64::try_from(longest.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Sets the maximum number of calls that run concurrently.
    #[must_use]
    pub const fn parallel(mut self, most: u32) -> Self {
        self.parallel = most;
        self
    }

    /// Sets the maximum depth of delegation below this turn: 3 by default; 0 disables delegation.
    #[must_use]
    pub const fn depth(mut self, most: u32) -> Self {
        self.depth = most;
        self
    }

    /// Returns the minimum of each bound: the bounds of a delegate are its own within the remaining ones of its parent.
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
            reviews: tighter(self.reviews, other.reviews),
            delegates: tighter(self.delegates, other.delegates),
        }
    }

    /// Returns the end reason of the first exhausted bound among those on totals.
    pub(super) fn exhausted(&self, totals: &Totals) -> Option<EndReason> {
        let reaches = |most: Option<u64>, used: u64| most.is_some_and(|most| used >= most);
        if reaches(self.milliseconds, totals.milliseconds) {
            return Some(EndReason::WallTime);
        }
        let (tokens, cost) = charged(totals);
        if self.cost.is_some_and(|most| cost >= most) {
            return Some(EndReason::Cost);
        }
        reaches(self.tokens, tokens).then_some(EndReason::Tokens)
    }
}

/// Returns the tokens and the cost that count towards bounds: what was used, and what jobs were granted.
pub(super) fn charged(totals: &Totals) -> (u64, Cost) {
    let tokens = totals.tokens().saturating_add(totals.granted_tokens);
    (tokens, totals.cost + totals.granted_cost)
}

fn tighter<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
