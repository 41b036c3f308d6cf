//! Which calls of a reply run side by side, and in what order.

use helve_runtime::agent::turn::{Outcome, Plan, Record, Step};
use helve_runtime::permission::Verdict;
use helve_runtime::transcript::{CallKey, Content, Cost, ToolCall};
use serde_json::{Value, json};

use crate::vectors_turn::driven::{TestDriver, free};
use crate::vectors_turn::vectors::{Case, Tally, load_topic};

const DIFFERENCES: &[(&str, &str)] = &[];

#[test]
fn tool_batching() {
    let Some(cases) = load_topic("tool_batching") else {
        return;
    };
    let mut tally = Tally::new("tool_batching");
    for case in cases {
        tally.compare(&case, &Value::Array(batches(&case)), &case.expected);
    }
    tally.finish(DIFFERENCES);
}

/// Runs all that may run, again and again, and writes down what ran together.
fn batches(case: &Case) -> Vec<Value> {
    let calls: Vec<_> = case.input["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let is_safe = |call: &Value| {
        let name = text(&call["name"]);
        case.input["concurrency_safe"][&name] == Value::Bool(true)
    };
    let mut driven = TestDriver::new(free().parallel(100));
    let wanted = calls.iter().map(|call| {
        let (id, name) = (text(&call["id"]), text(&call["name"]));
        ToolCall::new(id, name, "{}")
    });
    driven.reply("", wanted.collect(), Cost::ZERO);
    for (index, call) in (0..).zip(&calls) {
        let plan = Plan {
            exclusive: !is_safe(call),
            ..Plan::new(Verdict::Allow)
        };
        let call = CallKey::new(1, index);
        driven.apply(&Record::Planned { call, plan });
    }
    let mut batches = Vec::new();
    while let [Step::Run { calls: together }, ..] = &driven.0.next()[..] {
        let ids: Vec<_> = together
            .iter()
            .map(|key| &driven.0.call(*key).unwrap().id)
            .collect();
        let safe = is_safe(calls[together[0].index as usize]);
        let kind = if safe { "concurrent" } else { "sequential" };
        batches.push(json!({ "type": kind, "ids": ids }));
        let together = together.clone();
        driven.apply(&Record::Started {
            calls: together.clone(),
        });
        for call in together {
            let outcome = Outcome::ok(Content::default());
            driven.apply(&Record::Finished { call, outcome });
        }
    }
    batches
}
