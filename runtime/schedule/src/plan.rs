//! What is due: a function of a schedule and the time, without I/O.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::schedule::{MissedRuns, OverlappingRuns, Schedule, ScheduleStatus};

/// How late a run may start that was not missed.
const GRACE: SignedDuration = SignedDuration::from_secs(300);
/// How many runs are made up for at most.
const MAX_CATCH_UP: usize = 10;
/// How many missed runs are counted.
const MAX_COUNTED: usize = 1_000;

/// What is to be done about a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The planned times of the runs that are to be made, in their order.
    pub(crate) runs: Vec<Timestamp>,
    /// The latest planned time that is left out, why, and how many are, up to a limit.
    pub(crate) skipped: Option<(Timestamp, &'static str, usize)>,
    /// The next planned time, `None` if there is none.
    pub(crate) next: Option<Timestamp>,
}

impl Schedule {
    /// Returns what is to be done at a time; `None` if nothing is. `open_runs` are those that are
    /// not over.
    pub(crate) fn plan(&self, now: Timestamp, open_runs: usize) -> Option<Plan> {
        if self.status != ScheduleStatus::Active {
            return None;
        }
        let (zone, next) = (self.zone(), self.next?);
        let is_due = |planned: Timestamp| {
            let due = planned.checked_add(self.jitter(planned, &zone));
            due.is_ok_and(|due| due <= now)
        };
        if !is_due(next) {
            return self.after_clock_went_back(now, next, &zone);
        }
        let (due, count) = self.due_times(now, next, is_due, &zone);
        let last = *due.last()?;
        let left = self.max_runs.map_or(usize::MAX, |most| {
            usize::try_from(most.saturating_sub(self.runs)).unwrap_or(usize::MAX)
        });
        let is_late = now.duration_since(last) - self.jitter(last, &zone) > GRACE;
        let mut runs = match self.missed {
            MissedRuns::Skip if is_late => Vec::new(),
            MissedRuns::Once | MissedRuns::Skip => vec![last],
            MissedRuns::All => due.clone(),
        };
        let mut reason = "missed";
        if open_runs > 0 {
            reason = "the run before was not over";
            match self.overlap {
                OverlappingRuns::Queue if open_runs == 1 => runs = vec![last],
                _ => runs.clear(),
            }
        }
        runs.truncate(left);
        let left_out = due.iter().rev().find(|planned| !runs.contains(planned));
        let left_out = *left_out.unwrap_or(&next);
        let count = count - runs.len();
        let skipped = (count > 0).then_some((left_out, reason, count));
        let next = match left <= runs.len() {
            true => None,
            false => self.next_after(last, &zone),
        };
        Some(Plan {
            runs,
            skipped,
            next,
        })
    }

    /// Returns the latest times from `next` on that are due, in their order, and how many are.
    fn due_times(
        &self,
        now: Timestamp,
        next: Timestamp,
        is_due: impl Fn(Timestamp) -> bool,
        zone: &TimeZone,
    ) -> (Vec<Timestamp>, usize) {
        let mut due = vec![next];
        let mut count = 1;
        let mut last = next;
        while let Some(planned) = self.next_after(last, zone)
            && is_due(planned)
        {
            last = planned;
            due.push(planned);
            count += 1;
            if count >= MAX_COUNTED {
                return (self.latest_due(now, is_due, zone), count);
            }
        }
        let first = due.len().saturating_sub(MAX_CATCH_UP);
        (due.split_off(first), count)
    }

    /// Returns the latest times that are due, found from `now` backwards.
    fn latest_due(
        &self,
        now: Timestamp,
        is_due: impl Fn(Timestamp) -> bool,
        zone: &TimeZone,
    ) -> Vec<Timestamp> {
        let end = self.until.map_or(now, |until| until.min(now));
        let end = end
            .checked_add(SignedDuration::from_nanos(1))
            .unwrap_or(end);
        let previous = |at: &Timestamp| self.when.previous_before(*at, self.created, zone);
        let found = std::iter::successors(previous(&end), previous);
        let found = found.skip_while(|at| !is_due(*at));
        let mut latest: Vec<Timestamp> = found.take(MAX_CATCH_UP).collect();
        latest.reverse();
        latest
    }

    /// A clock that was ahead for a while has moved the next time too far: the schedule would be silent until then.
    fn after_clock_went_back(
        &self,
        now: Timestamp,
        next: Timestamp,
        zone: &TimeZone,
    ) -> Option<Plan> {
        let from_now = self.next_after(now, zone)?;
        (from_now < next && !self.when.is_once()).then(|| Plan {
            runs: Vec::new(),
            skipped: None,
            next: Some(from_now),
        })
    }
}

#[cfg(test)]
mod tests;
