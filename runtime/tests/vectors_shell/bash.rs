//! A tool with the permission logic of a shell, and no body.

use helve::permission::{Judgement, Mode, Policy, Rules, Verdict};
use serde_json::Value;

#[path = "../vectors_permission/bash.rs"]
mod tool;

pub(crate) use self::tool::Bash;
use crate::world;

/// Judges a command line with a policy, in a context of a case.
pub(crate) fn judged(policy: &Policy, input: &Value, command: &str) -> Judgement {
    let arguments = serde_json::json!({ "command": command }).to_string();
    policy
        .judge(&Bash::new(), &world::context(input), &arguments)
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
