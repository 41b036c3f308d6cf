//! When a turn goes round in circles.

use helve_runtime::agent::turn::EndReason;
use helve_runtime::transcript::Cost;
use serde_json::json;

use crate::vectors_turn::driven::{TestDriver, call, free};
use crate::vectors_turn::vectors::{Case, Tally, load_topic};

const DIFFERENCES: &[(&str, &str)] = &[];

/// Functions that a turn has no counterpart of.
const OUTSIDE: &[(&str, &str)] = &[
    (
        "watcher:aggregateRecent",
        "calls in a window of time: a turn has no clock, and bounds calls by number",
    ),
    (
        "watcher:rateLimitRule",
        "calls in a window of time: a turn has no clock, and bounds calls by number",
    ),
    (
        "watcher:compoundingErrorRule",
        "failures in a row: a model mends its calls by failing; those that do not change are caught as identical",
    ),
    (
        "watcher:describeArgs",
        "the text of a warning, which decides nothing",
    ),
];

#[test]
fn loop_guard() {
    let Some(cases) = load_topic("loop_guard") else {
        return;
    };
    let (mut tally, mut outside) = (Tally::new("loop_guard"), Vec::new());
    for case in cases {
        let known = OUTSIDE
            .iter()
            .find(|(function, _)| *function == case.function);
        match case.function.as_str() {
            _ if known.is_some() => outside.extend(known.map(|(_, why)| (case.id, *why))),
            "_detect_repeat_pattern" => {
                let expected = !case.expected.is_null();
                tally.compare(&case, &repeats(&case), &expected);
            }
            "_build_loop_signature" => match compared(&case) {
                Some(found) => {
                    let expected = case.expected.as_str().unwrap();
                    let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
                    let expected = expected["tool_calls"].as_array().unwrap().len();
                    tally.compare(&case, &found, &expected);
                }
                None => outside.push((
                    case.id,
                    "the result of a call: helve compares calls, before they run",
                )),
            },
            other => panic!("{}: nobody knows {other}", case.id),
        }
    }
    crate::vectors_turn::outside("loop_guard", &outside);
    tally.finish(DIFFERENCES);
}

/// Whether the last of some replies is the end of a pattern: then there is a number of hits at which the turn ends with
/// just that reply.
fn repeats(case: &Case) -> bool {
    let signatures = case.input["signatures"].as_array().unwrap();
    (1..).zip(signatures).any(|(hits, _)| {
        let mut driven = TestDriver::new(free().repeats(hits));
        for (index, signature) in signatures.iter().enumerate() {
            driven.calls(vec![call("tool", &json!({ "signature": signature }))]);
            if driven.end() == Some(EndReason::Repeating) {
                return index + 1 == signatures.len();
            }
        }
        false
    })
}

/// Counts the calls of a reply that are compared with those of others; none where it ends the turn.
fn compared(case: &Case) -> Option<usize> {
    let chunks = case.input["chunks"].as_array().unwrap();
    if chunks.iter().any(|chunk| chunk["role"] != "assistant") {
        return None;
    }
    let mut driven = TestDriver::new(free());
    let text = chunks.iter().filter_map(|chunk| chunk["content"].as_str());
    let calls = chunks
        .iter()
        .filter_map(|chunk| chunk["tool_calls"].as_array())
        .flatten()
        .map(|wanted| call("tool", wanted));
    driven.reply(&text.collect::<String>(), calls.collect(), Cost::ZERO);
    let count = driven.0.calls().count();
    assert_eq!(driven.end().is_some(), count == 0);
    Some(count)
}
