//! Scenarios that run at once.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::disabled_protection::DisabledProtection;
use crate::fixture::HomeFolder;
use crate::listener::Listener;
use crate::record::Counts;
use crate::scenario;
use crate::sites::Sites;
use crate::witness::Witness;

/// After how many steps a long run says how far it is.
const PROGRESS: usize = 10_000;

/// What scenarios came to.
#[derive(Debug, Default)]
pub(crate) struct RunSummary {
    pub(crate) scenarios: u64,
    pub(crate) counts: Counts,
    pub(crate) findings: Vec<Finding>,
}

/// A witness, and what it takes to repeat its scenario.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) seed: u64,
    pub(crate) witness: Witness,
    /// What was called in the scenario.
    calls: Arc<Vec<String>>,
}

impl Finding {
    /// Writes down how to repeat it, and what was called.
    pub(crate) fn report(&self) -> String {
        let mut text = format!(
            "{:?}\nrepeat it with HELVE_ADVERSARY_SEED={} HELVE_ADVERSARY_SCENARIOS=1\n",
            self.witness, self.seed
        );
        for call in &*self.calls {
            let _ = writeln!(text, "  {call}");
        }
        text
    }
}

/// How many scenarios run at once: some of the time they wait for processes.
pub(crate) fn concurrency() -> usize {
    thread::available_parallelism().map_or(2, usize::from) * 3
}

/// Runs scenarios from a seed on, several at once, until enough of them ran.
pub(crate) fn run(
    home: &Arc<HomeFolder>,
    seed: u64,
    left_out: Option<DisabledProtection>,
    at_once: usize,
    through: impl Fn(&RunSummary) -> bool + Sync,
) -> RunSummary {
    let run = Mutex::new(RunSummary::default());
    let begun = Instant::now();
    let (next, stop) = (AtomicU64::new(seed), AtomicBool::new(false));
    let work = || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        // One for each, so that a connection tells which scenario made it.
        let listener = Listener::open().expect("a port");
        let sites = Sites::open().expect("two ports");
        while !stop.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let outcome = runtime.block_on(scenario::run(
                home,
                (&listener, &sites),
                seed,
                left_out,
                &stop,
            ));
            let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
            run.scenarios += 1;
            let before = run.counts.steps;
            run.counts.add(outcome.counts);
            if run.counts.steps / PROGRESS > before / PROGRESS {
                println!(
                    "adversary: {} steps so far, {} commands, {} witnesses, {:.0} s",
                    run.counts.steps,
                    run.counts.commands,
                    run.findings.len(),
                    begun.elapsed().as_secs_f64()
                );
            }
            let calls = Arc::new(outcome.calls);
            for witness in outcome.witnesses {
                let calls = Arc::clone(&calls);
                let found = Finding {
                    seed,
                    witness,
                    calls,
                };
                if left_out.is_none() {
                    // At once: a long run may be ended before its end.
                    println!("{}", found.report());
                }
                run.findings.push(found);
            }
            if through(&run) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(work);
        }
    });
    run.into_inner().unwrap_or_else(PoisonError::into_inner)
}
