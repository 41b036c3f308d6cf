//! Programs that are killed, wherever it hurts most, and started again: nothing is lost and nothing is done twice.
//!
//! A session of twenty turns is killed once in each [place](trap::Place). `HELVE_KILLS` sets how many sessions there are.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod crash_point;
mod program;
mod script;
mod store;
mod tools;
mod truncation;
mod verify;

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crash_point::{CrashPlan, CrashPoint};
use script::mix_seed;
use verify::Counts;

/// How many sessions are killed where nothing else is said.
const SESSIONS: u64 = 50;

/// What became of sessions.
#[derive(Debug, Default)]
struct CrashCounts {
    places: BTreeMap<CrashPoint, usize>,
    missed: usize,
    counts: Counts,
}

impl CrashCounts {
    fn add(&mut self, other: Self) {
        for (place, kills) in other.places {
            *self.places.entry(place).or_default() += kills;
        }
        self.missed += other.missed;
        self.counts.calls += other.counts.calls;
        self.counts.interrupted += other.counts.interrupted;
        self.counts.again += other.counts.again;
    }
}

#[test]
fn a_program_that_is_killed_again_and_again_loses_nothing_and_repeats_nothing() {
    let sessions = std::env::var("HELVE_KILLS").map_or(SESSIONS, |kills| {
        kills.parse().expect("HELVE_KILLS is a number")
    });
    let (next, workers) = (AtomicU64::new(0), 4);
    let work = || {
        let mut killed = CrashCounts::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= sessions {
                return killed;
            }
            killed.add(run_with_crashes(seed));
        }
    };
    let mut all = CrashCounts::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            all.add(worker.join().expect("the sessions are whole"));
        }
    });
    let Counts {
        calls,
        interrupted,
        again,
    } = all.counts;
    println!(
        "{sessions} sessions, {calls} calls: {interrupted} interrupted with unknown outcome, {again} run again; {} deaths \
         came too late",
        all.missed
    );
    for place in CrashPoint::ALL {
        let kills = all.places.get(&place).copied().unwrap_or_default();
        println!("killed {place}: {kills}");
        let least = usize::try_from(sessions.min(20)).unwrap();
        assert!(kills >= least, "{place}: {kills} kills, fewer than {least}");
    }
}

/// Runs a session to its end, through a death in each place.
fn run_with_crashes(seed: u64) -> CrashCounts {
    let folder = tempfile::tempdir().expect("a folder");
    let mut killed = CrashCounts::default();
    for death in crash_plan(seed) {
        let (status, said) = program::start(folder.path(), seed, Some(death));
        match (status.signal(), status.success()) {
            (Some(_), _) => *killed.places.entry(death.place).or_default() += 1,
            (None, true) => killed.missed += 1,
            (None, false) => panic!("seed {seed}, {death:?}: {status}\n{said}"),
        }
    }
    let (status, said) = program::start(folder.path(), seed, None);
    assert!(
        status.success(),
        "seed {seed}, at the end: {status}\n{said}"
    );
    let checked = thread::Builder::new()
        .name(format!("seed {seed}"))
        .spawn({
            let folder = folder.path().to_owned();
            move || verify::assert_session_complete(&folder, seed)
        })
        .expect("a thread")
        .join();
    killed.counts = checked
        .unwrap_or_else(|_| panic!("seed {seed} is not whole; see {}", folder.keep().display()));
    killed
}

/// Lists the deaths of a session, one in each place, in an order of its own; each comes within the next sixth or so of
/// what the session has to do.
fn crash_plan(seed: u64) -> Vec<CrashPlan> {
    let chance = |what: u64| mix_seed(mix_seed(seed) ^ what);
    let mut places = CrashPoint::ALL;
    places.sort_by_key(|place| chance(*place as u64));
    let death = |place: CrashPoint| CrashPlan {
        place,
        passing: 1 + u32::try_from(chance(10 + place as u64) % (place.passes_per_session() / 6))
            .unwrap(),
        written: chance(20 + place as u64) % 100,
    };
    places.map(death).into()
}
