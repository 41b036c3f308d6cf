//! Waiting for the next event.

use futures_util::StreamExt as _;
use tokio::time::Instant;

use super::driver_event::{DriverEvent, RareEvent};
use super::report::TurnStatus;
use super::round_calls::QuestionState;
use super::state::{Driver, RareState};

use crate::spec::WaitMode;
use crate::turn::{CallState, Record};

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Waits for the next event and puts it into `next`; `None` if the turn can only continue after an answer or a
    /// result is posted.
    pub(super) async fn wait_for_event(&mut self, next: &mut Option<DriverEvent>) {
        self.clock.measure(self.turn);
        *next = None;
        if let Some(event) = self.pop_event() {
            *next = Some(event);
            return;
        }
        let awaits_others = self.awaits_external_input();
        let is_idle =
            self.in_flight.is_empty() && (awaits_others || self.calls.suspended().next().is_some());
        if is_idle && self.clock.wait_mode == WaitMode::Return {
            // An answer may have been posted in the meantime.
            let posted = self.take_posted_records().await;
            *next = (!posted.is_empty()).then_some(DriverEvent::Records(posted));
            return;
        }
        // Most work is done when it is polled first.
        self.in_flight.poll_once(next).await;
        if next.is_none() {
            // The future is boxed, since it holds timers.
            *next = Box::pin(self.select_event(awaits_others)).await;
        }
    }

    /// Watches the postings, for what others do or for what stops the turn at work; `None` watches nothing.
    fn watch_changes(&mut self, awaits_others: Option<bool>) {
        let Some(awaits_others) = awaits_others else {
            if let Some(rare) = &mut self.rare {
                rare.changes = None;
            }
            return;
        };
        let rare = self.rare.get_or_insert_default();
        if !matches!(&rare.changes, Some((of_others, _)) if *of_others == awaits_others) {
            let changes = match awaits_others {
                true => self.recorder.watch(),
                false => self.recorder.watch_at_work(),
            };
            rare.changes = Some((awaits_others, changes));
        }
    }

    /// Waits for the first of all events.
    async fn select_event(&mut self, awaits_others: bool) -> Option<DriverEvent> {
        let deadline = self.clock.deadline(self.turn);
        let is_busy = awaits_others || !self.in_flight.is_empty();
        let takes_held = self.held_accesses.is_open() && is_busy;
        // Another process may stop the turn of the session while it works.
        let watches = awaits_others || self.may_be_stopped();
        self.watch_changes(watches.then_some(awaits_others));
        tokio::select! {
            biased;
            Some(event) = self.in_flight.next() => Some(event),
            () = self.context.lazy_cancellation().cancelled(), if !self.clock.is_interrupted => {
                self.clock.interrupt();
                Some(DriverEvent::Record(Record::Interrupt))
            }
            () = sleep_until(deadline), if deadline.is_some() => {
                Some(DriverEvent::Records(self.clock.take_elapsed(self.turn).into_iter().collect()))
            }
            Some(held) = self.held_accesses.next(), if takes_held => {
                Some(DriverEvent::Rare(RareEvent::AccessHeld(Box::new(held))))
            }
            () = next_change(&mut self.rare), if watches => {
                Some(DriverEvent::Rare(RareEvent::ReadPostings))
            }
            () = self.recorder.lease_lost(), if is_busy && self.recorder.is_recording() => {
                Some(DriverEvent::Rare(RareEvent::LeaseLost))
            }
            // Without this branch, a turn that waits for nothing would block forever. A valid turn does not get here.
            else => {
                self.clock.interrupt().then_some(DriverEvent::Record(Record::Interrupt))
            }
        }
    }

    /// Returns the first event that was not handled yet; an interrupt comes first.
    fn pop_event(&mut self) -> Option<DriverEvent> {
        if self.is_interrupt_due() {
            self.clock.interrupt();
            return Some(DriverEvent::Record(Record::Interrupt));
        }
        self.in_flight.pop_pending()
    }

    /// Reports whether the turn is to be interrupted, and no record says so yet.
    pub(super) fn is_interrupt_due(&self) -> bool {
        !self.clock.is_interrupted && self.context.is_cancelled()
    }

    /// Reports whether the turn waits for answers or results from outside the process.
    fn awaits_external_input(&self) -> bool {
        let question = |key| self.calls.get(key)?.question.as_ref();
        let is_awaited = |key| match self.turn.state(key) {
            Some(CallState::Asking) => match question(key) {
                Some(QuestionState::Deferred) => true,
                // Another process may post the answer.
                Some(QuestionState::Asked(_)) => self.recorder.is_recording(),
                None => false,
            },
            state => state == Some(CallState::Submitted),
        };
        let asks_about_access = self.recorder.is_recording() && !self.open_accesses.is_empty();
        asks_about_access || self.turn.calls().any(|(key, _)| is_awaited(key))
    }

    /// Reports whether another process may stop the turn.
    fn may_be_stopped(&self) -> bool {
        let is_root = self.turn.origin().parent_call.is_none();
        is_root && self.recorder.is_recording() && !self.clock.is_interrupted
    }

    pub(super) fn waiting_status(&self) -> TurnStatus {
        let origin = self.turn.origin();
        let in_state = |wanted| {
            let calls = self.turn.calls().map(|(key, _)| key);
            let calls = calls.filter(move |key| self.turn.state(*key) == Some(wanted));
            calls.map(|key| origin.call_address(key))
        };
        let suspended = || self.calls.suspended();
        TurnStatus::Waiting {
            approvals: in_state(CallState::Asking)
                .chain(suspended().flat_map(|delegate| delegate.approvals.clone()))
                .collect(),
            external: in_state(CallState::Submitted)
                .chain(suspended().flat_map(|delegate| delegate.external.clone()))
                .collect(),
        }
    }
}

/// Waits until something may have been posted.
async fn next_change(rare: &mut Option<Box<RareState>>) {
    let notice = match rare.as_mut().and_then(|rare| rare.changes.as_mut()) {
        Some((_, changes)) => changes.next().await,
        None => None,
    };
    if notice.is_none() {
        std::future::pending().await
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
