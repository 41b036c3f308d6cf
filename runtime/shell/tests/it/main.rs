//! Command lines, and what is said of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod audit;
mod constructs;
mod deny;
mod environment;
mod everyday;
mod properties;
mod rules;
mod soundness;

use helve_shell::{Analysis, Check, Shell};

/// Analyses a command line for bash.
fn analysed(command: &str) -> Analysis {
    Analysis::new(command, Some("/home/me"), Shell::default())
}

/// Writes a verdict in one word.
fn word(command: &str) -> &'static str {
    match analysed(command).check().check {
        Check::ReadOnly => "reads",
        Check::Edit { .. } => "edits",
        Check::Pass => "acts",
        Check::Ask { safety: true, .. } => "danger",
        Check::Ask { .. } => "asks",
        _ => "other",
    }
}

/// Reports whether rules let a command line run.
fn is_covered(rules: &[&str], command: &str) -> bool {
    let analysis = analysed(command);
    let checked = analysis.check();
    if matches!(checked.check, Check::Ask { .. }) {
        return false;
    }
    let mut covered: Vec<bool> = checked.parts.iter().map(|part| part.read_only).collect();
    for rule in rules {
        for (covered, now) in covered.iter_mut().zip(analysis.covers(rule)) {
            *covered |= now;
        }
    }
    covered.iter().all(|covered| *covered)
}

/// Reports whether a deny rule is about a command line.
fn is_denied(rule: &str, command: &str) -> bool {
    analysed(command).covers(rule).contains(&true)
}
