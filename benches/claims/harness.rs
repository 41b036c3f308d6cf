//! Ours against direct, in alternating rounds, so that what disturbs the machine disturbs both.

use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What a row is held to.
#[derive(Clone, Copy)]
pub(crate) enum Bar {
    /// At most so many times the direct baseline.
    Ratio(f64),
    /// At most so long.
    Time(Duration),
    /// At most so many bytes; then the row is of bytes, not of nanoseconds.
    Bytes(u32),
    /// At most so many times the direct baseline, both in bytes.
    SizeRatio(f64),
    /// At most so many; then the row is of numbers, not of nanoseconds.
    Count(u32),
    /// No bar: the row is that of a peer.
    Peer,
}

/// One line of the table; times in nanoseconds, one pair a round.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) against: &'static str,
    pub(crate) bar: Bar,
    pub(crate) rounds: Vec<(f64, f64)>,
}

/// Runs ours and direct in turn; both say how long one round of theirs took.
pub(crate) fn measure_alternately(
    rounds: usize,
    mut ours: impl FnMut() -> f64,
    mut direct: impl FnMut() -> f64,
) -> Vec<(f64, f64)> {
    // The first round pays for cold caches; who goes first alternates as well.
    let _ = (ours(), direct());
    let pair = |round: usize| {
        if round.is_multiple_of(2) {
            let ours = ours();
            (ours, direct())
        } else {
            let direct = direct();
            (ours(), direct)
        }
    };
    (0..rounds).map(pair).collect()
}

/// Returns the nanoseconds of one run out of `runs`.
pub(crate) fn nanos_per_run(runs: u32, mut run: impl FnMut()) -> f64 {
    let begun = Instant::now();
    (0..runs).for_each(|_| run());
    nanos(begun.elapsed()) / f64::from(runs)
}

pub(crate) fn nanos(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

impl Row {
    fn best(&self) -> (f64, f64) {
        let least = |pick: fn(&(f64, f64)) -> f64| {
            self.rounds.iter().map(pick).fold(f64::INFINITY, f64::min)
        };
        (least(|round| round.0), least(|round| round.1))
    }

    fn median(&self, of: fn(&(f64, f64)) -> f64) -> f64 {
        let mut values: Vec<f64> = self.rounds.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    /// A bar is held against the best rounds: they are the least disturbed.
    fn is_met(&self) -> bool {
        let (ours, direct) = self.best();
        match self.bar {
            Bar::Ratio(most) | Bar::SizeRatio(most) => ours / direct <= most,
            Bar::Time(most) => ours <= nanos(most),
            Bar::Bytes(most) | Bar::Count(most) => ours <= f64::from(most),
            Bar::Peer => true,
        }
    }
}

/// Prints the table; a missed bar fails the run only where that was asked for.
pub(crate) fn report(rows: &[Row]) -> ExitCode {
    println!(
        "| what | helve, best (median) | direct, best (median) | ratio of best (median ratio) | bar | |"
    );
    println!("|---|---|---|---|---|---|");
    for row in rows {
        let (ours, direct) = row.best();
        let (our_median, direct_median) =
            (row.median(|round| round.0), row.median(|round| round.1));
        let ratio = row.median(|round| round.0 / round.1);
        let bar = match row.bar {
            Bar::Ratio(most) | Bar::SizeRatio(most) => format!("≤ {most}×"),
            Bar::Time(most) => format!("≤ {}", format_nanos(nanos(most))),
            Bar::Bytes(most) => format!("≤ {}", format_bytes(f64::from(most))),
            Bar::Count(most) => format!("≤ {most}"),
            Bar::Peer => "a peer".to_owned(),
        };
        let shown = match row.bar {
            Bar::Bytes(_) | Bar::SizeRatio(_) => format_bytes,
            Bar::Count(_) => format_count,
            _ => format_nanos,
        };
        println!(
            "| {} | {} ({}) | {}: {} ({}) | {:.2}× ({:.2}×) | {bar} | {} |",
            row.what,
            shown(ours),
            shown(our_median),
            row.against,
            shown(direct),
            shown(direct_median),
            ours / direct,
            ratio,
            if row.is_met() { "ok" } else { "MISSED" },
        );
    }
    let asked = std::env::args().any(|argument| argument == "--enforce")
        || std::env::var_os("HELVE_BENCH_ENFORCE").is_some_and(|value| value != "0");
    if asked && !rows.iter().all(Row::is_met) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn format_count(count: f64) -> String {
    format!("{count}")
}

fn format_bytes(bytes: f64) -> String {
    format!("{:.2} KiB", bytes / 1024.0)
}

fn format_nanos(nanos: f64) -> String {
    match nanos {
        below if below < 1e3 => format!("{below:.0} ns"),
        below if below < 1e6 => format!("{:.2} µs", below / 1e3),
        other => format!("{:.2} ms", other / 1e6),
    }
}
