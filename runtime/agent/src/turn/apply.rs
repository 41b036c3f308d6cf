//! Applies records to a turn. Every function validates the record completely before it changes anything.

use super::call::{Cause, OpenQuestion, SlotState};
use super::delegate::add_delegate;
use super::{Applied, CallQuestion, Outcome, Plan, Record, StaleRecord, Turn, not_run};
use crate::exposure::ExposedTools;
use helve_core::transcript::CallKey;
use helve_permission::{Decision, Rule, Verdict};

impl Turn {
    /// Applies a record.
    ///
    /// # Errors
    /// [`StaleRecord`] if the record is late, a duplicate, or out of order. The turn is then unchanged.
    pub fn apply(&mut self, record: &Record) -> Result<(), StaleRecord> {
        let applied = match record {
            Record::Wanted { purpose } => self.apply_wanted(*purpose),
            Record::ModelStarted { round, purpose } => self.apply_model_started(*round, *purpose),
            Record::ModelDone {
                round,
                purpose,
                cost,
                reply,
            } => self.apply_model_done(*round, *purpose, *cost, reply),
            Record::ModelFailed { round, purpose, .. } => self.apply_model_failed(*round, *purpose),
            Record::Planned { call, plan } => self.apply_planned(*call, plan),
            Record::Asked { calls } => self.apply_asked(calls),
            Record::Answered { call, decision } => self.apply_answered(*call, decision),
            Record::Edited { call, plan } => self.apply_edited(*call, plan),
            Record::Started { calls } => self.apply_started(calls),
            Record::Submitted { calls } => self.apply_submitted(calls),
            Record::Finished { call, outcome } => self.apply_finished(*call, outcome),
            Record::ConnectionAsked {
                call,
                host,
                port,
                unlisted,
                ..
            } => self.apply_connection_asked(*call, host, *port, *unlisted),
            Record::ConnectionAnswered {
                call,
                host,
                port,
                decision,
            } => self.apply_connection_answered(*call, host, *port, decision),
            Record::FolderAsked { call, folder, .. } => self.apply_folder_asked(*call, folder),
            Record::FolderAnswered {
                call,
                folder,
                decision,
            } => self.apply_folder_answered(*call, folder, decision),
            Record::Offered { offered } => self.apply_offered(offered),
            Record::Compacted { round, kept, .. } => self.apply_compacted(*round, kept),
            Record::NotCompacted { round, .. } => self.apply_not_compacted(*round),
            Record::Noted { notes } => self.apply_noted(notes),
            Record::Reviewed {
                round,
                by,
                review,
                used,
            } => self.apply_reviewed(*round, by, review, used.as_deref()),
            Record::Elapsed { milliseconds } => self.apply_elapsed(*milliseconds),
            Record::Interrupt => self.apply_interrupt(),
            Record::Resumed => self.apply_resumed(),
        };
        self.release_notes();
        applied.map_err(|why| StaleRecord::new(record, why))
    }

    fn apply_planned(&mut self, key: CallKey, plan: &Plan) -> Applied {
        let index = self.slot_index_in(key, |state| *state == SlotState::Unplanned)?;
        let is_earlier = |call: CallKey| call.round == key.round && call.index < key.index;
        if let Some(cover) = plan.covered_by.iter().find(|cover| !is_earlier(cover.call)) {
            return Err(format!("call {} does not come before {key}", cover.call));
        }
        self.set_plan(index, plan);
        Ok(())
    }

    /// Applies the plan of a call whose arguments the approver changed. Its question is asked again if the plan asks.
    fn apply_edited(&mut self, key: CallKey, plan: &Plan) -> Applied {
        let is_out = |state: &SlotState| matches!(state, SlotState::Asking(asked) if asked.out);
        let index = self.slot_index_in(key, is_out)?;
        if plan.arguments.is_none() || !plan.covered_by.is_empty() {
            return Err("the plan of an edited call has arguments, and no cover".to_owned());
        }
        self.calls[index].edited = true;
        self.set_plan(index, plan);
        Ok(())
    }

