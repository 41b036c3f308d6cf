//! The events that follow from the records of any turn.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use crate::turn_model::{Choices, TurnModel};
use helve_runtime::agent::session::{Entry, SessionProjection};
use helve_runtime::agent::{AgentEvent, EventKind};
use helve_runtime::transcript::journal::{Line, Timestamp};
use proptest::collection::vec;
use proptest::num::u32::ANY;
use proptest::test_runner::{Config, TestRng, TestRunner};

/// Projects entries, and returns the events of each.
fn project(entries: &[Entry]) -> Vec<Vec<AgentEvent>> {
    let mut projection = SessionProjection::new();
    let lines = (1..).zip(entries.iter().cloned());
    let events = lines.map(|(seq, entry)| {
        let at = Timestamp::from_millis(seq * 1_000);
        projection.apply(&Line { seq, at, entry })
    });
    events.collect()
}

/// Checks the events of each entry: all have its time, and the last one has its number.
fn check_numbers(events: &[Vec<AgentEvent>]) {
    for (seq, events) in (1..).zip(events) {
        let at = Some(Timestamp::from_millis(seq * 1_000));
        assert!(events.iter().all(|event| event.at == at));
        let Some((last, others)) = events.split_last() else {
            continue;
        };
        assert_eq!(last.seq, Some(seq));
        assert!(others.iter().all(|event| event.seq.is_none()));
    }
}

/// Checks that each call has one result, and that the results are those of calls that were made.
fn check_calls(events: &[Vec<AgentEvent>]) {
    let mut results = BTreeMap::new();
    for event in events.iter().flatten() {
        match &event.kind {
            EventKind::ToolResult { .. } => {
                let key = event.key.clone().unwrap();
                *results.entry(key).or_insert(0) += 1;
            }
            EventKind::ToolCall { .. } => {
                let key = event.key.clone().unwrap();
                assert!(
                    !results.contains_key(&key),
                    "{key} is called after its result"
                );
            }
            _ => {}
        }
    }
    assert!(results.values().all(|count| *count == 1), "{results:?}");
    let called = events
        .iter()
        .flatten()
        .filter_map(|event| match &event.kind {
            EventKind::ToolCall { .. } => event.key.clone(),
            _ => None,
        });
    // The turns of the model run to their ends.
    for key in called {
        assert!(results.contains_key(&key), "{key} has no result");
    }
}

#[test]
fn any_turn_has_events_that_fit_its_records() {
    let config = Config {
        cases: 200,
        failure_persistence: None,
        ..Config::default()
    };
    let dice = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, dice);
    let result = runner.run(&vec(ANY, 0..2_000), |choices| {
        let mut model = TurnModel::new(Choices::new(choices));
        model.run_to_the_end();
        let entries = model.entries();
        let events = project(&entries);
        check_numbers(&events);
        check_calls(&events);
        // What is read of a part are the events of the part.
        for cut in [entries.len() / 3, entries.len() / 2] {
            assert_eq!(project(&entries[..cut]), events[..cut]);
        }
        Ok(())
    });
    result.unwrap();
}
