//! Many scenarios, and what all of them came to.

use std::env;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};

use crate::disabled_protection::DisabledProtection;
use crate::fixture::HomeFolder;
use crate::planted;
use crate::pool::{self, Finding, RunSummary};
use crate::programs;
use crate::scenes;
use crate::schemas;

/// How long the run takes where nobody says how many steps it has.
const DEFAULT_DURATION: Duration = Duration::from_secs(20);

/// How many steps the adversary has to find what a protection holds back.
const MAX_STEPS: usize = 10_000;

/// The most witnesses of a run; it ends with them.
const MAX_WITNESSES: usize = 4;

pub(crate) fn tests(home: &Arc<HomeFolder>) -> Vec<Trial> {
    // One after another: each of them uses the whole machine.
    let turn = Arc::new(Mutex::new(()));
    let mut trials = vec![trial(
        "every_call_fits_the_schema_of_its_tool",
        home,
        |home| schemas::every_call_fits_the_schema_of_its_tool(home),
    )];
    let lock = Arc::clone(&turn);
    trials.push(trial("nothing_comes_of_what_it_does", home, move |home| {
        let _turn = lock.lock().unwrap_or_else(PoisonError::into_inner);
        nothing_comes_of_what_it_does(home)
    }));
    for switch in DisabledProtection::ALL {
        let lock = Arc::clone(&turn);
        trials.push(trial(switch.test_name(), home, move |home| {
            let _turn = lock.lock().unwrap_or_else(PoisonError::into_inner);
            it_finds_a_way(home, switch)
        }));
    }
    for case in planted::CASES {
        let name = format!("planted_for_{}", case.name);
        trials.push(trial(&name, home, |home| {
            planted::runs_outside_alone(home, case)
        }));
    }
    trials.extend(scenes::tests());
    trials
}

fn trial(
    name: &str,
    home: &Arc<HomeFolder>,
    test: impl FnOnce(&Arc<HomeFolder>) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let home = Arc::clone(home);
    Trial::test(name, move || test(&home))
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}")),
    )
}

fn nothing_comes_of_what_it_does(home: &Arc<HomeFolder>) -> Result<(), Failed> {
    let seed = number("HELVE_ADVERSARY_SEED").unwrap_or(1);
    let steps = number("HELVE_ADVERSARY_STEPS").map(|steps| steps as usize);
    let scenarios = number("HELVE_ADVERSARY_SCENARIOS");
    let begun = Instant::now();
    let through = |run: &RunSummary| match (scenarios, steps) {
        _ if run.findings.len() >= MAX_WITNESSES => true,
        (Some(most), _) => run.scenarios >= most,
        (None, Some(steps)) => run.counts.steps >= steps,
        (None, None) => begun.elapsed() >= DEFAULT_DURATION,
    };
    let at_once = match scenarios {
        Some(1) => 1,
        _ => pool::concurrency(),
    };
    let run = pool::run(home, seed, None, at_once, through);
    print(&run, seed, begun.elapsed());
    if !run.findings.is_empty() {
        let texts = run
            .findings
            .iter()
            .map(|found| (found.seed, &found.witness));
        return Err(Failed::from(format!(
            "by seed: {:#?}",
            texts.collect::<Vec<_>>()
        )));
    }
    let counts = &run.counts;
    // So that it shows that the calls are not just denied.
    if scenarios.is_none()
        && (counts.executed() * 10 < counts.steps * 3
            || counts.written * 20 < counts.steps
            || counts.requests * 200 < counts.steps)
    {
        return Err(Failed::from(format!("too few calls ran: {counts:?}")));
    }
    Ok(())
}

fn print(run: &RunSummary, seed: u64, took: Duration) {
    let counts = &run.counts;
    let rate = counts.steps as f64 / took.as_secs_f64();
    println!(
        "adversary: {} steps from seed {seed} in {} scenarios, {rate:.0} a second; {} wrote, {} read, {} failed, {} denied, \
         {} rejected; {} commands ran; {} requests were answered; {} jobs; {} witnesses; programs left out: {}",
        counts.steps,
        run.scenarios,
        counts.written,
        counts.read,
        counts.failed,
        counts.denied,
        counts.rejected,
        counts.commands,
        counts.requests,
        counts.jobs,
        run.findings.len(),
        programs::render_missing(),
    );
    // By how often it was tried, and done.
    let actions = counts.actions.iter();
    let actions: Vec<String> = actions
        .map(|(action, (all, done))| format!("{action} {done}/{all}"))
        .collect();
    println!("adversary, done of tried: {}", actions.join(", "));
}

fn it_finds_a_way(home: &Arc<HomeFolder>, switch: DisabledProtection) -> Result<(), Failed> {
    let seed = number("HELVE_ADVERSARY_SEED").unwrap_or(1);
    let begun = Instant::now();
    let is_found = |found: &Finding| switch.explains(&found.witness);
    let run = pool::run(home, seed, Some(switch), pool::concurrency(), |run| {
        run.findings.iter().any(is_found) || run.counts.steps >= MAX_STEPS
    });
    if switch == DisabledProtection::Isolation {
        home.restore();
    }
    let found = run.findings.iter().find(|found| is_found(found));
    println!(
        "adversary, {}: {:?} after {} steps, {:.1} s",
        switch.test_name(),
        found.map(|found| (found.seed, &found.witness)),
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
