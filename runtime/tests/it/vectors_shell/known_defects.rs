//! Where another system is unsafe: what is required holds.

use helve::permission::{Mode, Rule, Rules};
use helve::tool::Check;

use crate::vectors_shell::bash::{judge, judge_with, word};
use crate::vectors_shell::vectors;

/// What is about another subject, and where that is held.
const ELSEWHERE: &[(usize, &str)] = &[
    (
        23,
        "progress on the screen: comes with the tools that report it",
    ),
    (24, "reducers: come with the context budget"),
    (25, "results cut to their budget: the reader of results"),
    (26, "errors cut to their budget: the reader of results"),
    (
        27,
        "an approver that cannot ask: the approvers of the policy",
    ),
    (28, "paths of memory tools: the rooted file system"),
];

#[test]
fn known_defects() {
    let Some(cases) = vectors::load_topic("known_defects") else {
        return;
    };
    let mut held = 0;
    for case in &cases {
        if ELSEWHERE.iter().any(|(line, _)| *line == case.line) {
            continue;
        }
        let command = case.input["command"].as_str().expect("a command");
        let mut rules = Rules::new();
        for rule in case.input["rules"].as_array().cloned().unwrap_or_default() {
            let content = Rule::calls("Bash", rule[1].as_str().expect("a rule"));
            rules = if rule[0] == "allow" {
                rules.allow(content)
            } else {
                rules.deny(content)
            };
        }
        let required = case.required.as_deref().expect("a requirement");
        let found = judge_with(Mode::Default, rules, command);
        match required {
            "allow" | "ask" => assert_eq!(word(&found.verdict), required, "{} {command}", case.id),
            // Without anybody to ask, what asks is denied.
            "deny" if case.system == "sage" => assert_eq!(
                word(&judge(Mode::DontAsk, command).verdict),
                "deny",
                "{} {command}",
                case.id
            ),
            "deny" => assert_eq!(word(&found.verdict), "deny", "{} {command}", case.id),
            "deny/ask" => assert_ne!(word(&found.verdict), "allow", "{} {command}", case.id),
            "not a safety ASK" => assert!(
                !matches!(found.facts.check, Check::Ask { safety: true, .. }),
                "{} {command}",
                case.id
            ),
            "ask (not hard deny)" => {
                assert_eq!(word(&found.verdict), "ask", "{} {command}", case.id)
            }
            other => panic!("{}: {other}", case.id),
        }
        held += 1;
    }
    println!(
        "known_defects: {held} of {} hold, {} are held elsewhere",
        cases.len() - ELSEWHERE.len(),
        ELSEWHERE.len()
    );
}
