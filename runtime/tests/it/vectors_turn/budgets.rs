//! What ends a turn by number.

use helve_runtime::agent::turn::{Bounds, EndReason};
use helve_runtime::transcript::{Cost, ToolCall};
use serde_json::{Value, json};

use crate::vectors_turn::driven::{ScriptedOutcome, TestDriver, call, free};
use crate::vectors_turn::vectors::{Case, Tally, load_topic};

const DIFFERENCES: &[(&str, &str)] = &[];

const WINDOW: &str =
    "what fits the context window of a model: the size of results, which no turn knows of";

/// Functions that a turn has no counterpart of.
const OUTSIDE: &[&str] = &[
    "wiring:outputReserveTokens",
    "wiring:resolveResultBudget",
    "wiring:resolveResultBudgetGate",
];

#[test]
fn budgets() {
    let Some(cases) = load_topic("budgets") else {
        return;
    };
    let (mut tally, mut outside) = (Tally::new("budgets"), Vec::new());
    for case in cases {
        let name = case.function.trim_start_matches("core:");
        match name {
            _ if OUTSIDE.contains(&name) => outside.push((case.id, WINDOW)),
            "checkTurnBudgets" => exceeded(&case, turn_budget(&case), &mut tally),
            "checkCostBudget" => exceeded(&case, cost_budget(&case.input["args"][0]), &mut tally),
            "updateDenialStreak" => {
                let expected = case.expected.as_u64().unwrap();
                tally.compare(&case, &denials(&case), &expected);
            }
            "updateIdenticalStreak" => {
                let expected = case.expected["count"].as_u64().unwrap();
                tally.compare(&case, &identical(&case), &expected);
            }
            other => panic!("{}: nobody knows {other}", case.id),
        }
    }
    crate::vectors_turn::outside("budgets", &outside);
    tally.finish(DIFFERENCES);
}

/// Compares why a turn ended with the rule that was broken; going on where the other stops is laxer.
fn exceeded(case: &Case, found: Option<EndReason>, tally: &mut Tally) {
    let expected = case.expected["rule"].as_str().map(|rule| match rule {
        "cost-cap" => EndReason::Cost,
        "tool-budget" => EndReason::ToolCalls,
        "identical-name" => EndReason::SameTool,
        "identical-streak" => EndReason::IdenticalCalls,
        "denial-streak" | "denials" => EndReason::Denials,
        other => panic!("{}: nobody knows {other}", case.id),
    });
    if expected.is_some() && found.is_none() {
        tally.differ_laxer(case, format!("goes on, recorded was {expected:?}"));
    } else {
        tally.compare(case, &found, &expected);
    }
}

/// Returns an argument by its name, or by its place where the case has a list of them.
fn argument<'a>(case: &'a Case, name: &str, place: usize) -> &'a Value {
    match case.input.get("args") {
        Some(Value::Array(args)) => &args[place],
        _ => &case.input[name],
    }
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().map(|number| u32::try_from(number).unwrap())
}

/// Reads dollars as they are written, so that no rounding decides.
fn dollars(value: &Value) -> Option<Cost> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small amounts that are not negative"
    )]
    let cost = |dollars: f64| Cost::from_micros((dollars * 1_000_000.0).round() as u64);
    value.as_f64().map(cost)
}

/// Makes so many calls of so many tools as the case says, the last ones identical, and then one more of the same.
fn turn_budget(case: &Case) -> Option<EndReason> {
    let cost = argument(case, "cost", 6);
    let bounds = free()
        .tool_calls(number(argument(case, "maxToolCallsPerTurn", 1)))
        .same_tool(number(argument(case, "maxIdenticalToolCalls", 3)))
        .identical_calls(number(argument(case, "maxConsecutiveIdenticalCalls", 5)))
        .cost(dollars(&cost["capUsd"]));
    let mut driven = TestDriver::new(bounds);
    if driven.end().is_some() {
        return driven.end();
    }
    let calls = history(case);
    let again = calls.last().cloned();
    let spent = dollars(&cost["spentUsd"]).unwrap_or_default();
    for (index, call) in calls.into_iter().enumerate() {
        if driven.end().is_some() {
            return driven.end();
        }
        let cost = if index == 0 { spent } else { Cost::ZERO };
        driven.reply("So", vec![call], cost);
        driven.finish(|_| ScriptedOutcome::Succeeds);
    }
    if driven.end().is_none() {
        let again = again.unwrap_or_else(|| call("tool", &json!({})));
        driven.calls(vec![again]);
    }
    driven.end()
}

