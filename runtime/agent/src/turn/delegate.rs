//! The bounds that the delegates of a turn receive.

use super::call::{CallSlot, StartOrder};
use super::{Bounds, Execution, Totals, Turn};
use helve_core::transcript::{Cost, Usage};

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
        self.delegable_bounds()
            .share(before, sharing.count().max(1))
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

impl Bounds {
    fn subtract(&self, used: &Totals) -> Self {
        let (tool_calls, cost) = (self.tool_calls, self.cost.map(Cost::micros));
        let cost = cost.map(|most| most.saturating_sub(used.cost.micros()));
        let time = self.milliseconds;
        Self {
            model_calls: self.model_calls.saturating_sub(used.model_calls),
            tool_calls: tool_calls.map(|most| most.saturating_sub(used.tool_calls)),
            tokens: self.tokens.map(|most| most.saturating_sub(used.tokens())),
            cost: cost.map(Cost::from_micros),
            milliseconds: time.map(|most| most.saturating_sub(used.milliseconds)),
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
            ..self.clone()
        }
    }

    fn is_exhausted(&self) -> bool {
        self.model_calls == 0
            || self.tokens == Some(0)
            || self.cost.is_some_and(|cost| cost.is_zero())
    }
}
