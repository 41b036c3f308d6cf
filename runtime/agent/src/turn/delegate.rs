//! The bounds that the delegates of a turn receive.

use super::bounds::charged;
use super::call::{CallSlot, StartOrder};
use super::{Bounds, Execution, Outcome, Totals, Turn};
use helve_core::transcript::{CallKey, Cost, Usage};

impl Turn {
    /// Returns the remaining bounds, without those that were granted to running delegates.
    #[must_use]
    pub fn remaining(&self) -> Bounds {
        let granted = self.calls.iter().filter_map(|slot| slot.granted.as_deref());
        let rest = self.bounds.subtract(&self.totals);
        granted.fold(rest, |rest, granted| rest.subtract(&granted.most_used()))
    }

    /// Iterates over the indices of the calls that may be started, submitted or delegated now, in order.
    pub(super) fn ready_calls(&self) -> impl Iterator<Item = usize> + Clone {
        let mut gate = StartOrder::new();
        let calls = self.calls.iter().enumerate();
        // If a delegate was granted all remaining bounds, the next one waits for what it leaves.
        let is_granted = |slot: &CallSlot| slot.granted.is_some();
        let waits = self.calls.iter().any(is_granted) && self.delegable_bounds().is_exhausted();
        calls.filter_map(move |(index, slot)| {
            let is_admitted = gate.admits(slot);
            let may_go = !waits || !self.is_delegation(index) || is_granted(slot);
            (is_admitted && may_go).then_some(index)
        })
    }

    /// Returns the maximum bounds of the delegate for a call, if all calls that are ready started together. A delegate
    /// that a crash interrupted keeps its bounds.
    pub(super) fn delegate_bounds(&self, index: usize) -> Bounds {
        if let Some(granted) = &self.calls[index].granted {
            return Bounds::clone(granted);
        }
        let is_new = |at: &usize| self.is_delegation(*at) && self.calls[*at].granted.is_none();
        let sharing = self.ready_calls().filter(is_new);
        let before = sharing.clone().filter(|&other| other < index).count();
        let whole = self.delegable_bounds();
        // Each delegate counts itself, and those that it may have share what is left.
        let starting = sharing.count().max(1);
        let starting = match whole.delegates {
            Some(left) => starting.min(left as usize).max(1),
            None => starting,
        };
        if before >= starting || whole.delegates == Some(0) {
            return Bounds {
                model_calls: 0,
                delegates: whole.delegates.and(Some(0)),
                ..whole
            };
        }
        let starts = u32::try_from(starting).unwrap_or(u32::MAX);
        let delegates = whole.delegates.map(|left| left.saturating_sub(starts));
        Bounds { delegates, ..whole }.share(before, starting)
    }

    /// Counts the delegate of a call, if delegates are bounded and the delegate has anything to work with.
    pub(super) fn count_delegate(&mut self, granted: &Bounds) {
        if self.bounds.delegates.is_some() && granted.exhausted_bound().is_none() {
            self.totals.delegates = self.totals.delegates.saturating_add(1);
        }
    }

    /// Takes back the count of a delegate that never worked, such as one that does not exist.
    pub(super) fn uncount_delegate(&mut self, index: usize, outcome: &Outcome) {
        let granted = self.calls[index].granted.as_deref();
        let was_counted = granted.is_some_and(|granted| granted.exhausted_bound().is_none());
        let worked = !outcome.is_error || !outcome.used.is_zero();
        if was_counted && self.bounds.delegates.is_some() && !worked {
            self.totals.delegates = self.totals.delegates.saturating_sub(1);
        }
    }

    /// Reports whether a call may start now.
    pub(crate) fn may_start(&self, key: CallKey) -> bool {
        self.ready_calls().any(|index| self.key(index) == key)
    }

    /// Returns the reason why no other agent can work for this turn, if it has nothing left to give.
    pub(crate) fn refused_delegate(&self, granted: &Bounds) -> Option<String> {
        let bound = granted.exhausted_bound()?;
        let is_spent = self
            .bounds
            .delegates
            .is_some_and(|most| self.totals.delegates >= most);
        let bound = if is_spent { "delegated tasks" } else { bound };
        Some(format!(
            "nothing of the bound on {bound} is left for another agent: do the task yourself"
        ))
    }

