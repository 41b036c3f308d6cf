//! The layers of the analysis, one by one, and together.

use helve::permission::{DangerousPaths, shell};
use serde_json::Value;

use crate::vectors_shell::bash::{is_denied_in_every_mode, judge, judged, strictness, word};
use crate::vectors_shell::fixture;
use crate::vectors_shell::vectors::{self, Case, Tally};

/// What the other system asks about in the mode that asks about nothing else, and helve does not.
const RUNS_IN_BYPASS: &[&str] = &["bash_permission:4"];

const DIFFERENCES: &[(&str, &str)] = &[
    (
        "bash_permission:4",
        "bypass asks about dangerous paths: an argument that is not known before it runs is no write to one",
    ),
    (
        "bash_permission:89",
        "a rule `python -m:*` would let any module run: no rule is offered for an interpreter",
    ),
    (
        "bash_permission:101",
        "a rule `python -m:*` would let any module run: no rule is offered for an interpreter",
    ),
    (
        "bash_permission:102",
        "a variable of the project's own, as in `DEBUG=1 npm test`, does not keep a rule from being offered",
    ),
    ("bash_permission:135", "a quoted path is a path"),
    (
        "bash_permission:144",
        "a quoted target of a redirection is one",
    ),
];

/// What is let through although it was not.
const ALLOWED: &[(&str, &str)] = &[(
    "bash_permission:4",
    "bypass asks only where a danger may be: each command is known, and none writes",
)];

/// What `bypass` answers although it did not: its commands are known, and none is dangerous.
const BYPASSED: [&str; 2] = ["bash_permission:4", "bash_permission:18"];

fn command(input: &Value) -> &str {
    input["command"]
        .as_str()
        .or_else(|| input["tool_input"]["command"].as_str())
        .expect("a command")
}

#[test]
fn bash_permission() {
    let Some(cases) = vectors::load_topic("bash_permission") else {
        return;
    };
    let mut tally = Tally::new("bash_permission");
    for case in &cases {
        let asked = case.function.rsplit('.').next().expect("a name");
        let command = command(&case.input);
        match asked {
            "check_permissions" => permissions(&mut tally, case, command),
            "check_read_only" => answers(
                &mut tally,
                case,
                !shell::only_reads(command),
                case.expected == false,
            ),
            "check_dangerous_command" => answers(
                &mut tally,
                case,
                shell::danger_reason(command).is_some(),
                !case.expected.is_null(),
            ),
            "check_injection_risk" => {
                answers(
                    &mut tally,
                    case,
                    shell::first_unreadable_construct(command).is_some(),
                    !case.expected.is_null(),
                );
                // What is not proven asks.
                if !case.expected.is_null() {
                    let verdict = judge(helve::permission::Mode::Default, command).verdict;
                    assert_eq!(
                        word(&verdict) == "allow",
                        shell::only_reads(command),
                        "{command}"
                    );
                }
            }
            "check_sed_constraints" => {
                let names: Vec<String> =
                    serde_json::from_value(case.input["dangerous_files"].clone()).expect("names");
                let paths = DangerousPaths::empty().with(names).expect("patterns");
                let refusal = shell::sed_refusal(command, |file| paths.find(file).is_some());
                answers(
                    &mut tally,
                    case,
                    refusal.is_some(),
                    !case.expected.is_null(),
                );
            }
            "extract_command_prefixes" => {
                let most = case.input["max_prefixes"]
                    .as_u64()
                    .and_then(|most| usize::try_from(most).ok())
                    .expect("a number");
                let expected: Vec<String> =
                    serde_json::from_value(case.expected.clone()).expect("texts");
                tally.compare(case, &shell::rule_prefixes(command, most), &expected);
            }
            "extract_file_paths" => {
                let expected: Vec<(String, String)> =
                    serde_json::from_value(case.expected.clone()).expect("pairs");
                tally.compare(case, &shell::edited_paths(command), &expected);
            }
            "extract_redirections" => {
                let expected: Vec<String> =
                    serde_json::from_value(case.expected.clone()).expect("texts");
                tally.compare(case, &shell::redirection_targets(command), &expected);
            }
            other => panic!("{}: {other}", case.id),
        }
    }
    tally.finish_with(DIFFERENCES, ALLOWED);
}

/// Counts an answer to whether something holds back a command.
fn answers(tally: &mut Tally, case: &Case, holds: bool, expected: bool) {
    match (holds, expected) {
        _ if holds == expected => tally.agree(case),
        (false, _) => tally.differ_laxer(case, "it is let through"),
        (true, _) => tally.differ(case, "it is held back"),
    }
}

/// The tool's own check speaks before the mode: what it passes over, the mode of the case decides.
fn permissions(tally: &mut Tally, case: &Case, command: &str) {
    let judgement = judged(&fixture::policy(&case.input), &case.input, command);
    let found = word(&judgement.verdict);
    let behavior = case.expected["behavior"].as_str().expect("a verdict");
    let has_rules = case.input["context"]["allow_rules"]
        .as_object()
        .is_some_and(|rules| !rules.is_empty());
    let expected = match behavior {
        "passthrough" if has_rules => return tally.agree(case),
        "passthrough" => "ask",
        other => other,
    };
    let runs_in_bypass = RUNS_IN_BYPASS.contains(&&*case.id);
    if found == expected {
        tally.agree(case);
    } else if runs_in_bypass {
        tally.differ(case, format!("{found}, recorded was {expected}"));
    } else if is_denied_in_every_mode(command) && expected == "ask" {
        tally.deny_in_every_mode(case);
    } else if strictness(found) < strictness(expected) {
        tally.differ_laxer(case, format!("{found} {judgement:?}"));
    } else {
        tally.differ(case, format!("{found}, recorded was {expected}"));
    }
    if case.expected["bypass_immune"] == true && !BYPASSED.contains(&&*case.id) {
        let verdict = judge(helve::permission::Mode::Bypass, command).verdict;
        let holds = word(&verdict) != "allow";
        assert_eq!(
            holds, !runs_in_bypass,
            "{}: in bypass too, {verdict:?}",
            case.id
        );
    }
}
