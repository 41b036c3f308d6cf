//! Waiting for what happens next.

use std::collections::VecDeque;
use std::pin::pin;
use std::slice::from_mut;
use std::time::Duration;

use tokio::time::Instant;

use super::connections::HeldConnection;
use super::in_flight::InFlight;
use super::round_calls::Asked;
use super::{Driver, TurnReport, TurnStatus, Unrecorded};
use crate::agent::spec::Patience;
use crate::agent::turn::{CallState, Record};
use crate::call::Judged;
use crate::permission::Decision;
use crate::transcript::CallKey;

/// How often a turn looks whether an answer or a result was handed in.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// What happened. It is large, so that it is taken in where it lies.
pub(super) enum Happening {
    /// This.
    Recorded(Record),
    /// All of this, perhaps nothing.
    AllRecorded(Vec<Record>),
    /// Calls were looked at.
    Planned(Vec<Record>, Vec<(CallKey, Box<Judged>)>),
    /// The model replied, or failed to, after so long a silence.
    Replied(Record, Option<Duration>),
    /// Something that few turns meet.
    Rare(RareHappening),
}

/// What happens in few turns.
pub(super) enum RareHappening {
    /// A question was put off: its answer comes another way.
    Deferred(CallKey),
    /// A delegate's turn is over, or waits for somebody elsewhere.
    Returned(CallKey, Box<TurnReport>),
    /// A command wants to connect to a host.
    Held(Box<HeldConnection>),
    /// Whether it may is known.
    ConnectionDecided(Box<HeldConnection>, Decision),
    /// It is time to see whether something was handed in.
    Look,
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Waits for what happens next, and puts it into `next`; `None` where the turn can only go on once an answer or a
    /// result is handed in.
    pub(super) async fn wait(&mut self, next: &mut Option<Happening>) {
        // The time is told only where it has a bound.
        let is_bounded = self.turn.bounds().milliseconds.is_some();
        self.stopwatch.set(is_bounded && self.turn.in_flight());
        *next = self.happened_already();
        if next.is_some() {
            return;
        }
        let awaits_others = self.awaits_others();
        let is_idle =
            self.working.is_empty() && (awaits_others || self.calls.parked().next().is_some());
        if is_idle && self.patience == Patience::Leave {
            // What was handed in meanwhile still counts.
            let posted = self.posted().await;
            *next = (!posted.is_empty()).then_some(Happening::AllRecorded(posted));
            return;
        }
        // Before anything else is waited for: most work is done when it is polled first.
        self.working.poll_once(next).await;
        if next.is_none() {
            // In a box of its own, with its timers.
            *next = Box::pin(self.next_of_all(awaits_others)).await;
        }
    }

    /// Waits for whatever happens first.
    async fn next_of_all(&mut self, awaits_others: bool) -> Option<Happening> {
        let time_is_up = self.time_is_up();
        let takes_held = self.held.is_open() && (awaits_others || !self.working.is_empty());
        tokio::select! {
            biased;
            Some(happening) = self.working.next() => Some(happening),
            () = self.context.lazy_cancellation().cancelled(), if !self.interrupted => {
                self.interrupted = true;
                Some(Happening::Recorded(Record::Interrupt))
            }
            () = sleep_until(time_is_up), if time_is_up.is_some() => {
                Some(Happening::AllRecorded(self.elapsed().into_iter().collect()))
            }
            Some(held) = self.held.next(), if takes_held => {
                Some(Happening::Rare(RareHappening::Held(Box::new(held))))
            }
            () = look_again(), if awaits_others => Some(Happening::Rare(RareHappening::Look)),
            // A turn that waits for nothing would wait for ever; it cannot come here while the turn is sound.
            else => {
                let is_new = !std::mem::replace(&mut self.interrupted, true);
                is_new.then_some(Happening::Recorded(Record::Interrupt))
            }
        }
    }

    /// Returns what happened and was not looked at; an interrupt first.
    fn happened_already(&mut self) -> Option<Happening> {
        if !self.interrupted && self.context.is_cancelled() {
            self.interrupted = true;
            return Some(Happening::Recorded(Record::Interrupt));
        }
        self.happened.pop_front()
    }