    pub(super) fn is_delegation(&self, index: usize) -> bool {
        matches!(self.calls[index].execution, Execution::Delegate { .. })
    }

    /// Returns the bounds that delegates can receive: all remaining ones except for the model call that reads their
    /// results.
    fn delegable_bounds(&self) -> Bounds {
        let rest = self.remaining();
        Bounds {
            model_calls: rest.model_calls.saturating_sub(1),
            ..rest
        }
    }
}

/// Adds the usage of a delegate. Its wall time is not added, because it overlaps with that of the turn.
pub(crate) fn add_delegate(totals: &mut Totals, used: &Totals) {
    totals.model_calls = totals.model_calls.saturating_add(used.model_calls);
    totals.tool_calls = totals.tool_calls.saturating_add(used.tool_calls);
    totals.usage += used.usage;
    totals.cost += used.cost;
    totals.delegates = totals.delegates.saturating_add(used.delegates);
    totals.granted_tokens = totals.granted_tokens.saturating_add(used.granted_tokens);
    totals.granted_cost += used.granted_cost;
}

impl Bounds {
    /// Returns what is left of these bounds after something was used up.
    pub(crate) fn subtract(&self, used: &Totals) -> Self {
        let (tool_calls, time) = (self.tool_calls, self.milliseconds);
        let (tokens, spent) = charged(used);
        let cost = self.cost.map(Cost::micros);
        let cost = cost.map(|most| most.saturating_sub(spent.micros()));
        Self {
            model_calls: self.model_calls.saturating_sub(used.model_calls),
            tool_calls: tool_calls.map(|most| most.saturating_sub(used.tool_calls)),
            tokens: self.tokens.map(|most| most.saturating_sub(tokens)),
            cost: cost.map(Cost::from_micros),
            milliseconds: time.map(|most| most.saturating_sub(used.milliseconds)),
            delegates: (self.delegates).map(|most| most.saturating_sub(used.delegates)),
            ..self.clone()
        }
    }

    /// Returns the maximum totals that another turn may consume within these bounds. Time is not included, because it
    /// passes for all turns alike.
    fn most_used(&self) -> Totals {
        let mut used = Totals::default();
        used.model_calls = self.model_calls;
        used.tool_calls = self.tool_calls.unwrap_or_default();
        used.usage = Usage::new(self.tokens.unwrap_or_default(), 0);
        used.cost = self.cost.unwrap_or_default();
        used.delegates = self.delegates.unwrap_or_default();
        used
    }

    /// Returns one of `shares` equal shares; the first shares get the remainder of the division.
    fn share(&self, place: usize, shares: usize) -> Self {
        let (place, shares) = (place as u64, shares as u64);
        let of = |whole: u64| whole / shares + u64::from(place < whole % shares);
        let of_few = |whole: u32| u32::try_from(of(whole.into())).unwrap_or(whole);
        Self {
            model_calls: of_few(self.model_calls),
            tool_calls: self.tool_calls.map(of_few),
            tokens: self.tokens.map(of),
            cost: self.cost.map(|cost| Cost::from_micros(of(cost.micros()))),
            delegates: self.delegates.map(of_few),
            ..self.clone()
        }
    }

    /// Reports whether delegates have to wait for what others leave.
    fn is_exhausted(&self) -> bool {
        self.delegates == Some(0) || self.exhausted_bound().is_some()
    }

    /// Returns the bound of which nothing is left, so that a turn within these bounds could do nothing.
    pub(crate) fn exhausted_bound(&self) -> Option<&'static str> {
        if self.model_calls == 0 {
            Some("model calls")
        } else if self.tokens == Some(0) {
            Some("tokens")
        } else if self.cost.is_some_and(|cost| cost.is_zero()) {
            Some("cost")
        } else {
            (self.milliseconds == Some(0)).then_some("wall time")
        }
    }
}
