//! Modes and rules, at random.

use helve::permission::{Mode, Policy, Rule, Rules};
use helve_adversary::Rng;

use crate::hooks;

/// What a user who likes to be asked little allows.
const ALLOWED: [&str; 12] = [
    "bash",
    "bash(sh:*)",
    "bash(git:*)",
    "bash(mkdir:*)",
    "bash(echo:*)",
    "write_file(**)",
    "edit_file(**)",
    "apply_patch(**)",
    "task",
    "web_fetch",
    "web_search",
    "http_request(* 127.0.0.1/**)",
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

/// Picks a mode: mostly one that lets a lot run, since what is denied shows little.
pub(crate) fn mode(rng: &mut Rng) -> Mode {
    rng.pick(&[
        Mode::Default,
        Mode::AcceptEdits,
        Mode::AcceptEdits,
        Mode::Bypass,
        Mode::Bypass,
        Mode::DontAsk,
        Mode::Explore,
    ])
}

/// Makes the policy of an agent that may do everything, `vault` included.
pub(crate) fn unrestricted() -> Policy {
    with_hook_script(Policy::new(Mode::Bypass))
}

/// Makes a policy in a mode.
pub(crate) fn policy(mode: Mode, rng: &mut Rng) -> Policy {
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
    with_hook_script(Policy::new(mode).rules(rules))
}

/// Protects the script of the hooks, as the command line does.
fn with_hook_script(policy: Policy) -> Policy {
    let script = format!("{} reading=open", hooks::SCRIPT);
    let script = [script.parse().expect("a path")];
    let paths = policy.dangerous_paths().clone().with_settings(&script);
    policy.with_dangerous_paths(paths)
}
