//! The time of a turn: its wait mode, its deadline, and its running time.

use std::time::Duration;

use tokio::time::Instant;

use crate::spec::WaitMode;
use crate::turn::{Record, Turn};

#[derive(Debug)]
pub(super) struct Clock {
    /// The behaviour of the turn when it can only continue after an external answer.
    pub(super) wait_mode: WaitMode,
    pub(super) is_interrupted: bool,
    /// The time that is not recorded yet.
    stopwatch: Stopwatch,
    /// The silence of the model before the reply that is recorded next.
    pub(super) time_to_first_token: Option<Duration>,
}

impl Clock {
    pub(super) fn new(wait_mode: WaitMode) -> Self {
        Self {
            wait_mode,
            is_interrupted: false,
            stopwatch: Stopwatch::default(),
            time_to_first_token: None,
        }
    }

    /// Marks the turn as interrupted, and returns whether it was not before.
    pub(super) fn interrupt(&mut self) -> bool {
        !std::mem::replace(&mut self.is_interrupted, true)
    }

    /// Starts or stops the stopwatch. The time is measured only if it has a bound.
    pub(super) fn measure(&mut self, turn: &Turn) {
        let is_bounded = turn.bounds().milliseconds.is_some();
        self.stopwatch.set_running(is_bounded && works(turn));
    }

    /// Returns when the wall time of the turn is over, if it has a bound.
    pub(super) fn deadline(&self, turn: &Turn) -> Option<Instant> {
        turn.bounds().milliseconds?;
        if self.is_interrupted || !works(turn) {
            return None;
        }
        // After the deadline, the driver waits for the stopped work as long as it takes.
        let rest = turn.remaining().milliseconds.filter(|rest| *rest > 0)?;
        let rest = Duration::from_millis(rest);
        Some(Instant::now() + rest.saturating_sub(self.stopwatch.elapsed()))
    }

    /// Returns the record of the time since the last such record, if the turn has a bound on its time.
    pub(super) fn take_elapsed(&mut self, turn: &Turn) -> Option<Record> {
        turn.bounds().milliseconds?;
        let milliseconds = self.stopwatch.take_milliseconds();
        (milliseconds > 0).then_some(Record::Elapsed { milliseconds })
    }
}

/// Reports whether time counts: work is in flight, or the last reply is being reviewed.
fn works(turn: &Turn) -> bool {
    turn.in_flight() || turn.is_closing()
}

/// Measures the working time of a turn, without the time in which it only waits for people.
#[derive(Debug, Default)]
struct Stopwatch {
    since: Option<Instant>,
    elapsed: Duration,
}

impl Stopwatch {
    fn set_running(&mut self, counts: bool) {
        if !counts && self.since.is_none() {
            return;
        }
        self.elapsed = self.elapsed();
        self.since = counts.then(Instant::now);
    }

    /// Returns the time since the last call of `take_milliseconds`.
    fn elapsed(&self) -> Duration {
        let running = self.since.map(|since| since.elapsed());
        self.elapsed + running.unwrap_or_default()
    }

    /// Takes the whole milliseconds of the measured time; the rest stays.
    fn take_milliseconds(&mut self) -> u64 {
        let counted = self.elapsed();
        let whole = u64::try_from(counted.as_millis()).unwrap_or(u64::MAX);
        self.elapsed = counted - Duration::from_millis(whole);
        self.since = self.since.map(|_| Instant::now());
        whole
    }
}
