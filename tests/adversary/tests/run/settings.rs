//! Modes and rules, at random.

use helve::permission::{Mode, Policy, Rule, Rules};
use helve_adversary::Rng;

/// What a user who likes to be asked little allows.
const ALLOWED: [&str; 9] = [
    "bash",
    "bash(sh:*)",
    "bash(git:*)",
    "bash(mkdir:*)",
    "bash(echo:*)",
    "write_file(**)",
    "edit_file(**)",
    "apply_patch(**)",
    "task",
];

const ASKED: [&str; 4] = [
    "write_file(src/**)",
    "bash(git commit:*)",
    "grep",
    "bash(rm:*)",
];

const DENIED: [&str; 3] = ["bash(curl:*)", "write_file(docs/**)", "bash(dd:*)"];

/// The rules that hold in every scenario: no tool changes what lies in the folder `vault`.
const VAULT: [&str; 3] = [
    "write_file(vault/**)",
    "edit_file(vault/**)",
    "apply_patch(vault/**)",
];

fn rule(text: &str) -> Rule {
    text.parse().expect("a rule")
}

/// Makes a policy. Most of them let a lot run: what is denied shows little.
pub(crate) fn policy(rng: &mut Rng) -> Policy {
    let mode = rng.pick(&[
        Mode::Default,
        Mode::AcceptEdits,
        Mode::AcceptEdits,
        Mode::Bypass,
        Mode::Bypass,
        Mode::DontAsk,
        Mode::Explore,
    ]);
    let mut rules = Rules::new();
    for _ in 0..=rng.below(4) {
        rules = rules.allow(rule(rng.pick(&ALLOWED)));
    }
    if rng.one_in(4) {
        rules = rules.ask(rule(rng.pick(&ASKED)));
    }
    if rng.one_in(4) {
        rules = rules.deny(rule(rng.pick(&DENIED)));
    }
    for text in VAULT {
        rules = rules.deny(rule(text));
    }
    Policy::new(mode).rules(rules)
}
