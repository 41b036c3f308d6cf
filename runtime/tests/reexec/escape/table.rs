//! What is printed at the end: all cases by layer, what became of them, and what was impossible here.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::escape::case::{EscapeCase, Expected};
use crate::escape::verdict::Verdict;

/// What became of the cases so far, and how long each took.
#[derive(Default)]
pub(crate) struct Table(
    Mutex<BTreeMap<Group, EscapeRow>>,
    Mutex<Vec<(Duration, &'static str)>>,
);

/// The layers in their order, then the work.
type Group = (Expected, String);

#[derive(Default)]
struct EscapeRow {
    good: usize,
    wrong: Vec<&'static str>,
    impossible: Vec<(&'static str, String)>,
    known: Vec<(&'static str, &'static str)>,
}

impl Table {
    /// Puts a case down.
    pub(crate) fn record(&self, case: &'static EscapeCase, verdict: Result<&Verdict, ()>) {
        let group = match case.expected {
            Expected::Denied => (Expected::Denied, case.layer.to_string()),
            Expected::Works => (Expected::Works, "work".to_owned()),
        };
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let row = rows.entry(group).or_default();
        match verdict {
            Ok(Verdict::Denied | Verdict::Works) => row.good += 1,
            Ok(Verdict::Impossible(reason)) => row.impossible.push((case.id, reason.clone())),
            Ok(Verdict::KnownGap(reason)) => row.known.push((case.id, reason)),
            Err(()) => row.wrong.push(case.id),
        }
    }

    /// Does something, and puts down how long that took.
    pub(crate) fn measure<T>(&self, id: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        let mut times = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        times.push((start.elapsed(), id));
        done
    }

    /// Names what took longest.
    pub(crate) fn slowest(&self) -> String {
        let mut times = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        times.sort_unstable_by(|one, other| other.cmp(one));
        let slowest = times.iter().take(12);
        let slowest: Vec<_> = slowest
            .map(|(time, id)| format!("{id} {:.1} s", time.as_secs_f32()))
            .collect();
        format!("  slowest: {}\n", slowest.join(", "))
    }

    /// Shows all.
    pub(crate) fn render(&self, user: &str) -> String {
        let rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = format!("\nas {user}:\n");
        let mut total = [0; 3];
        for ((expected, name), row) in rows.iter() {
            let (good, wrong) = match expected {
                Expected::Denied => ("denied", "got through"),
                Expected::Works => ("works", "does not work"),
            };
            text.push_str(&format!("  {name:<16} {:>3} {good}", row.good));
            if !row.wrong.is_empty() {
                text.push_str(&format!(
                    ", {} {wrong}: {}",
                    row.wrong.len(),
                    row.wrong.join(", ")
                ));
            }
            if !row.impossible.is_empty() {
                text.push_str(&format!(", {} impossible here:", row.impossible.len()));
            }
            text.push('\n');
            for (id, reason) in &row.impossible {
                text.push_str(&format!("      {id}: {reason}\n"));
            }
            for (id, reason) in &row.known {
                text.push_str(&format!("      gets through: {id}: {reason}\n"));
            }
            total[0] += row.good;
            total[1] += row.wrong.len();
            total[2] += row.impossible.len();
        }
        let [good, wrong, impossible] = total;
        text + &format!("  {good} as they should, {wrong} not, {impossible} impossible here\n")
    }
}
