//! The loop of the driver.

use std::mem::take;
use std::sync::Arc;

use super::planning::UnplannedCalls;
use super::report::{TurnReport, TurnStatus};
use super::state::{Driver, Recorded, Unrecorded};
use crate::EventKind;
use crate::turn::{Bounds, EndReason, Step, Steps};
use helve_core::transcript::{Message, NoteSource};

enum StepOutcome {
    /// A step was performed, so that more steps may be possible.
    Advanced,
    /// The driver has to wait.
    Idle,
    Ended(EndReason),
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Drives the turn until it is over, waits for an answer or a result from outside the process, or cannot be recorded.
    pub(super) async fn run(&mut self) -> TurnStatus {
        // A resumed turn may run calls that another process planned.
        self.apply_label();
        self.restore_plan_approval();
        let is_prompt = self.turn.round() == 0 && !self.is_handed_off();
        if let Some(notes) = self.agent.notes.as_ref().filter(|_| is_prompt) {
            notes.begin_turn(self.turn.origin());
        }
        // Answers that were posted before this process drove the turn come before its questions are asked again.
        let posted = self.take_posted_records().await;
        if !posted.is_empty() && Box::pin(self.record(posted)).await.is_err() {
            return TurnStatus::Unrecorded;
        }
        // All events use one place, since an event is large.
        let mut next = None;
        loop {
            match self.step().await {
                Ok(StepOutcome::Ended(reason)) => return TurnStatus::Ended(reason),
                Ok(StepOutcome::Advanced) => continue,
                Ok(StepOutcome::Idle) => {}
                Err(Unrecorded) => return TurnStatus::Unrecorded,
            }
            self.wait_for_event(&mut next).await;
            let Some(event) = &mut next else {
                return self.waiting_status();
            };
            if self.handle(event).await.is_err() {
                return TurnStatus::Unrecorded;
            }
        }
    }

    /// Reports whether the turn goes on with a prompt that another agent handed off: its last message is the brief.
    fn is_handed_off(&self) -> bool {
        let last = self.request.messages.last();
        matches!(last, Some(Message::Note(note)) if note.source == NoteSource::Agent)
    }

    /// Ends the driving, and returns the report of the turn.
    pub(super) fn report(&mut self, status: TurnStatus) -> TurnReport {
        match &status {
            // The end of a recorded turn has its event when it is recorded.
            TurnStatus::Ended(_) if self.recorder.is_recording() => {}
            TurnStatus::Ended(reason) => self.events.emit(EventKind::End {
                reason: *reason,
                error: self.error.clone(),
            }),
            TurnStatus::Waiting {
                approvals,
                external,
            } => self.events.emit(EventKind::Waiting {
                approvals: approvals.clone(),
                external: external.clone(),
            }),
            TurnStatus::Unrecorded => {}
        }
        self.release_gate();
        // No work outlives the driver.
        self.in_flight.clear();
        TurnReport {
            status,
            error: self.error.take(),
            totals: *self.turn.totals(),
            label: self.turn.label().clone(),
            approved_mode: self.approved_mode,
            hand_off: self.turn.hand_off().map(Box::new),
            messages: take(&mut Arc::make_mut(&mut self.request).messages),
        }
    }

    async fn step(&mut self) -> Recorded<StepOutcome> {
        let mut progress = StepOutcome::Idle;
        let mut unplanned = UnplannedCalls::new();
        let mut steps = Steps::default();
        self.turn.push_steps(&mut steps);
        for step in steps.iter_mut() {
            let did = match step {
                Step::End { reason } => return Ok(StepOutcome::Ended(*reason)),
                Step::Plan { call } => {
                    unplanned.extend(self.take_unplanned(*call));
                    false
                }
                // The interrupt is recorded first; the model is not called for nothing.
                Step::CallModel { .. } if self.is_interrupt_due() => false,
                Step::CallModel { .. } if self.review_prompt() => false,
                Step::CallModel { round, purpose } => self.call_model(*round, *purpose).await?,
                Step::Review { round } => {
                    self.review_reply(*round);
                    false
                }
                Step::Ask { calls } => Box::pin(self.ask(take(calls))).await?,
                Step::AwaitAnswers { calls } => self.ask_again(take(calls)),
                Step::Run { calls } => self.start_calls(take(calls)).await?,
                Step::Delegate {
                    call,
                    agent,
                    bounds,
                } => Box::pin(self.delegate(*call, agent, Bounds::clone(bounds))).await?,
                Step::Submit { calls } => Box::pin(self.submit_calls(take(calls))).await?,
                Step::StopModel => {
                    self.stop_model.token().cancel();
                    false
                }
                Step::Stop { .. } => {
                    // Calls that start later get a new token.
                    if let Some(stop) = self.stop_calls.take() {
                        stop.token().cancel();
                    }
                    false
                }
                Step::AwaitExternal { calls } => {
                    self.run_submitted(take(calls));
                    false
                }
                Step::Wait => false,
            };
            if did {
                progress = StepOutcome::Advanced;
            }
        }
        self.plan_calls(unplanned);
        Ok(progress)
    }
}
