//! Whole decisions: mode, rules, checks.

use helve_runtime::permission::{Policy, Verdict};
use helve_runtime::tool::{Check, Tool, ToolContext};

use crate::vectors_permission::fixture;
use crate::vectors_permission::vectors::{self, Case, Tally};

const DIFFERENCES: &[(&str, &str)] = &[];

/// Writes a verdict as it was recorded.
fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask { .. } => "ask",
        _ => "deny",
    }
}

/// Orders verdicts by how much they let through.
fn strictness(word: &str) -> u8 {
    match word {
        "allow" => 0,
        "ask" => 1,
        _ => 2,
    }
}

fn count(tally: &mut Tally, case: &Case, tool: &dyn Tool, policy: &Policy, context: &ToolContext) {
    let arguments = case.input["tool_input"].to_string();
    let judgement = policy.judge(tool, context, &arguments).expect("it fits");
    let (found, expected) = (
        word(&judgement.verdict),
        case.expected["behavior"].as_str().expect("a word"),
    );
    if found == expected {
        return tally.agree(case);
    }
    if matches!(judgement.facts.check, Check::Deny { .. }) && expected == "ask" {
        return tally.deny_in_every_mode(case);
    }
    let what = format!(
        "{found}, recorded was {expected} ({:?})",
        judgement.decided_by
    );
    if strictness(found) < strictness(expected) {
        tally.differ_laxer(case, what);
    } else {
        tally.differ(case, what);
    }
}

#[test]
fn permission_engine() {
    let Some(cases) = vectors::load_topic("permission_engine") else {
        return;
    };
    let mut tally = Tally::new("permission_engine");
    for case in &cases {
        let (policy, context) = (fixture::policy(&case.input), fixture::context(&case.input));
        let tool = fixture::tool(&case.input["tool"]);
        count(&mut tally, case, &*tool, &policy, &context);
    }
    tally.finish(DIFFERENCES);
}
