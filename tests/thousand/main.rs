//! A thousand tools in one binary: all are there, and each takes what its schema promises and nothing else.
//!
//! `HELVE_SOAK=1000 cargo test --test thousand` tries so many calls of each tool in place of a few.

mod calls;
mod data;
mod mutations;
mod tools;
mod values;

use std::collections::HashMap;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use helve::registry::Registry;
use helve::schema::Mistakes;
use helve::{State, ToolContext, ToolDef, ToolError, ToolResult};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::{Map, Value};

use crate::data::Scale;
use crate::mutations::{Mutant, Verdict};

/// Set in the process that is the app, and not its test.
const IS_APP: &str = "HELVE_TEST_IS_APP";

/// No call takes longer, debug build or not.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

fn tools() -> Vec<&'static ToolDef> {
    let registry = Registry::collect().expect("no two tools have one name");
    // The framework's own tools are linked too, and those of `calls`.
    let own = |tool: &&ToolDef| {
        tool.package() == env!("CARGO_PKG_NAME") && !tool.location().contains("/calls")
    };
    registry.iter().filter(own).collect()
}

/// Calls tools in a context that has what they take by reference.
struct Caller {
    runtime: tokio::runtime::Runtime,
    registry: Registry,
    context: ToolContext,
}

impl Caller {
    fn new() -> Self {
        let mut state = State::new();
        state.insert(Scale { factor: 7 });
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        Self {
            runtime: runtime.expect("a runtime"),
            registry: Registry::collect().expect("no two tools have one name"),
            context: ToolContext::builder().app(Arc::new(state)).build(),
        }
    }

    fn call(&self, tool: &ToolDef, arguments: &str) -> ToolResult {
        let begin = Instant::now();
        let call = self.registry.call(tool.name(), arguments, &self.context);
        let result = self.runtime.block_on(call);
        assert!(begin.elapsed() < CALL_TIMEOUT, "`{}` is slow", tool.name());
        result
    }

    /// Calls a tool with a changed call, and holds what comes of it against what has to.
    fn judge(&self, tool: &ToolDef, mutant: &Mutant) -> Result<(), TestCaseError> {
        let about = || {
            let text: String = mutant.text.chars().take(300).collect();
            format!("`{}`, {}: {text}", tool.name(), mutant.description)
        };
        match (self.call(tool, &mutant.text), &mutant.verdict) {
            (Ok(_), Verdict::Accepted | Verdict::Either) => {}
            (Ok(output), Verdict::Refused(_)) => {
                prop_assert!(false, "{} is accepted: {}", about(), output.text());
            }
            (Err(ToolError::InvalidArguments(mistakes)), Verdict::Accepted) => {
                prop_assert!(false, "{} is refused: {mistakes}", about());
            }
            (Err(ToolError::InvalidArguments(mistakes)), _) => {
                if let Err(why) = reports_every_mistake(tool, mutant, &mistakes) {
                    prop_assert!(false, "{}: {why} in: {mistakes}", about());
                }
            }
            (Err(other), _) => prop_assert!(false, "{} fails: {other}", about()),
        }
        Ok(())
    }
}

/// Checks that every place that has to be blamed is, that no place is made up, and that a near miss is named.
fn reports_every_mistake(
    tool: &ToolDef,
    mutant: &Mutant,
    mistakes: &Mistakes,
) -> Result<(), String> {
    places_exist(tool, &mutant.text, mistakes)?;
    if let Verdict::Refused(places) = &mutant.verdict
        && let Some(place) = places.iter().find(|place| !blames(mistakes, place))
    {
        return Err(format!("nothing about `{place}`"));
    }
    let suggests = |name: &String| {
        let mut suggestions = mistakes
            .iter()
            .filter_map(|mistake| mistake.suggestion.as_ref());
        suggestions.any(|suggestion| suggestion.contains(&format!("`{name}`")))
    };
    match &mutant.expected_suggestion {
        Some(name) if !suggests(name) => Err(format!("`{name}` is not suggested")),
        _ => Ok(()),
    }
}

/// Reports whether a mistake is at a place or below it; at the root, whether one is there.
fn blames(mistakes: &Mistakes, place: &str) -> bool {
    mistakes
        .iter()
        .any(|mistake| match mistake.path.strip_prefix(place) {
            Some(rest) => rest.is_empty() || !place.is_empty() && rest.starts_with('/'),
            None => false,
        })
}

