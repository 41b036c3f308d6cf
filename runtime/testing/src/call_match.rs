//! What calls should be.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::case_run::ObservedCall;
use crate::subset::subset_difference;
use crate::text_match::TextMatch;

/// What a call should be. In JSON, a string is the name of the tool alone.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CallMatch {
    /// The tool.
    pub tool: String,
    /// The agent that makes the call.
    pub agent: Option<String>,
    /// The arguments; the call may have further keys.
    pub arguments: Option<Value>,
    /// What the model reads back.
    pub result: Option<TextMatch>,
    /// Whether the call failed or did not run.
    pub is_error: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallFields {
    tool: String,
    agent: Option<String>,
    arguments: Option<Value>,
    result: Option<TextMatch>,
    is_error: Option<bool>,
}

impl<'de> Deserialize<'de> for CallMatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Value::String(tool) = value {
            return Ok(Self {
                tool,
                ..Self::default()
            });
        }
        let CallFields {
            tool,
            agent,
            arguments,
            result,
            is_error,
        } = CallFields::deserialize(value).map_err(serde::de::Error::custom)?;
        Ok(Self {
            tool,
            agent,
            arguments,
            result,
            is_error,
        })
    }
}

impl CallMatch {
    /// Returns how a call differs; `None` if it does not.
    pub(crate) fn difference(&self, call: &ObservedCall) -> Option<String> {
        if self.tool != call.tool {
            return Some(format!("the tool is `{}`, not `{}`", call.tool, self.tool));
        }
        if let Some(agent) = self.agent.as_ref().filter(|agent| **agent != call.agent) {
            return Some(format!("the agent is `{}`, not `{agent}`", call.agent));
        }
        let arguments = self.arguments.as_ref();
        if let Some(difference) =
            arguments.and_then(|expected| subset_difference(expected, &call.arguments))
        {
            return Some(format!("the arguments: {difference}"));
        }
        if let Some(result) = &self.result {
            let Some(found) = &call.result else {
                return Some("it has no result".to_owned());
            };
            if let Err(difference) = result.check(found) {
                return Some(format!("the result: {difference}"));
            }
        }
        let is_error = self.is_error.filter(|expected| *expected != call.is_error);
        is_error.map(|expected| match expected {
            true => "it succeeded".to_owned(),
            false => "it failed".to_owned(),
        })
    }

    fn describe(&self) -> String {
        let agent = self.agent.as_ref().map(|agent| format!("{agent}: "));
        let arguments = self.arguments.as_ref().map(|value| format!(" {value}"));
        format!(
            "{}{}{}",
            agent.unwrap_or_default(),
            self.tool,
            arguments.unwrap_or_default()
        )
    }
}

/// The calls that were made, of all agents or of one.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CallsExpectation {
    /// The agent whose calls count; `None` for all agents.
    pub agent: Option<String>,
    /// These calls and no others, in this order.
    pub exact: Option<Vec<CallMatch>>,
    /// These calls in this order; there may be others in between.
    pub in_order: Option<Vec<CallMatch>>,
    /// These calls and no others, in any order.
    pub any_order: Option<Vec<CallMatch>>,
    /// These calls, and any others.
    pub includes: Option<Vec<CallMatch>>,
}

impl CallsExpectation {
    pub(crate) fn check(&self, calls: &[ObservedCall]) -> Vec<String> {
        let is_counted = |call: &&ObservedCall| {
            let agent = self.agent.as_ref();
            agent.is_none_or(|agent| *agent == call.agent)
        };
        let calls: Vec<&ObservedCall> = calls.iter().filter(is_counted).collect();
        let mut failures = Vec::new();
        if let Some(expected) = &self.exact {
            failures.extend(check_exact(expected, &calls));
        }
        if let Some(expected) = &self.in_order {
            failures.extend(check_in_order(expected, &calls));
        }
        if let Some(expected) = &self.any_order {
            failures.extend(check_included(expected, &calls));
            if expected.len() != calls.len() {
                failures.push(describe_count(expected.len(), calls.len()));
            }
        }
        if let Some(expected) = &self.includes {
            failures.extend(check_included(expected, &calls));
        }
        failures
    }
}

fn describe_count(expected: usize, found: usize) -> String {
    format!("there are {found} calls, not {expected}")
}

/// Compares calls one by one.
pub(crate) fn check_exact(expected: &[CallMatch], calls: &[&ObservedCall]) -> Vec<String> {
    let mut failures = Vec::new();
    if expected.len() != calls.len() {
        failures.push(describe_count(expected.len(), calls.len()));
    }
    for (number, (expected, call)) in (1..).zip(expected.iter().zip(calls)) {
        if let Some(difference) = expected.difference(call) {
            failures.push(format!("call {number}: {difference}"));
        }
    }
    failures
}

fn check_in_order(expected: &[CallMatch], calls: &[&ObservedCall]) -> Option<String> {
    let mut rest = calls.iter();
    let missing = expected
        .iter()
        .find(|expected| !rest.any(|call| expected.difference(call).is_none()))?;
    Some(format!(
        "the call `{}` is missing, in this place or at all",
        missing.describe()
    ))
}

/// Assigns each expected call to one of its own: a search for augmenting paths, since one call may match several.
fn check_included(expected: &[CallMatch], calls: &[&ObservedCall]) -> Vec<String> {
    let mut owners: Vec<Option<usize>> = vec![None; calls.len()];
    let mut failures = Vec::new();
    for index in 0..expected.len() {
        let mut visited = vec![false; calls.len()];
        if !assign(index, expected, calls, &mut owners, &mut visited) {
            failures.push(format!(
                "the call `{}` is missing",
                expected[index].describe()
            ));
        }
    }
    failures
}

fn assign(
    index: usize,
    expected: &[CallMatch],
    calls: &[&ObservedCall],
    owners: &mut [Option<usize>],
    visited: &mut [bool],
) -> bool {
    for (position, call) in calls.iter().enumerate() {
        if visited[position] || expected[index].difference(call).is_some() {
            continue;
        }
        visited[position] = true;
        let is_free =
            owners[position].is_none_or(|owner| assign(owner, expected, calls, owners, visited));
        if is_free {
            owners[position] = Some(index);
            return true;
        }
    }
    false
}

/// Returns the calls that should not have been made.
pub(crate) fn check_forbidden(forbidden: &[CallMatch], calls: &[ObservedCall]) -> Vec<String> {
    let unwanted = calls.iter().filter(|call| {
        let mut forbidden = forbidden.iter();
        forbidden.any(|forbidden| forbidden.difference(call).is_none())
    });
    unwanted
        .map(|call| format!("the call `{}` is forbidden", call.describe()))
        .collect()
}
