//! The turn against a driver that does everything in every order, is interrupted, crashes, and repeats itself.
//!
//! `HELVE_SOAK=20000` runs that many cases instead of some hundreds.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::RefCell;

use crate::turn_model::{Choices, Counts, TurnModel};
use proptest::collection::vec;
use proptest::num::u32::ANY;
use proptest::test_runner::{Config, TestRng, TestRunner};

#[test]
fn any_interleaving_keeps_every_promise() {
    let soak: Option<u32> = std::env::var("HELVE_SOAK")
        .ok()
        .and_then(|text| text.parse().ok());
    let cases = soak.unwrap_or(300);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = match soak {
        // The everyday cases are the same ones every day: a failure is the change's, not the dice's.
        None => {
            let dice = TestRng::deterministic_rng(config.rng_algorithm);
            TestRunner::new_with_rng(config, dice)
        }
        Some(_) => TestRunner::new(config),
    };
    let counts = RefCell::new(Counts::default());
    let result = runner.run(&vec(ANY, 0..4000), |choices| {
        let mut world = TurnModel::new(Choices::new(choices));
        world.run_to_the_end();
        world.check_every_prefix();
        counts.borrow_mut().add(&world.counts);
        Ok(())
    });
    println!("{cases} cases: {:#?}", counts.borrow());
    result.unwrap();
    let missing = counts.borrow().missing();
    assert!(
        cases < 600 || missing.is_empty(),
        "the driver no longer reaches all it should: {missing:?}"
    );
}
