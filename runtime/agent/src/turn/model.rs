//! Applies the records of model calls.

use super::call::{CallSlot, Cause};
use super::messages::shortened_message;
use super::signature::Signature;
use super::{Applied, EndReason, Phase, Purpose, Turn, not_run};
use helve_core::transcript::{ArgumentsDefect, AssistantMessage, Cost, ToolCall};
use helve_model::{Reply, StopReason};

impl Turn {
    /// Returns whether a side step can be requested now: before a reply, each purpose once, and only if the bound on
    /// model calls leaves a call for the reply itself.
    #[must_use]
    pub fn may_want(&self, purpose: Purpose) -> bool {
        self.check_wanted(purpose).is_ok()
    }

    fn check_wanted(&self, purpose: Purpose) -> Applied {
        if self.phase != Phase::Ready {
            return Err("no reply is expected now".to_owned());
        }
        let known = self.wanted.contains(&purpose) || self.made.contains(&purpose);
        if purpose == Purpose::Reply || known {
            let name = purpose.name();
            return Err(format!("{name} is not a pending side step"));
        }
        let made = self.totals.model_calls as usize + self.wanted.len();
        if made + 1 >= self.bounds.model_calls as usize {
            return Err("the remaining model calls are needed for the reply".to_owned());
        }
        Ok(())
    }

    pub(super) fn apply_wanted(&mut self, purpose: Purpose) -> Applied {
        self.check_wanted(purpose)?;
        self.wanted.push(purpose);
        Ok(())
    }

    pub(super) fn apply_model_started(&mut self, round: u32, purpose: Purpose) -> Applied {
        let next = self.wanted.first().copied().unwrap_or_default();
        if self.phase != Phase::Ready || round != self.round + 1 || purpose != next {
            let purpose = purpose.name();
            return Err(format!(
                "the model is not to be called for round {round} and {purpose} now"
            ));
        }
        self.phase = Phase::Model(purpose);
        self.totals.model_calls += 1;
        if purpose == Purpose::Reply {
            // The results are already in the transcript.
            self.calls.clear();
        }
        Ok(())
    }

    pub(super) fn apply_model_done(
        &mut self,
        round: u32,
        purpose: Purpose,
        cost: Cost,
        reply: &Reply,
    ) -> Applied {
        self.check_awaited(round, purpose)?;
        self.totals.usage += reply.usage;
        self.totals.cost += cost;
        if reply.stop == StopReason::Cancelled {
            self.ending = self.ending.or(Some(EndReason::Interrupted));
        }
        if purpose != Purpose::Reply {
            self.finish_side_step(purpose);
            return Ok(());
        }
        self.compactions.set_usage(reply.usage);
        self.round = round;
        self.phase = Phase::Calls;
        self.wanted.clear();
        self.made.clear();
        let shortened = shortened_message(reply);
        let refused = (reply.stop == StopReason::Refusal).then_some(EndReason::Refused);
        // A reply that was cut short or refused must not be acted upon.
        self.ending = self.ending.or(refused);
        self.admit_all(shortened.as_ref().unwrap_or(&reply.message));
        if self.calls.is_empty() {
            let ending = match reply.stop {
                // The provider has to continue the reply.
                StopReason::PauseTurn => None,
                StopReason::MaxTokens | StopReason::ContextWindow => Some(EndReason::OutputLimit),
                _ => Some(EndReason::Finished),
            };
            self.ending = self.ending.or(ending);
        }
        self.settle();
        Ok(())
    }

    /// Continues after a side step, whatever its result.
    fn finish_side_step(&mut self, purpose: Purpose) {
        self.wanted.retain(|wanted| *wanted != purpose);
        self.made.push(purpose);
        match self.ending {
            Some(reason) => self.phase = Phase::Over(reason),
            None => self.call_model_again(),
        }
    }

    pub(super) fn apply_model_failed(&mut self, round: u32, purpose: Purpose) -> Applied {
        self.check_awaited(round, purpose)?;
        if purpose == Purpose::Reply {
            self.phase = Phase::Over(self.ending.unwrap_or(EndReason::ModelFailed));
        } else {
            self.finish_side_step(purpose);
        }
        Ok(())
    }

    fn check_awaited(&self, round: u32, purpose: Purpose) -> Applied {
        if self.phase == Phase::Model(purpose) && round == self.round + 1 {
            return Ok(());
        }
        let purpose = purpose.name();
        Err(format!(
            "no reply is awaited for round {round} and {purpose}"
        ))
    }

    /// Creates the slots of the calls of a reply.
    fn admit_all(&mut self, message: &AssistantMessage) {
        let mut calls = message.calls();
        match (calls.next(), calls.next()) {
            (None, _) => {}
            // Most replies contain one call, for which no list is allocated.
            (Some(call), None) => self.admit_signed(message, &[Signature::new(call)]),
            _ => {
                let signatures: Vec<_> = message.calls().map(Signature::new).collect();
                self.admit_signed(message, &signatures);
            }
        }
    }

    fn admit_signed(&mut self, message: &AssistantMessage, signatures: &[Signature]) {
        let repeating = self.guard.check_reply(signatures, &self.bounds);
        let used_up = self.bounds.exhausted(&self.totals);
        self.ending = self.ending.or(used_up).or(repeating);
        self.calls.reserve_exact(signatures.len());
        for (call, &signature) in message.calls().zip(signatures) {
            let slot = self.admit(call, signature);
            self.calls.push(slot);
        }
    }

    /// Creates the slot of a call: open, or closed at once if the call must not run.
    fn admit(&mut self, call: &ToolCall, signature: Signature) -> CallSlot {
        let mut slot = CallSlot::new(call.clone());
        let too_many = self.guard.check_call(signature, &self.bounds);
        let truncated = call.defect == Some(ArgumentsDefect::Truncated);
        if self.ending.is_none() {
            let most = self.bounds.tool_calls.filter(|_| !truncated);
            let spent = most.is_some_and(|most| self.totals.tool_calls >= most);
            self.ending = spent.then_some(EndReason::ToolCalls).or(too_many);
        }
        let outcome = match self.ending {
            Some(reason) => not_run::not_started(reason, &self.bounds),
            None if truncated => not_run::truncated(call.arguments.chars().count()),
            None => {
                self.totals.tool_calls += 1;
                return slot;
            }
        };
        slot.close(outcome, Cause::Closed);
        slot
    }
}
