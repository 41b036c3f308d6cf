//! Applies the records that end or interrupt work.

use super::call::{Cause, SlotState};
use super::{Applied, EndReason, Execution, Phase, Turn, not_run};

impl Turn {
    pub(super) fn apply_interrupt(&mut self) -> Applied {
        if self.end().is_some() || self.is_stopping() {
            return Err("the turn is stopping, or over".to_owned());
        }
        self.end_with(EndReason::Interrupted);
        Ok(())
    }

    pub(super) fn apply_elapsed(&mut self, milliseconds: u64) -> Applied {
        self.check_open()?;
        self.totals.milliseconds = self.totals.milliseconds.saturating_add(milliseconds);
        let most = self.bounds.milliseconds;
        let is_over = most.is_some_and(|most| self.totals.milliseconds >= most);
        if is_over && !self.is_stopping() {
            self.end_with(EndReason::WallTime);
        }
        Ok(())
    }

    /// Ends the turn as soon as all work in flight is finished.
    fn end_with(&mut self, reason: EndReason) {
        self.stop(reason);
        if matches!(self.phase, Phase::Ready | Phase::Closing) {
            self.phase = Phase::Over(reason);
        }
        self.settle();
    }

    /// Prevents further starts. If the reason stops work in flight, submitted calls are not awaited either.
    pub(super) fn stop(&mut self, reason: EndReason) {
        self.ending = Some(reason);
        for slot in &mut self.calls {
            let outcome = match slot.state {
                SlotState::Submitted if reason.stops() => not_run::withdrawn(),
                SlotState::Done { .. } | SlotState::Running | SlotState::Submitted => continue,
                // The call was started before a crash and could run again, but now it will not.
                SlotState::Allowed if slot.began => not_run::unknown_effect(),
                _ => not_run::not_started(reason, &self.bounds),
            };
            slot.close(outcome, Cause::Closed);
        }
    }

    pub(super) fn apply_resumed(&mut self) -> Applied {
        if !self.in_flight() {
            return Err("nothing was in flight".to_owned());
        }
        if let Phase::Model(_) = self.phase {
            self.discard_model_call();
        }
        let stopping = self.is_stopping();
        for slot in self.calls.iter_mut().filter(|slot| slot.is_running()) {
            // The turn of a delegate has its own records, and continues where they end.
            let is_delegated = matches!(slot.execution, Execution::Delegate { .. });
            if !stopping && (slot.idempotent || is_delegated) {
                slot.state = SlotState::Allowed;
            } else {
                slot.close(not_run::unknown_effect(), Cause::Reported);
            }
        }
        self.settle();
        Ok(())
    }

    /// Discards the interrupted model call. The call will be repeated, so the interrupted one does not count towards
    /// the bound.
    fn discard_model_call(&mut self) {
        self.totals.model_calls -= 1;
        match self.ending {
            Some(reason) => self.phase = Phase::Over(reason),
            None => self.call_model_again(),
        }
    }

    /// Continues after the calls of a reply when all of them are done. A reply may have no calls.
    pub(super) fn settle(&mut self) {
        if self.phase != Phase::Calls || !self.calls.iter().all(super::CallSlot::is_done) {
            return;
        }
        self.guard.denials = self.denied_in_a_row();
        let denials = self.bounds.denials;
        let denied = denials.is_some_and(|most| self.guard.denials >= most.max(1));
        let denied = denied.then_some(EndReason::Denials);
        match self.ending.or(denied) {
            Some(EndReason::Finished) => self.settle_last_reply(),
            Some(reason) => self.phase = Phase::Over(reason),
            None => self.call_model_again(),
        }
    }
}
