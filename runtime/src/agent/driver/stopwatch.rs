//! The time that a turn is at work.

use std::time::Duration;

use tokio::time::Instant;

/// Counts the time that a turn is at work; time in which nothing but people is waited for is not counted.
#[derive(Debug, Default)]
pub(super) struct Stopwatch {
    since: Option<Instant>,
    counted: Duration,
}

impl Stopwatch {
    /// Counts from here on, or does not.
    pub(super) fn set(&mut self, counts: bool) {
        if !counts && self.since.is_none() {
            return;
        }
        self.counted = self.counted();
        self.since = counts.then(Instant::now);
    }

    /// Returns what was counted since it was last taken.
    pub(super) fn counted(&self) -> Duration {
        let running = self.since.map(|since| since.elapsed());
        self.counted + running.unwrap_or_default()
    }

    /// Takes what was counted, in whole milliseconds; the rest stays.
    pub(super) fn take_milliseconds(&mut self) -> u64 {
        let counted = self.counted();
        let whole = u64::try_from(counted.as_millis()).unwrap_or(u64::MAX);
        self.counted = counted - Duration::from_millis(whole);
        self.since = self.since.map(|_| Instant::now());
        whole
    }
}
