//! A tool with the permission logic of a shell, and no body.

use helve::permission::{Judgement, Mode, Policy, Rules, Verdict, shell};
use helve::prelude::*;
use helve::tool::{CheckReport, Coverage};
use serde_json::Value;

use crate::vectors_shell::fixture;

/// Runs a command line.
#[tool(name = "Bash", check = check, match_rule = covers, suggest_rules = suggest)]
fn bash(
    /// The command line.
    command: &str,
) -> String {
    command.to_owned()
}

fn check(cx: &ToolContext, command: &str) -> CheckReport {
    shell::check(cx, command)
}

fn covers(_: &ToolContext, rule: &str, command: &str) -> Coverage {
    shell::covers(rule, command)
}

fn suggest(command: &str) -> Vec<String> {
    shell::suggest(command)
}

/// Judges a command line with a policy, in a context of a case.
pub(crate) fn judged(policy: &Policy, input: &Value, command: &str) -> Judgement {
    let tool = toolset![bash].get("Bash").expect("it is there");
    let arguments = serde_json::json!({ "command": command }).to_string();
    policy
        .judge(&*tool, &fixture::context(input), &arguments)
        .expect("it fits")
}

/// Judges a command line where nothing but the mode is set.
pub(crate) fn judge(mode: Mode, command: &str) -> Judgement {
    judged(
        &Policy::new(mode).working_folders(["/tmp/hcwd"]),
        &Value::Null,
        command,
    )
}

/// Judges a command line with rules.
pub(crate) fn judge_with(mode: Mode, rules: Rules, command: &str) -> Judgement {
    judged(&Policy::new(mode).rules(rules), &Value::Null, command)
}

/// Reports whether no mode runs a command line.
pub(crate) fn is_denied_in_every_mode(command: &str) -> bool {
    Mode::ALL
        .into_iter()
        .all(|mode| word(&judge(mode, command).verdict) == "deny")
}

/// Writes a verdict in one word.
pub(crate) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Deny { .. } => "deny",
        _ => "ask",
    }
}

/// Returns how much a verdict holds back.
pub(crate) fn strictness(word: &str) -> usize {
    ["allow", "ask", "deny"]
        .iter()
        .position(|known| *known == word)
        .expect("a verdict")
}
