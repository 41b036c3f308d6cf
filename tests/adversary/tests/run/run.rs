//! Many scenarios, and what all of them came to.

use std::env;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};

use crate::scenario::{self, Counts};
use crate::switch::Switch;
use crate::witness::Witness;
use crate::world::Home;
use crate::{schemas, user};

/// How many scenarios run at once; most of the time they wait for processes.
const AT_ONCE: usize = 3;

/// How long the run takes where nobody says how many steps it has.
const TIME: Duration = Duration::from_secs(30);

/// How many steps the adversary has to find what a protection holds back.
const BOUND: usize = 10_000;

pub(crate) fn tests(home: &Arc<Home>) -> Vec<Trial> {
    // One after another: a connection is counted for whoever runs.
    let turn = Arc::new(Mutex::new(()));
    let mut trials = Vec::new();
    let own = Arc::clone(home);
    trials.push(Trial::test(
        "every_call_fits_the_schema_of_its_tool",
        move || schemas::every_call_fits_the_schema_of_its_tool(&own),
    ));
    let (own, lock) = (Arc::clone(home), Arc::clone(&turn));
    trials.push(Trial::test("nothing_comes_of_what_it_does", move || {
        let _turn = lock.lock().unwrap_or_else(PoisonError::into_inner);
        nothing_comes_of_what_it_does(&own)
    }));
    for switch in Switch::ALL {
        let (home, lock) = (Arc::clone(home), Arc::clone(&turn));
        trials.push(Trial::test(switch.test(), move || {
            let _turn = lock.lock().unwrap_or_else(PoisonError::into_inner);
            it_finds_a_way(&home, switch)
        }));
    }
    trials
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}")),
    )
}

fn nothing_comes_of_what_it_does(home: &Arc<Home>) -> Result<(), Failed> {
    let seed = number("HELVE_ADVERSARY_SEED").unwrap_or(1);
    let steps = number("HELVE_ADVERSARY_STEPS").map(|steps| steps as usize);
    let scenarios = number("HELVE_ADVERSARY_SCENARIOS");
    let begun = Instant::now();
    let through = |run: &Run| match (scenarios, steps) {
        (Some(most), _) => run.scenarios >= most,
        (None, Some(steps)) => run.counts.steps >= steps,
        (None, None) => begun.elapsed() >= TIME,
    };
    let run = run_all(home, seed, None, through);
    print(&run, seed, begun.elapsed());
    if !run.found.is_empty() {
        return Err(Failed::from(format!("by seed: {:#?}", run.found)));
    }
    let counts = run.counts;
    // So that it shows that the calls are not just denied.
    if scenarios.is_none()
        && (counts.ran() * 10 < counts.steps * 3 || counts.wrote * 20 < counts.steps)
    {
        return Err(Failed::from(format!("too few calls ran: {counts:?}")));
    }
    Ok(())
}

fn print(run: &Run, seed: u64, took: Duration) {
    let counts = run.counts;
    let rate = counts.steps as f64 / took.as_secs_f64();
    println!(
        "adversary: {} steps from seed {seed} in {} scenarios, {rate:.0} a second; {} wrote, {} read, {} failed, {} denied, \
         {} rejected; {} witnesses; programs left out: {}",
        counts.steps,
        run.scenarios,
        counts.wrote,
        counts.read,
        counts.failed,
        counts.denied,
        counts.rejected,
        run.found.len(),
        user::left_out(),
    );
}

fn it_finds_a_way(home: &Arc<Home>, switch: Switch) -> Result<(), Failed> {
    let seed = number("HELVE_ADVERSARY_SEED").unwrap_or(1);
    let begun = Instant::now();
    let is_found = |run: &Run| {
        run.found
            .iter()
            .any(|(_, witness)| switch.explains(witness))
    };
    let run = run_all(home, seed, Some(switch), |run| {
        is_found(run) || run.counts.steps >= BOUND
    });
    let found = run
        .found
        .iter()
        .find(|(_, witness)| switch.explains(witness));
    println!(
        "adversary, {}: {found:?} after {} steps, {:.1} s",
        switch.test(),
        run.counts.steps,
        begun.elapsed().as_secs_f64()
    );
    match found {
        Some(_) => Ok(()),
        None => Err(Failed::from(format!(
            "nothing in {} steps",
            run.counts.steps
        ))),
    }
}

/// What scenarios came to.
#[derive(Debug, Default)]
struct Run {
    scenarios: u64,
    counts: Counts,
    /// Each witness with the seed of its scenario.
    found: Vec<(u64, Witness)>,
}

/// Runs scenarios from a seed on, several at once, until enough of them ran.
fn run_all(
    home: &Arc<Home>,
    seed: u64,
    left_out: Option<Switch>,
    through: impl Fn(&Run) -> bool + Sync,
) -> Run {
    let (run, next, stop) = (
        Mutex::new(Run::default()),
        AtomicU64::new(seed),
        AtomicBool::new(false),
    );
    let work = || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        while !stop.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let outcome = runtime.block_on(scenario::run(home, seed, left_out));
            let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
            run.scenarios += 1;
            run.counts.add(outcome.counts);
            run.found
                .extend(outcome.witnesses.into_iter().map(|witness| (seed, witness)));
            if through(&run) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    };
    let at_once = if number("HELVE_ADVERSARY_SCENARIOS") == Some(1) {
        1
    } else {
        AT_ONCE
    };
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(work);
        }
    });
    run.into_inner().unwrap_or_else(PoisonError::into_inner)
}
