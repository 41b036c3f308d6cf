//! The policy as a whole, about command lines.

use helve::permission::{Policy, Rule, Rules, shell};
use serde_json::Value;

use crate::vectors_shell::bash::{is_denied_in_every_mode, judged, strictness, word};
use crate::vectors_shell::fixture;
use crate::vectors_shell::vectors::{self, Tally};

fn of_shell(topic: &'static str) -> impl Iterator<Item = vectors::Case> {
    let cases = vectors::load_topic(topic).unwrap_or_default();
    cases
        .into_iter()
        .filter(|case| case.input["tool"]["class"] == "Bash")
}

fn command(input: &Value) -> &str {
    input["tool_input"]["command"].as_str().expect("a command")
}

#[test]
fn permission_engine_of_shells() {
    let mut tally = Tally::new("permission_engine (shell)");
    for case in of_shell("permission_engine") {
        let judgement = judged(
            &fixture::policy(&case.input),
            &case.input,
            command(&case.input),
        );
        let found = word(&judgement.verdict);
        let expected = case.expected["behavior"].as_str().expect("a verdict");
        if found == expected {
            tally.agree(&case);
        } else if is_denied_in_every_mode(command(&case.input)) && expected == "ask" {
            tally.deny_in_every_mode(&case);
        } else if strictness(found) < strictness(expected) {
            tally.differ_laxer(&case, found);
        } else {
            tally.differ(&case, format!("{found}, recorded was {expected}"));
        }
    }
    tally.finish(&[]);
}

#[test]
fn rule_match_of_shells() {
    let mut tally = Tally::new("rule_match (shell)");
    for case in of_shell("rule_match") {
        let rule = case.input["rule_content"].as_str().expect("a rule");
        let covered = shell::covers(rule, command(&case.input)).covers_any();
        tally.compare(&case, &covered, &(case.expected == true));
    }
    tally.finish(&[]);
}

#[test]
fn suggestions_of_shells() {
    let mut tally = Tally::new("suggestions (shell)");
    for case in of_shell("suggestions") {
        let expected = case.expected.as_array().cloned().unwrap_or_default();
        let expected: Vec<String> = expected
            .iter()
            .map(|rule| rule["rule_content"].as_str().expect("a rule").to_owned())
            .collect();
        tally.compare(&case, &shell::suggest(command(&case.input)), &expected);
    }
    tally.finish_at(
        &[
            (
                "suggestions:19",
                "no rule is offered for what runs with other rights",
            ),
            (
                "suggestions:21",
                "no rule about the command covers an option that writes",
            ),
            (
                "suggestions:23",
                "no rule about the command covers what a redirection writes",
            ),
        ],
        &[],
        85,
    );
}

#[test]
fn an_allow_rule_covers_every_part_and_a_deny_rule_any() {
    let rules = |allow: &[&str], deny: &[&str]| {
        let list = |contents: &[&str]| {
            contents
                .iter()
                .map(|content| Rule::calls("Bash", *content))
                .collect()
        };
        Rules {
            allow: list(allow),
            ask: Vec::new(),
            deny: list(deny),
        }
    };
    let verdict = |rules: Rules, command: &str| {
        word(&judged(&Policy::default().rules(rules), &Value::Null, command).verdict)
    };
    for (allow, command, expected) in [
        (&["git commit:*"][..], "git commit -m x", "allow"),
        (&["git commit:*"], "ls && git commit -m x", "allow"),
        (&["git commit:*"], "git commit -m x && npm i", "ask"),
        (
            &["git commit:*", "npm i:*"],
            "git commit -m x && npm i",
            "allow",
        ),
        (&["git:*"], "/tmp/git commit", "ask"),
        (&["git:*"], "/usr/bin/git commit", "allow"),
        (&["git:*"], "sudo git commit", "ask"),
        // Only a rule with exactly this text lets something run with other rights.
        (&["sudo git:*"], "sudo git commit", "ask"),
        (&["sudo git commit"], "sudo git commit", "allow"),
        (
            &["cargo test:*"],
            "RUST_LOG=debug timeout 60 cargo test --lib",
            "allow",
        ),
        (&["cargo test:*"], "LD_PRELOAD=x cargo test", "ask"),
        (&["timeout:*"], "timeout 5 npm i", "ask"),
        (&["tar:*"], "tar --to-command=sh -xf a", "ask"),
        (&["git:*"], "git -c core.pager=sh commit", "ask"),
        (&["npm test:*"], "bash -c 'npm test'", "allow"),
        (&["bash:*"], "bash -c 'npm test'", "ask"),
        (&["xargs:*"], "ls | xargs npm", "ask"),
        (&["find:*"], "find . -exec npm {} +", "ask"),
        (&["rg:*"], "rg --pre sh x", "ask"),
    ] {
        assert_eq!(
            verdict(rules(allow, &[]), command),
            expected,
            "{allow:?} {command}"
        );
    }
    for command in [
        "ls && rm x",
        "sudo rm x",
        "/bin/rm x",
        "FOO=1 rm x",
        "\\rm x",
        "\"rm\" x",
        "r''m x",
        "$'\\x72m' x",
        "{rm,x}",
        "env rm x",
        "timeout 5 rm x",
        "find . -exec rm {} +",
        "ls | xargs rm",
        "bash -c 'rm x'",
        "eval rm x",
        "echo $(rm x)",
        "(rm x)",
        "if true; then rm x; fi",
        "bash <<'E'\nrm x\nE",
        "bash <<< 'rm x'",
        "echo rm x | sh",
        "f() { rm x; }",
        "a=rm; $a x",
        "trap 'rm x' EXIT",
        "ls & rm x",
        "ls\nrm x",
        "! rm x",
        "time rm x",
        "{ rm x; }",
        "cat <(rm x)",
        "watch rm x",
        "ssh host rm x",
        "env -S 'rm x'",
        "command rm x",
        "/usr/bin/env /bin/rm x",
        "nice -n 5 nohup rm x",
        "sh -ec 'ls; rm x'",
        "sudo -u root -- rm x",
        "case a in a) rm x;; esac",
        "while rm x; do :; done",
    ] {
        assert_eq!(
            verdict(rules(&["rm:*"], &["rm:*"]), command),
            "deny",
            "{command}"
        );
    }
}
