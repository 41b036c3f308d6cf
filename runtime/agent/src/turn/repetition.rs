//! The detection of repeated calls.

use serde::{Deserialize, Serialize};

use super::signature::{self, Signature};
use super::{Bounds, EndReason};

/// The longest pattern that is looked for, in replies.
const MAX_PATTERN_REPLIES: usize = 8;

/// What is remembered of the calls so far: numbers, so that it stays small however long the turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RepetitionGuard {
    /// The calls of the last replies, a signature a reply, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    replies: Vec<u64>,
    /// How many replies in a row ended a pattern.
    hits: u32,
    last: Signature,
    /// How often the last call was made in a row.
    identical: u32,
    /// How often its tool was called in a row.
    same_tool: u32,
    /// How many calls in a row were denied.
    pub(super) denials: u32,
}

impl RepetitionGuard {
    /// Takes the calls of a reply, and says whether the replies repeat themselves too often.
    pub(super) fn check_reply(
        &mut self,
        calls: &[Signature],
        bounds: &Bounds,
    ) -> Option<EndReason> {
        if self.replies.len() == 2 * MAX_PATTERN_REPLIES {
            self.replies.remove(0);
        }
        self.replies.push(signature::combine(calls));
        self.hits = if self.is_repeating() {
            self.hits.saturating_add(1)
        } else {
            0
        };
        let is_over = bounds.repeats.is_some_and(|most| self.hits >= most.max(1));
        is_over.then_some(EndReason::Repeating)
    }

    /// Whether the last replies are a sequence twice.
    fn is_repeating(&self) -> bool {
        let newest_first = || self.replies.iter().rev();
        (1..=self.replies.len() / 2).any(|period| {
            let before = newest_first().skip(period);
            newest_first().zip(before).take(period).all(|(a, b)| a == b)
        })
    }

    /// Takes a call that the model requests, and returns whether it is one too many in a row.
    pub(super) fn check_call(&mut self, call: Signature, bounds: &Bounds) -> Option<EndReason> {
        let again = |is_same: bool, count: u32| if is_same { count.saturating_add(1) } else { 1 };
        self.identical = again(self.last == call, self.identical);
        self.same_tool = again(self.last.tool == call.tool, self.same_tool);
        self.last = call;
        let exceeds = |count: u32, most: Option<u32>| most.is_some_and(|most| count > most);
        if exceeds(self.identical, bounds.identical_calls) {
            return Some(EndReason::IdenticalCalls);
        }
        exceeds(self.same_tool, bounds.same_tool).then_some(EndReason::SameTool)
    }
}