/// Checks that every mistake is said of something that is there, or that is missing from something that is there.
fn places_exist(tool: &ToolDef, text: &str, mistakes: &Mistakes) -> Result<(), String> {
    if mistakes.is_empty() {
        return Err("it is refused without a word".to_owned());
    }
    let input: Option<Value> = serde_json::from_str(text).ok();
    let schema = tool.spec().input_schema.value();
    for mistake in mistakes {
        let parent = mistake.path.rsplit_once('/').map(|(parent, _)| parent);
        let first = mistake.path.split('/').nth(1);
        let exists = match (parent, &input) {
            (None, _) => mistake.path.is_empty(),
            (Some(parent), Some(input)) => {
                let empty = parent.is_empty() && input.is_null();
                empty
                    || input
                        .pointer(&mistake.path)
                        .or(input.pointer(parent))
                        .is_some()
            }
            // Not to be read by serde_json: then the parameter, at least, has to be one.
            (Some(_), None) => {
                let listed = first.map(|name| schema["properties"].get(name).is_some());
                listed == Some(true) || first.is_some_and(|name| text.contains(name))
            }
        };
        if !exists {
            return Err(format!("there is no `{}`: {mistake}", mistake.path));
        }
        if mistake.expected.is_empty() || mistake.got.is_empty() {
            return Err(format!("a mistake without words: {mistake:?}"));
        }
    }
    Ok(())
}

/// How many calls of each tool to try, where there is time for more than a few.
fn soak() -> Option<u32> {
    let cases = std::env::var("HELVE_SOAK").ok()?;
    Some(cases.parse().expect("HELVE_SOAK is a number"))
}

