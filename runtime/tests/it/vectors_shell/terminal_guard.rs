//! What nobody can mean.

use helve::permission::shell;
use serde_json::Value;

use crate::vectors_shell::vectors::{self, Case, Tally};

/// What is not about command lines.
const ELSEWHERE: [&str; 2] = ["wiring:canonicalizeArgs", "wiring:parseVerdict"];

#[test]
fn terminal_guard() {
    let Some(cases) = vectors::load_topic("terminal_guard") else {
        return;
    };
    let mut tally = Tally::new("terminal_guard");
    let mut elsewhere = Vec::new();
    for case in &cases {
        match &*case.function {
            function if ELSEWHERE.contains(&function) => elsewhere.push(&*case.id),
            "wiring:matchDenyRule" => deny_rule(&mut tally, case),
            _ => {
                let command = case.input["command"]
                    .as_str()
                    .or_else(|| case.input["args"][0].as_str())
                    .expect("a command");
                let home = case.input["home"].as_str();
                let found = shell::catastrophic_danger(command, home).is_some();
                match (found, case.expected["dangerous"] == true) {
                    (found, expected) if found == expected => tally.agree(case),
                    (false, _) => tally.differ_laxer(case, "not grave"),
                    (true, _) => tally.differ(case, "grave"),
                }
            }
        }
    }
    println!(
        "terminal_guard: the keys of arguments and the verdicts of a model are other subjects: {elsewhere:?}"
    );
    tally.finish(&[]);
}

fn deny_rule(tally: &mut Tally, case: &Case) {
    let (rules, call) = (&case.input["args"][0], &case.input["args"][1]);
    let command = call["args"]["command"].as_str().unwrap_or_default();
    let rules = rules.as_array().cloned().unwrap_or_default();
    let found = rules
        .iter()
        .filter_map(Value::as_str)
        .find(|rule| shell::covers(rule, command).covers_any());
    tally.compare(case, &found, &case.expected.as_str());
}
