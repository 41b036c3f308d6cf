//! What a record changes. Every function here checks all before it changes anything.

use super::call::{CallState, Gate, Slot};
use super::{EndReason, Outcome, Phase, Plan, Record, Stale, Turn};
use crate::model::{Reply, StopReason};
use crate::permission::{Decision, Verdict};
use crate::transcript::{ArgumentsDefect, CallKey, ToolCall};

impl Turn {
    /// Takes what happened.
    ///
    /// # Errors
    /// [`Stale`] if the record came late, twice, or out of place. The turn is then as it was before.
    pub fn apply(&mut self, record: &Record) -> Result<(), Stale> {
        let applied = match record {
            Record::ModelStarted { round, .. } => self.model_started(*round),
            Record::ModelDone { round, reply } => self.model_done(*round, reply),
            Record::ModelFailed { round, .. } => self.model_failed(*round),
            Record::Planned { call, plan } => self.planned(*call, plan),
            Record::Answered { call, decision } => self.answered(*call, decision),
            Record::Started { calls } => self.started(calls),
            Record::Finished { call, outcome } => self.finished(*call, outcome),
            Record::Interrupt => self.interrupt(),
            Record::Resumed => self.resumed(),
        };
        applied.map_err(|why| Stale::new(record, why))
    }

    fn model_started(&mut self, round: u32) -> Result<(), String> {
        if self.phase != Phase::Ready || round != self.round + 1 {
            return Err(format!(
                "the model is not to be called for round {round} now"
            ));
        }
        self.phase = Phase::Model;
        self.totals.model_calls += 1;
        // The results are in the transcript by now.
        self.calls.clear();
        Ok(())
    }

    fn model_done(&mut self, round: u32, reply: &Reply) -> Result<(), String> {
        self.check_awaited(round)?;
        self.round = round;
        self.phase = Phase::Calls;
        self.totals.usage += reply.usage;
        // A reply that was cut short or refused is no ground to act on.
        let ends = match reply.stop {
            StopReason::Cancelled => Some(EndReason::Interrupted),
            StopReason::Refusal => Some(EndReason::Refused),
            _ => None,
        };
        self.ending = self.ending.or(ends);
        for call in reply.message.calls() {
            let slot = self.admit(call);
            self.calls.push(slot);
        }
        if self.calls.is_empty() && reply.stop == StopReason::MaxTokens {
            self.ending = self.ending.or(Some(EndReason::OutputLimit));
        } else if self.calls.is_empty() {
            self.ending = self.ending.or(Some(EndReason::Finished));
        }
        self.settle();
        Ok(())
    }

    /// Makes the slot of a call that just came: open, or closed at once if it is not to be run at all.
    fn admit(&mut self, call: &ToolCall) -> Slot {
        let mut slot = Slot::new(call.clone());
        let most = self.bounds.tool_calls.unwrap_or(u32::MAX);
        let outcome = match self.ending {
            Some(reason) if reason.stops() => Some(Outcome::never_started()),
            Some(EndReason::Refused) => Some(Outcome::withdrawn()),
            _ if call.defect == Some(ArgumentsDefect::Truncated) => {
                Some(Outcome::truncated(call.arguments.chars().count()))
            }
            _ if self.totals.tool_calls >= most => {
                self.ending = Some(EndReason::ToolCalls);
                Some(Outcome::beyond(most))
            }
            _ => None,
        };
        match outcome {
            Some(outcome) => slot.state = CallState::Done(outcome),
            None => self.totals.tool_calls += 1,
        }
        slot
    }

    fn model_failed(&mut self, round: u32) -> Result<(), String> {
        self.check_awaited(round)?;
        self.phase = Phase::Over(self.ending.unwrap_or(EndReason::ModelFailed));
        Ok(())
    }

    fn check_awaited(&self, round: u32) -> Result<(), String> {
        if self.phase == Phase::Model && round == self.round + 1 {
            return Ok(());
        }
        Err(format!("no reply is awaited for round {round}"))
    }

    fn planned(&mut self, key: CallKey, plan: &Plan) -> Result<(), String> {
        let slot = self.slot_in(key, |state| *state == CallState::Unplanned)?;
        slot.exclusive = plan.exclusive;
        slot.idempotent = plan.idempotent;
        slot.state = match &plan.verdict {
            Verdict::Allow => CallState::Allowed,
            Verdict::Ask { reason, .. } => CallState::Asking {
                reason: reason.clone(),
            },
            Verdict::Deny { reason } => CallState::Done(Outcome::denied(reason)),
        };
        self.settle();
        Ok(())
    }

