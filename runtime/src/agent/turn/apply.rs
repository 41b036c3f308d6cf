//! What a record changes. Every function checks all before it changes anything.

use super::call::{Asked, Cause, State};
use super::{Outcome, Plan, Record, Stale, Turn, not_run};
use crate::agent::exposure::ExposedTools;
use crate::permission::{Decision, Rule, Verdict};
use crate::transcript::CallKey;

impl Turn {
    /// Takes what happened.
    ///
    /// # Errors
    /// [`Stale`] if the record came late, twice, or out of place. The turn is then as it was before.
    pub fn apply(&mut self, record: &Record) -> Result<(), Stale> {
        let applied = match record {
            Record::Wanted { purpose } => self.wanted(*purpose),
            Record::ModelStarted { round, purpose } => self.model_started(*round, *purpose),
            Record::ModelDone {
                round,
                purpose,
                cost,
                reply,
            } => self.model_done(*round, *purpose, *cost, reply),
            Record::ModelFailed { round, purpose, .. } => self.model_failed(*round, *purpose),
            Record::Planned { call, plan } => self.planned(*call, plan),
            Record::Asked { calls } => self.asked(calls),
            Record::Answered { call, decision } => self.answered(*call, decision),
            Record::Started { calls } => self.started(calls),
            Record::Submitted { calls } => self.submitted(calls),
            Record::Finished { call, outcome } => self.finished(*call, outcome),
            Record::ConnectionAsked {
                call, host, port, ..
            } => self.connection_asked(*call, host, *port),
            Record::ConnectionAnswered {
                call,
                host,
                port,
                decision,
            } => self.connection_answered(*call, host, *port, decision),
            Record::Offered { offered } => self.offer(offered),
            Record::Compacted { round, kept, .. } => self.compacted(*round, kept),
            Record::NotCompacted { round, .. } => self.not_compacted(*round),
            Record::Elapsed { milliseconds } => self.elapsed(*milliseconds),
            Record::Interrupt => self.interrupt(),
            Record::Resumed => self.resumed(),
        };
        applied.map_err(|why| Stale::new(record, why))
    }

    fn planned(&mut self, key: CallKey, plan: &Plan) -> Result<(), String> {
        let index = self.place_in(key, |state| *state == State::Unplanned)?;
        let is_earlier = |call: CallKey| call.round == key.round && call.index < key.index;
        if let Some(cover) = plan.covered_by.iter().find(|cover| !is_earlier(cover.call)) {
            return Err(format!("call {} does not come before {key}", cover.call));
        }
        let slot = &mut self.calls[index];
        slot.exclusive = plan.exclusive;
        // A call that only says what it would do leaves nothing to do twice.
        slot.idempotent = plan.idempotent || plan.dry_run;
        slot.dry_run = plan.dry_run;
        slot.execution = plan.execution.clone();
        if let Some(arguments) = &plan.arguments {
            slot.call.arguments = arguments.clone();
        }
        match &plan.verdict {
            Verdict::Allow => slot.state = State::Allowed,
            Verdict::Ask {
                reason,
                safety,
                suggestions,
            } => {
                slot.state = State::Asking(Box::new(Asked {
                    reason: reason.clone(),
                    safety: *safety,
                    suggestions: suggestions.clone(),
                    covered_by: plan.covered_by.clone(),
                    out: false,
                }));
            }
            Verdict::Deny { reason } => slot.close(not_run::denied(reason), Cause::Denied),
        }
        self.settle();
        Ok(())
    }

    fn offer(&mut self, offered: &ExposedTools) -> Result<(), String> {
        if self.end().is_some() {
            return Err("the turn is over".to_owned());
        }
        self.offered = Some(offered.clone());
        Ok(())
    }

    fn answered(&mut self, key: CallKey, decision: &Decision) -> Result<(), String> {
        let is_out = |state: &State| matches!(state, State::Asking(asked) if asked.out);
        let index = self.place_in(key, is_out)?;
        self.decide(index, decision);
        if let Decision::AllowAlways { rules, .. } | Decision::RejectAlways { rules, .. } = decision
        {
            for index in self.covered(key, rules) {
                self.decide(index, decision);
            }
        }
        self.settle();
        Ok(())
    }

    /// Lists the places of the calls that an answer to a question about an earlier one settles.
    fn covered(&self, key: CallKey, rules: &[Rule]) -> Vec<usize> {
        let settles = |asked: &Asked| {
            let mut covers = asked.covered_by.iter().filter(|cover| cover.call == key);
            !asked.safety && covers.any(|cover| cover.rules.iter().any(|rule| rules.contains(rule)))
        };
        let slots = self.calls.iter().enumerate();
        let settled = slots.filter_map(|(index, slot)| match &slot.state {
            State::Asking(asked) if settles(asked) => Some(index),
            _ => None,
        });
        settled.collect()
    }

    fn decide(&mut self, index: usize, decision: &Decision) {
        let slot = &mut self.calls[index];
        if decision.is_allowed() {
            slot.note = decision.message().map(Box::from);
            slot.approved = true;
            slot.state = State::Allowed;
        } else {
            slot.close(not_run::rejected(decision), Cause::Denied);
        }
    }

    fn finished(&mut self, key: CallKey, outcome: &Outcome) -> Result<(), String> {
        let index = self.place_in(key, |state| {
            matches!(state, State::Unplanned | State::Running | State::Submitted)
        })?;
        self.label.join(&outcome.label());
        self.calls[index].close(outcome.clone(), Cause::Reported);
        self.totals.cost += outcome.cost;
        self.totals.add_delegate(&outcome.used);
        if outcome.fatal && !self.is_stopping() {
            self.stop(super::EndReason::Fatal);
        } else if self.ending.is_none()
            && let Some(reason) = self.bounds.used_up(&self.totals)
        {
            self.stop(reason);
        }
        self.settle();
        Ok(())
    }

    /// Returns the place of a call that is in a state in which something can happen to it.
    fn place_in(&self, key: CallKey, expected: impl Fn(&State) -> bool) -> Result<usize, String> {
        let Some(slot) = self.slot(key) else {
            return Err(format!("there is no call {key} now"));
        };
        if !expected(&slot.state) {
            let state = super::CallState::from(&slot.state).name();
            return Err(format!("call {key} is {state}"));
        }
        Ok(key.index as usize)
    }
}