    fn set_plan(&mut self, index: usize, plan: &Plan) {
        let key = self.key(index);
        let slot = &mut self.calls[index];
        slot.exclusive = plan.exclusive;
        // A dry run has no effect that could be repeated.
        slot.idempotent = plan.idempotent || plan.dry_run;
        slot.dry_run = plan.dry_run;
        slot.execution = plan.execution.clone();
        if let Some(arguments) = &plan.arguments {
            slot.call.arguments = arguments.clone();
        }
        match &plan.verdict {
            Verdict::Allow => slot.state = SlotState::Allowed,
            Verdict::Ask {
                reason,
                safety,
                suggestions,
            } => {
                let question = CallQuestion {
                    call: key,
                    reason: reason.clone(),
                    safety: *safety,
                    suggestions: suggestions.clone(),
                };
                slot.state = SlotState::Asking(Box::new(OpenQuestion {
                    question,
                    covered_by: plan.covered_by.clone(),
                    out: false,
                }));
            }
            Verdict::Deny { reason } => slot.close(not_run::denied(reason), Cause::Denied),
        }
        self.settle();
    }

    fn apply_offered(&mut self, offered: &ExposedTools) -> Applied {
        self.check_open()?;
        self.offered = Some(offered.clone());
        Ok(())
    }

    fn apply_answered(&mut self, key: CallKey, decision: &Decision) -> Applied {
        let is_out = |state: &SlotState| matches!(state, SlotState::Asking(asked) if asked.out);
        let index = self.slot_index_in(key, is_out)?;
        self.decide(index, decision);
        if let Decision::AllowAlways { rules, .. } | Decision::RejectAlways { rules, .. } = decision
        {
            for index in self.covered_slots(key, rules) {
                self.decide(index, decision);
            }
        }
        self.settle();
        Ok(())
    }

    /// Lists the indices of the calls that the answer to a question about an earlier call settles.
    fn covered_slots(&self, key: CallKey, rules: &[Rule]) -> Vec<usize> {
        let settles = |asked: &OpenQuestion| {
            let mut covers = asked.covered_by.iter().filter(|cover| cover.call == key);
            !asked.question.safety
                && covers.any(|cover| cover.rules.iter().any(|rule| rules.contains(rule)))
        };
        let slots = self.calls.iter().enumerate();
        let settled = slots.filter_map(|(index, slot)| match &slot.state {
            SlotState::Asking(asked) if settles(asked) => Some(index),
            _ => None,
        });
        settled.collect()
    }

    fn decide(&mut self, index: usize, decision: &Decision) {
        let slot = &mut self.calls[index];
        if decision.is_allowed() {
            slot.note = decision.message().map(Box::from);
            slot.approved = true;
            slot.state = SlotState::Allowed;
        } else {
            slot.close(not_run::rejected(decision), Cause::Denied);
        }
    }

    fn apply_finished(&mut self, key: CallKey, outcome: &Outcome) -> Applied {
        use SlotState::{Running, Submitted, Unplanned};
        let may_finish = |state: &SlotState| matches!(state, Unplanned | Running | Submitted);
        let index = self.slot_index_in(key, may_finish)?;
        self.label.join(&outcome.label());
        self.uncount_delegate(index, outcome);
        self.calls[index].close(outcome.clone(), Cause::Reported);
        self.totals.cost += outcome.cost;
        add_delegate(&mut self.totals, &outcome.used);
        if outcome.fatal && !self.is_stopping() {
            self.stop(super::EndReason::Fatal);
        } else if self.ending.is_none()
            && let Some(reason) = self.bounds.exhausted(&self.totals)
        {
            self.stop(reason);
        } else if self.ending.is_none() && self.is_handed_off_by(index) {
            self.stop(super::EndReason::HandedOff);
        }
        self.settle();
        Ok(())
    }

    /// Returns the index of a call, if the call is in a state that allows the event.
    fn slot_index_in(
        &self,
        key: CallKey,
        expected: impl Fn(&SlotState) -> bool,
    ) -> Result<usize, String> {
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