    fn answered(&mut self, key: CallKey, decision: &Decision) -> Result<(), String> {
        let slot = self.slot_in(key, |state| matches!(state, CallState::Asking { .. }))?;
        slot.state = match decision {
            Decision::AllowOnce { .. } | Decision::AllowAlways { .. } => CallState::Allowed,
            Decision::RejectOnce { .. }
            | Decision::RejectAlways { .. }
            | Decision::Unanswered { .. } => CallState::Done(Outcome::rejected(decision)),
        };
        self.settle();
        Ok(())
    }

    fn started(&mut self, keys: &[CallKey]) -> Result<(), String> {
        if keys.is_empty() {
            return Err("it names no call".to_owned());
        }
        let (most, running) = (self.most_parallel(), self.running());
        if running + keys.len() > most {
            return Err(format!("{running} calls are running, and {most} may"));
        }
        // One walk, since both lists are in order; what is left over may not start, or is named twice.
        let (mut gate, mut wanted) = (Gate::new(), keys.iter().peekable());
        for (index, slot) in self.calls.iter().enumerate() {
            let is_wanted = wanted.peek() == Some(&&self.key(index));
            if gate.admits(slot) && is_wanted {
                wanted.next();
            }
        }
        if let Some(key) = wanted.next() {
            return Err(format!("call {key} may not start now"));
        }
        for key in keys {
            self.calls[key.index as usize].state = CallState::Running;
        }
        Ok(())
    }

    fn finished(&mut self, key: CallKey, outcome: &Outcome) -> Result<(), String> {
        let may_finish =
            |state: &CallState| matches!(state, CallState::Unplanned | CallState::Running);
        let slot = self.slot_in(key, may_finish)?;
        slot.state = CallState::Done(outcome.clone());
        self.totals.cost += outcome.cost;
        if outcome.fatal && !self.is_stopping() {
            self.stop(EndReason::Fatal);
        }
        self.settle();
        Ok(())
    }

    fn interrupt(&mut self) -> Result<(), String> {
        if self.end().is_some() || self.is_stopping() {
            return Err("the turn is stopping, or over".to_owned());
        }
        self.stop(EndReason::Interrupted);
        if self.phase == Phase::Ready {
            self.phase = Phase::Over(EndReason::Interrupted);
        }
        self.settle();
        Ok(())
    }

    /// Lets nothing more start.
    fn stop(&mut self, reason: EndReason) {
        self.ending = Some(reason);
        for slot in &mut self.calls {
            if !slot.is_done() && slot.state != CallState::Running {
                slot.state = CallState::Done(Outcome::never_started());
            }
        }
    }

    fn resumed(&mut self) -> Result<(), String> {
        if !self.in_flight() {
            return Err("nothing was in flight".to_owned());
        }
        if self.phase == Phase::Model {
            // The call will be made again, so the one that was cut off does not count against the bound.
            self.totals.model_calls -= 1;
            self.phase = Phase::Calls;
        }
        let stopping = self.is_stopping();
        for slot in self
            .calls
            .iter_mut()
            .filter(|slot| slot.state == CallState::Running)
        {
            slot.state = match slot.idempotent && !stopping {
                true => CallState::Allowed,
                false => CallState::Done(Outcome::unknown()),
            };
        }
        self.settle();
        Ok(())
    }

    /// Goes on from the calls of a reply when all of them are done; a reply may have none.
    fn settle(&mut self) {
        if self.phase != Phase::Calls || !self.calls.iter().all(Slot::is_done) {
            return;
        }
        match self.ending {
            Some(reason) => self.phase = Phase::Over(reason),
            None => self.call_model_again(),
        }
    }

    fn slot_in(
        &mut self,
        key: CallKey,
        expected: impl Fn(&CallState) -> bool,
    ) -> Result<&mut Slot, String> {
        let Some(slot) = self.slot(key) else {
            return Err(format!("there is no call {key} now"));
        };
        if !expected(&slot.state) {
            return Err(format!("call {key} is {}", slot.state.name()));
        }
        Ok(&mut self.calls[key.index as usize])
    }
}