/// Puts the calls that were counted into an order in which they can have come.
fn history(case: &Case) -> Vec<ToolCall> {
    let total = number(argument(case, "totalToolCalls", 0)).unwrap_or_default() as usize;
    let counts = argument(case, "toolNameCounts", 2);
    let mut left: Vec<(String, u64)> = match counts.get("$map") {
        Some(pairs) => serde_json::from_value(pairs.clone()).unwrap(),
        None => serde_json::from_value::<serde_json::Map<_, _>>(counts.clone())
            .unwrap()
            .into_iter()
            .map(|(name, count): (String, Value)| (name, count.as_u64().unwrap()))
            .collect(),
    };
    let streak = argument(case, "identicalStreak", 4);
    let mut last = Vec::new();
    if let (Some(name), Some(key)) = (streak["toolName"].as_str(), streak["key"].as_str()) {
        let count = streak["count"].as_u64().unwrap();
        let arguments = of_key(key, name);
        last.extend((0..count).map(|_| call(name, &arguments)));
        if let Some(tool) = left.iter_mut().find(|(other, _)| other == name) {
            tool.1 = tool.1.saturating_sub(count);
        }
    }
    let mut calls = Vec::new();
    while left.iter().any(|(_, count)| *count > 0) {
        for (name, count) in left.iter_mut().filter(|(_, count)| *count > 0) {
            *count -= 1;
            calls.push(call(name, &json!({ "nth": calls.len() })));
        }
    }
    calls.extend(last);
    assert!(
        calls.len() <= total.max(1),
        "{}: {} calls",
        case.id,
        calls.len()
    );
    calls
}

/// Reads the arguments out of `name:{…}`.
fn of_key(key: &str, name: &str) -> Value {
    let arguments = key
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(':'));
    serde_json::from_str(arguments.unwrap()).unwrap()
}

fn cost_budget(cost: &Value) -> Option<EndReason> {
    let mut driven = TestDriver::new(free().cost(dollars(&cost["capUsd"])));
    if driven.end().is_none() {
        let spent = dollars(&cost["spentUsd"]).unwrap_or_default();
        driven.reply("So", vec![call("tool", &json!({}))], spent);
        driven.finish(|_| ScriptedOutcome::Succeeds);
    }
    driven.end()
}

/// More than any case has in a row.
const MANY: u32 = 200;

/// Counts the denials in a row by how many more it takes to end the turn.
fn denials(case: &Case) -> u64 {
    let before = argument(case, "prev", 0).as_u64().unwrap();
    let round = case.input.get("args").map_or(&case.input, |args| &args[1]);
    let count = |name: &str| usize::try_from(round[name].as_u64().unwrap()).unwrap();
    let (denied, succeeded) = (count("hookDenials"), count("successCount"));
    let mut driven = TestDriver::new(free().denials(MANY));
    let deny = |driven: &mut TestDriver| {
        driven.reply("So", vec![call("tool", &json!({}))], Cost::ZERO);
        driven.finish(|_| ScriptedOutcome::IsDenied);
    };
    (0..before).for_each(|_| deny(&mut driven));
    // A round of neither is one whose calls fail.
    let calls = (denied + succeeded).max(1);
    let calls = (0..calls).map(|_| call("tool", &json!({}))).collect();
    driven.reply("So", calls, Cost::ZERO);
    driven.finish(|index| match index {
        index if index < denied => ScriptedOutcome::IsDenied,
        index if index < denied + succeeded => ScriptedOutcome::Succeeds,
        _ => ScriptedOutcome::Fails,
    });
    let mut more = 0;
    while driven.end().is_none() {
        deny(&mut driven);
        more += 1;
    }
    u64::from(MANY) - more
}

/// Counts the identical calls in a row by how many more may be made.
fn identical(case: &Case) -> u64 {
    let before = argument(case, "prev", 0);
    let name = argument(case, "toolName", 1).as_str().unwrap();
    let arguments = argument(case, "args", 2);
    let bounds: Bounds = free().identical_calls(MANY);
    let mut driven = TestDriver::new(bounds);
    if let (Some(name), Some(key)) = (before["toolName"].as_str(), before["key"].as_str()) {
        for _ in 0..before["count"].as_u64().unwrap() {
            driven.calls(vec![call(name, &of_key(key, name))]);
        }
    }
    driven.calls(vec![call(name, arguments)]);
    let again = (0..=MANY).map(|_| call(name, arguments)).collect();
    driven.reply("So", again, Cost::ZERO);
    let may_run = u64::try_from(driven.open().len()).unwrap();
    u64::from(MANY) - may_run
}
