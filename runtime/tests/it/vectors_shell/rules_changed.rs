//! A model does not change by a command what it would be asked about.

use helve::permission::{Mode, Rule, Rules, Verdict};

use crate::vectors_shell::bash::{judge, judge_with};

const MODES: [Mode; 5] = [
    Mode::Default,
    Mode::AcceptEdits,
    Mode::Explore,
    Mode::DontAsk,
    Mode::Bypass,
];

const CHANGES: [&str; 28] = [
    "app permissions trust",
    "./app permissions trust",
    "/usr/local/bin/app permissions trust",
    "app --color never permissions trust",
    "app permissions --yes trust",
    "app 'permissions' \"trust\"",
    "app permis\\sions tr''ust",
    "app permissions tr*",
    "app permissions $what",
    "app $what trust",
    "cargo run -- permissions trust",
    "cargo run -q -p app -- permissions trust",
    "env X=1 app permissions trust",
    "X=1 app permissions trust",
    "timeout 5 app permissions trust",
    "bash -c 'app permissions trust'",
    "true && app permissions trust",
    "yes | app permissions trust",
    "echo trust | xargs app permissions",
    "(cd /tmp && app permissions trust)",
    "app permissions {trust,list}",
    "app permissions remove 'bash(rm:*)'",
    "app mcp approve notes --yes",
    "env X=1 app mcp approve notes",
    "app mcp $what notes --yes",
    "app skills accept pdf --yes",
    "app $what accept pdf",
    "echo accept pdf --yes | xargs app skills",
];

#[test]
fn a_person_is_asked_in_every_mode_and_whatever_the_rules() {
    for mode in MODES {
        for command in CHANGES {
            let rules = Rules {
                allow: vec![
                    "Bash".parse::<Rule>().unwrap(),
                    "Bash(app:*)".parse().unwrap(),
                ],
                ..Rules::default()
            };
            for judgement in [
                judge(mode, command),
                judge_with(mode, rules.clone(), command),
            ] {
                let holds = match (mode, &judgement.verdict) {
                    // Where nobody is asked, it is refused.
                    (Mode::Explore | Mode::DontAsk, verdict) => !matches!(verdict, Verdict::Allow),
                    (_, Verdict::Ask { safety, .. }) => *safety,
                    _ => false,
                };
                assert!(holds, "{mode:?} {command}: {judgement:?}");
            }
        }
    }
}

#[test]
fn what_only_names_it_is_left_alone() {
    for command in [
        "grep -rn 'permissions trust' src",
        "grep permissions trust",
        "grep -n permissions *.rs",
        "echo permissions trust",
        "app permissions list",
        "app permissions check bash '{}'",
        "cargo remove permissions",
        "git commit -m 'permissions trust'",
        "ls permissions",
        "cargo test permissions *.rs",
        "app mcp list",
        "app skills show pdf",
        "grep -rn 'mcp approve' src",
        "cargo test mcp skills accept_it",
    ] {
        let judgement = judge(Mode::Bypass, command);
        assert!(
            matches!(judgement.verdict, Verdict::Allow),
            "{command}: {judgement:?}"
        );
    }
}
