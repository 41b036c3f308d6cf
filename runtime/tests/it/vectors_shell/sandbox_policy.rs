//! What another policy makes of git, redirections and whole command lines.

use helve::permission::{Mode, Rule, Rules, shell};
use serde_json::{Value, json};

use crate::vectors_shell::bash::{is_denied_in_every_mode, judge_with, strictness, word};
use crate::vectors_shell::vectors::{self, Case, Tally};

const DIFFERENCES: &[(&str, &str)] = &[
    (
        "sandbox_policy:21",
        "the configuration of a repository that the command line chooses names programs",
    ),
    (
        "sandbox_policy:22",
        "the configuration of a repository that the command line chooses names programs",
    ),
    (
        "sandbox_policy:46",
        "the configuration of a repository that the command line chooses names programs",
    ),
    (
        "sandbox_policy:36",
        "`rm -rf` is a question of safety, wherever it points: nothing brings a tree back",
    ),
    (
        "sandbox_policy:49",
        "`rm -rf` is a question of safety, wherever it points: nothing brings a tree back",
    ),
];

/// The settings file of that system, which helve does not read.
const ELSEWHERE: [&str; 2] = ["normalize_approval_mode", "normalize_command_policy"];

#[test]
fn sandbox_policy() {
    let Some(cases) = vectors::load_topic("sandbox_policy") else {
        return;
    };
    let mut tally = Tally::new("sandbox_policy");
    let mut elsewhere = Vec::new();
    for case in &cases {
        let input = &case.input;
        match &*case.function {
            function if ELSEWHERE.contains(&function) => elsewhere.push(&*case.id),
            "evaluate_shell_command" => evaluate(&mut tally, case),
            "_git_command_info" => {
                let words: Vec<String> =
                    serde_json::from_value(input["parts"].clone()).expect("words");
                tally.compare(case, &command_info(&words), &case.expected);
            }
            "_git_push_info" => {
                tally.compare(case, &push_info(&words(&input["args"])), &case.expected)
            }
            "_is_git_push_delete" => {
                let push = shell::git_push(&words(&input["args"])).expect("a push");
                tally.compare(case, &push.deletes, &(case.expected == true));
            }
            "_git_push_branch_from_refspec" => {
                let push = shell::git_push(&[
                    "git",
                    "push",
                    "origin",
                    input["refspec"].as_str().expect("a text"),
                ]);
                tally.compare(
                    case,
                    &push.expect("a push").branch.as_deref(),
                    &case.expected.as_str(),
                );
            }
            "_is_protected_git_branch" => {
                let push = shell::git_push(&[
                    "git",
                    "push",
                    "origin",
                    input["branch"].as_str().expect("a text"),
                ]);
                tally.compare(
                    case,
                    &push.expect("a push").is_protected,
                    &(case.expected == true),
                );
            }
            "_is_known_safe_command" => {
                let segments: Vec<String> =
                    serde_json::from_value(input["segments"].clone()).expect("texts");
                let is_safe = segments.iter().all(|segment| shell::only_reads(segment));
                tally.compare(case, &is_safe, &(case.expected == true));
            }
            "_stdout_redirection_targets_allowed" => {
                let command = input["command"].as_str().expect("a command");
                tally.compare(
                    case,
                    &shell::danger_reason(command).is_none(),
                    &(case.expected == true),
                );
            }
            other => panic!("{}: {other}", case.id),
        }
    }
    println!("sandbox_policy: the settings of another system are another subject: {elsewhere:?}");
    tally.finish_at(DIFFERENCES, &[], 90);
}

fn words(arguments: &Value) -> Vec<String> {
    let arguments: Vec<String> = serde_json::from_value(arguments.clone()).expect("words");
    ["git", "push"]
        .into_iter()
        .map(str::to_owned)
        .chain(arguments)
        .collect()
}

fn push_info(words: &[String]) -> Value {
    let push = shell::git_push(words).expect("a push");
    json!({
        "remote": push.remote, "refspec": push.refspec, "branch": push.branch, "force": push.is_forced,
        "delete": push.deletes, "protected_branch": push.is_protected,
    })
}

fn command_info(words: &[String]) -> Value {
    let Some((subcommand, arguments)) = shell::git_command(words) else {
        return Value::Null;
    };
    let mut info = json!({ "subcommand": subcommand, "args": arguments });
    if subcommand == "push" {
        let more = push_info(words);
        info.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
    }
    info
}

/// That policy in our words: it lets run what no rule names; with nobody to ask, a question is a denial.
fn evaluate(tally: &mut Tally, case: &Case) {
    let command = case.input["command"].as_str().expect("a command");
    let own = &case.input["$self"];
    let never = own["approval_mode"] == "never";
    let asks = [
        "pip install",
        "pip3 install",
        "python -m pip install",
        "npm install",
        "yarn add",
        "cargo install",
    ];
    let mut rules = Rules::new();
    let mode = if own["command_policy"].is_string() {
        for prefix in asks {
            rules = rules.ask(Rule::calls("Bash", format!("{prefix}:*")));
        }
        // It keeps its questions of safety, which our `bypass` answers.
        rules = rules.allow(Rule::tool("Bash"));
        Mode::Default
    } else {
        for rule in own["command_policy"]["rules"]
            .as_array()
            .cloned()
            .unwrap_or_default()
        {
            let git = &rule["match"]["git"];
            let text = |key: &str| git[key].as_str().expect("a text").to_owned();
            let content = format!(
                "git {} {} {}",
                text("subcommand"),
                text("remote"),
                text("branch")
            );
            rules = rules.allow(Rule::calls("Bash", content));
        }
        Mode::Default
    };
    let found = match word(&judge_with(mode, rules, command).verdict) {
        "ask" if never => "deny",
        other => other,
    };
    let expected = case.expected["action"].as_str().expect("an action");
    if found == expected {
        tally.agree(case);
    } else if is_denied_in_every_mode(command) && expected == "ask" {
        tally.deny_in_every_mode(case);
    } else if strictness(found) < strictness(expected) {
        tally.differ_laxer(case, format!("{found}, recorded was {expected}"));
    } else {
        tally.differ(case, format!("{found}, recorded was {expected}"));
    }
}
