//! Compares what happened in a case with what should have happened.

use std::path::Path;

use helve_agent::{AgentEvent, TurnStatus};
use helve_core::transcript::Totals;
use serde_json::Value;

use crate::call_match::{check_exact, check_forbidden};
use crate::case::Case;
use crate::case_run::{CaseRun, ObservedCall};
use crate::conversation_match::check_messages;
use crate::expectation::{Expectation, UsageLimits};
use crate::subset::subset_difference;
use crate::text_match::TextMatch;

/// Returns what does not meet the expectations of a case, and what is wrong whatever a case expects.
pub(crate) fn check_run(case: &Case, run: &CaseRun, folder: &Path) -> Vec<String> {
    let problems = run.problems.iter().cloned();
    let failures = (1..).zip(&case.expect).flat_map(|(number, expectation)| {
        let failures = check(case, expectation, run, folder);
        let name = expectation.name();
        failures
            .into_iter()
            .map(move |failure| format!("expectation {number}, {name}: {failure}"))
    });
    problems.chain(failures).collect()
}

fn check(case: &Case, expectation: &Expectation, run: &CaseRun, folder: &Path) -> Vec<String> {
    match expectation {
        Expectation::Text(text) => Vec::from_iter(text.check(&run.text).err()),
        Expectation::End(end) => Vec::from_iter(difference(end, &run.end())),
        Expectation::Error(text) => {
            Vec::from_iter(text.check(run.error.as_deref().unwrap_or_default()).err())
        }
        Expectation::Calls(calls) => calls.check(&run.calls),
        Expectation::Forbidden(calls) => check_forbidden(calls, &run.calls),
        Expectation::Asked(calls) => {
            check_exact(calls, &run.asked.iter().collect::<Vec<&ObservedCall>>())
        }
        Expectation::Waiting(calls) => check_waiting(calls, run.status.as_ref()),
        Expectation::AtMost(limits) => check_usage(limits, &run.totals, "more than", u64::gt),
        Expectation::Used(limits) => check_usage(limits, &run.totals, "not", u64::ne),
        Expectation::Files(files) => {
            let failures = files.iter().filter_map(|(path, expected)| {
                check_file(
                    path,
                    expected.as_ref(),
                    CaseRun::read_file(folder, path).as_deref(),
                )
            });
            failures.collect()
        }
        Expectation::Events(events) => Vec::from_iter(check_events(events, &run.events)),
        Expectation::NoEvents(events) => check_no_events(events, &run.events),
        Expectation::Messages(messages) => check_messages(messages, &run.messages),
        Expectation::Request(request) => {
            let model = request.model.as_ref().unwrap_or(&case.agent);
            let requests = run.requests.get(model).map(Vec::as_slice);
            request.check(requests.unwrap_or_default())
        }
        Expectation::Requests(counts) => {
            let failures = counts.iter().filter_map(|(model, expected)| {
                let found = run.requests.get(model).map_or(0, Vec::len);
                let what = || format!("`{model}` got {found} requests, not {expected}");
                (found != *expected).then(what)
            });
            failures.collect()
        }
        Expectation::Untrusted(expected) => {
            let found = run.label.is_untrusted();
            Vec::from_iter(difference(&expected.to_string(), &found.to_string()))
        }
    }
}

fn difference(expected: &str, found: &str) -> Option<String> {
    (expected != found).then(|| format!("`{found}` is not `{expected}`"))
}

fn check_waiting(expected: &[String], status: Option<&TurnStatus>) -> Vec<String> {
    let mut found: Vec<String> = match status {
        Some(TurnStatus::Waiting {
            approvals,
            external,
        }) => {
            let calls = approvals.iter().chain(external);
            calls.map(ToString::to_string).collect()
        }
        _ => Vec::new(),
    };
    found.sort();
    match found == expected {
        true => Vec::new(),
        false => vec![format!("the turn waits for {found:?}, not {expected:?}")],
    }
}

fn check_usage(
    limits: &UsageLimits,
    totals: &Totals,
    relation: &str,
    is_wrong: fn(&u64, &u64) -> bool,
) -> Vec<String> {
    let quantities = [
        (
            "model calls",
            limits.model_calls,
            u64::from(totals.model_calls),
        ),
        (
            "tool calls",
            limits.tool_calls,
            u64::from(totals.tool_calls),
        ),
        ("tokens", limits.tokens, totals.tokens()),
        (
            "millionths of a US dollar",
            limits.cost_micro_usd,
            totals.cost.micros(),
        ),
        ("milliseconds", limits.milliseconds, totals.milliseconds),
    ];
    let failures = quantities.iter().filter_map(|(what, limit, used)| {
        let limit = limit.filter(|limit| is_wrong(used, limit))?;
        Some(format!("{used} {what}, {relation} {limit}"))
    });
    failures.collect()
}

fn check_file(path: &str, expected: Option<&TextMatch>, found: Option<&str>) -> Option<String> {
    match (expected, found) {
        (None, None) => None,
        (None, Some(_)) => Some(format!("the file `{path}` exists")),
        (Some(_), None) => Some(format!("the file `{path}` does not exist")),
        (Some(expected), Some(found)) => {
            let difference = expected.check(found).err()?;
            Some(format!("the file `{path}`: {difference}"))
        }
    }
}

fn values(events: &[AgentEvent]) -> impl Iterator<Item = Value> {
    events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap_or_default())
}

fn check_events(expected: &[Value], events: &[AgentEvent]) -> Option<String> {
    let mut rest = values(events);
    let missing = expected
        .iter()
        .find(|expected| !rest.any(|event| subset_difference(expected, &event).is_none()))?;
    Some(format!(
        "the event {missing} is missing, in this place or at all"
    ))
}

fn check_no_events(unwanted: &[Value], events: &[AgentEvent]) -> Vec<String> {
    let is_unwanted = |event: &Value| {
        let mut unwanted = unwanted.iter();
        unwanted.any(|unwanted| subset_difference(unwanted, event).is_none())
    };
    let events = values(events).filter(is_unwanted);
    events
        .map(|event| format!("the event {event} was emitted"))
        .collect()
}

impl Expectation {
    fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::End(_) => "end",
            Self::Error(_) => "error",
            Self::Calls(_) => "calls",
            Self::Forbidden(_) => "forbidden",
            Self::Asked(_) => "asked",
            Self::Waiting(_) => "waiting",
            Self::AtMost(_) => "at_most",
            Self::Used(_) => "used",
            Self::Files(_) => "files",
            Self::Events(_) => "events",
            Self::NoEvents(_) => "no_events",
            Self::Messages(_) => "messages",
            Self::Request(_) => "request",
            Self::Requests(_) => "requests",
            Self::Untrusted(_) => "untrusted",
        }
    }
}