/// Tries so many cases of each tool, the same ones in every run.
fn for_each_tool(
    cases: u32,
    property: impl Fn(&Caller, &'static ToolDef, &Map<String, Value>) -> Result<(), TestCaseError>,
) {
    let cases = soak().unwrap_or(cases);
    let caller = Caller::new();
    for tool in tools() {
        let config = Config {
            cases,
            failure_persistence: None,
            max_shrink_iters: 2_000,
            ..Config::default()
        };
        let mut runner =
            TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let arguments = values::arguments(tool.spec().input_schema.value());
        let result = runner.run(&arguments, |arguments| property(&caller, tool, &arguments));
        if let Err(error) = result {
            panic!("`{}`: {error}", tool.name());
        }
    }
}

#[test]
fn the_registry_lists_all_in_the_order_of_their_names() {
    let tools = tools();
    assert_eq!(tools.len(), tools::COUNT);
    assert!(tools.is_sorted_by_key(|tool| tool.name()));
}

#[test]
fn the_command_line_lists_all() {
    if std::env::var_os(IS_APP).is_some() {
        let code = helve::app!()
            .state(Scale { factor: 7 })
            .main_from(["thousand", "tools"]);
        std::process::exit(i32::from(code != std::process::ExitCode::SUCCESS));
    }
    // The app is this very test in a process of its own, because an app writes to its standard output.
    let output = Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", "the_command_line_lists_all", "--quiet"])
        .env(IS_APP, "yes")
        .output()
        .expect("this binary starts");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let rows = text
        .lines()
        .filter(|line| line.contains("Answers with its arguments."));
    let listed: Vec<_> = rows
        .filter_map(|row| row.split_whitespace().next())
        .collect();
    let names: Vec<_> = tools().into_iter().map(ToolDef::name).collect();
    assert_eq!(listed, names);
}

#[test]
fn each_takes_what_fits_its_schema_and_gets_it_whole() {
    for_each_tool(8, |caller, tool, arguments| {
        let text = Value::from(arguments.clone()).to_string();
        let output = match caller.call(tool, &text) {
            Ok(output) => output,
            Err(error) => return Err(TestCaseError::fail(format!("{text}: {error}"))),
        };
        prop_assert!(
            output.notes().is_empty(),
            "{text} was repaired: {:?}",
            output.notes()
        );
        let echo: Value = serde_json::from_str(&output.text()).expect("the tools answer in JSON");
        for (name, value) in arguments {
            let is_set =
                tool.spec().input_schema.value()["properties"][name]["uniqueItems"] == true;
            let arrived = if is_set {
                same_set(value, &echo[name])
            } else {
                contains(&echo[name], value)
            };
            prop_assert!(arrived, "{name} of {text} arrived as {}", echo[name]);
        }
        Ok(())
    });
}

#[test]
fn each_refuses_what_does_not_fit_and_says_where() {
    let place: HashMap<_, _> = tools().into_iter().map(ToolDef::name).zip(0..).collect();
    for_each_tool(1, |caller, tool, arguments| {
        let schema = tool.spec().input_schema.value();
        let mutants = mutations::mutants(schema, arguments)
            .into_iter()
            .enumerate();
        // Forty tools of one signature share the changes between them, unless there is time for all.
        let is_mine =
            |(at, _): &(usize, Mutant)| soak().is_some() || (at + place[tool.name()]) % 3 == 0;
        mutants
            .filter(is_mine)
            .try_for_each(|(_, mutant)| caller.judge(tool, &mutant))
    });
}

#[test]
fn no_text_whatever_makes_one_panic() {
    let texts = prop_oneof![
        any::<String>(),
        "\\PC{0,40}",
        "[\\[\\]{}\",:0-9a-z\\\\ -]{0,60}"
    ];
    for_each_tool(1, |caller, tool, arguments| {
        let text = Value::from(arguments.clone()).to_string();
        let mut runner = TestRunner::deterministic();
        for _ in 0..4 {
            let noise = texts
                .new_tree(&mut runner)
                .expect("texts are never refused")
                .current();
            let at = noise.len() % (text.len() + 1);
            let at = (0..=at)
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            let spliced = format!("{}{noise}{}", &text[..at], &text[at..]);
            for (how, text) in [("noise", noise), ("noise inside", spliced)] {
                caller.judge(
                    tool,
                    &Mutant {
                        description: how,
                        text,
                        ..Mutant::default()
                    },
                )?;
            }
        }
        Ok(())
    });
}

#[test]
fn depth_costs_nothing() {
    let caller = Caller::new();
    // One tool of each signature: the calls are long.
    for tool in tools()
        .into_iter()
        .filter(|tool| tool.name().ends_with("_00"))
    {
        for mutant in mutations::deeply_nested_calls(tool.spec().input_schema.value()) {
            if let Err(error) = caller.judge(tool, &mutant) {
                panic!("{error}");
            }
        }
    }
}

#[test]
fn no_text_null_and_an_empty_object_are_the_same_call() {
    let caller = Caller::new();
    for tool in tools() {
        let outcomes =
            ["{}", "", "null", " \n", " null "].map(|text| match caller.call(tool, text) {
                Ok(output) => Ok(output.into_text()),
                Err(ToolError::InvalidArguments(mistakes)) => Err(mistakes),
                Err(other) => panic!("`{}` fails: {other}", tool.name()),
            });
        let needs_none = tool.spec().input_schema.value().get("required").is_none();
        assert_eq!(
            outcomes[0].is_ok(),
            needs_none,
            "`{}`: {:?}",
            tool.name(),
            outcomes[0]
        );
        assert!(
            outcomes.iter().all(|outcome| *outcome == outcomes[0]),
            "`{}`: {outcomes:?}",
            tool.name()
        );
    }
}

/// Reports whether a value holds all that was given; what was left out may have become a default or null.
fn contains(value: &Value, given: &Value) -> bool {
    match (value, given) {
        (Value::Object(value), Value::Object(given)) => given
            .iter()
            .all(|(key, given)| value.get(key).is_some_and(|value| contains(value, given))),
        (Value::Array(value), Value::Array(given)) => {
            value.len() == given.len()
                && value
                    .iter()
                    .zip(given)
                    .all(|(value, given)| contains(value, given))
        }
        (Value::Number(value), Value::Number(given)) if value != given => {
            let (value, given) = (value.as_f64(), given.as_f64());
            // Single precision keeps seven digits.
            let near =
                |value: f64, given: f64| (value - given).abs() <= 1e-6 * given.abs().max(1.0);
            value
                .zip(given)
                .is_some_and(|(value, given)| near(value, given))
        }
        (value, given) => value == given,
    }
}

fn same_set(one: &Value, other: &Value) -> bool {
    let within = |one: &Value, other: &Value| {
        let (one, other) = (one.as_array(), other.as_array());
        one.zip(other)
            .is_some_and(|(one, other)| one.iter().all(|item| other.contains(item)))
    };
    within(one, other) && within(other, one)
}