    /// Writes down what happened, and takes it in.
    pub(super) async fn take_in(&mut self, happening: &mut Happening) -> Result<(), Unrecorded> {
        match happening {
            Happening::Recorded(record) => self.record_all(from_mut(record)).await,
            Happening::AllRecorded(records) => self.record_all(records).await,
            Happening::Planned(records, judged) => {
                for (key, judged) in judged.drain(..) {
                    self.calls.entry(key).judged = Some(judged);
                }
                self.record_all(records).await
            }
            Happening::Replied(record, silent) => {
                self.silent = *silent;
                match self.settled(record) {
                    Some(settled) => {
                        let reply = std::mem::replace(record, Record::Resumed);
                        Box::pin(self.record(vec![reply, settled])).await
                    }
                    None => self.record_all(from_mut(record)).await,
                }
            }
            Happening::Rare(rare) => {
                let rare = std::mem::replace(rare, RareHappening::Look);
                Box::pin(self.take_in_rare(rare)).await
            }
        }
    }

    async fn take_in_rare(&mut self, happening: RareHappening) -> Result<(), Unrecorded> {
        match happening {
            RareHappening::Deferred(call) => {
                if let Some(call) = self.calls.get_mut(call) {
                    call.question = Some(Asked::Deferred);
                }
                Ok(())
            }
            RareHappening::Returned(call, report) => self.returned(call, *report).await,
            RareHappening::Look => {
                let posted = self.posted().await;
                self.record(posted).await
            }
            RareHappening::Held(held) => self.ask_about(*held).await,
            RareHappening::ConnectionDecided(held, decision) => {
                self.answer_held(*held, decision).await
            }
        }
    }

    /// Reports whether answers or results are awaited that come from elsewhere.
    fn awaits_others(&self) -> bool {
        self.turn
            .calls()
            .any(|(key, _)| match self.turn.state(key) {
                Some(CallState::Asking) => {
                    match self.calls.get(key).and_then(|call| call.question.as_ref()) {
                        Some(Asked::Deferred) => true,
                        // Whoever is asked here may be answered for from another process.
                        Some(Asked::Out(_)) => self.recorder.is_kept(),
                        None => false,
                    }
                }
                Some(CallState::Submitted) => true,
                _ => false,
            })
    }

    /// Says what a turn that is left waits for.
    pub(super) fn waiting(&self) -> TurnStatus {
        let origin = self.turn.origin();
        let in_state = |wanted| {
            let calls = self.turn.calls().map(|(key, _)| key);
            let calls = calls.filter(move |key| self.turn.state(*key) == Some(wanted));
            calls.map(|key| origin.call(key))
        };
        let parked = || self.calls.parked();
        TurnStatus::Waiting {
            approvals: in_state(CallState::Asking)
                .chain(parked().flat_map(|parked| parked.approvals.clone()))
                .collect(),
            external: in_state(CallState::Submitted)
                .chain(parked().flat_map(|parked| parked.external.clone()))
                .collect(),
        }
    }

    /// Returns when the turn's wall time is over, where it has an end.
    fn time_is_up(&self) -> Option<Instant> {
        self.turn.bounds().milliseconds?;
        if self.interrupted || !self.turn.in_flight() {
            return None;
        }
        // When it is over, what was stopped is waited for as long as it takes.
        let rest = self
            .turn
            .remaining()
            .milliseconds
            .filter(|rest| *rest > 0)?;
        let rest = Duration::from_millis(rest);
        Some(Instant::now() + rest.saturating_sub(self.stopwatch.counted()))
    }

    /// Tells how much time has gone by since the last such record, where the turn has a bound on it.
    pub(super) fn elapsed(&mut self) -> Option<Record> {
        self.turn.bounds().milliseconds?;
        let milliseconds = self.stopwatch.take_milliseconds();
        (milliseconds > 0).then_some(Record::Elapsed { milliseconds })
    }
}

/// Does something that may wait for what is going on in the turn, and lets that go on meanwhile: a delegate writes to the
/// same session, and one that nobody polls keeps the place in the line that it has.
pub(super) async fn meanwhile<T>(
    working: &mut InFlight<'_>,
    happened: &mut VecDeque<Happening>,
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            Some(happening) = working.next() => happened.push_back(happening),
        }
    }
}

/// Waits, with a timer that is made only where this is waited for.
async fn look_again() {
    tokio::time::sleep(LOOK_AGAIN).await;
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
