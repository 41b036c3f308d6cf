//! Detects repeated calls.

use serde::{Deserialize, Serialize};

use super::signature::{self, Signature};
use super::{Bounds, EndReason};

/// The maximum length of a pattern that is detected, in replies.
const MAX_PATTERN_REPLIES: usize = 8;

/// The history of the calls so far. It consists of hashes, so that its size is bounded however long the turn is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RepetitionGuard {
    /// The signatures of the calls of the most recent replies, one for each reply, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    replies: Vec<u64>,
    /// The number of replies in a row that ended a pattern.
    hits: u32,
    last: Signature,
    /// The number of identical calls in a row, up to the last call.
    identical: u32,
    /// The number of calls of the same tool in a row, up to the last call.
    same_tool: u32,
    /// The number of calls in a row that were denied.
    pub(super) denials: u32,
}

impl RepetitionGuard {
    /// Adds the calls of a reply, and returns an end reason if the replies repeat too often.
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

    /// Reports whether the most recent replies consist of the same sequence twice.
    fn is_repeating(&self) -> bool {
        let newest_first = || self.replies.iter().rev();
        (1..=self.replies.len() / 2).any(|period| {
            let before = newest_first().skip(period);
            newest_first().zip(before).take(period).all(|(a, b)| a == b)
        })
    }

    /// Adds a call that the model requests, and returns an end reason if it exceeds a bound on calls in a row.
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
