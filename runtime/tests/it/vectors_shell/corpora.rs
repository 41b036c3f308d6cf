//! Command lines of our own: what is written to slip past, and what a developer types to look around.

use helve::permission::Mode;

use crate::vectors_shell::bash::{judge, word};

/// Reads a table of command lines; signs stand for what does not show.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with("# ") && !line.is_empty());
    let spelled = lines.map(|line| {
        line.replace('⏎', "\n")
            .replace('␍', "\r")
            .replace('⍽', "\u{a0}")
            .replace('␢', "\u{200b}")
    });
    spelled.collect()
}

pub(crate) const EVASIONS: &str = include_str!("evasions.txt");
pub(crate) const EVERYDAY: &str = include_str!("everyday.txt");

#[test]
fn what_is_written_to_slip_past_is_caught() {
    let lines = lines(EVASIONS);
    let passed: Vec<_> = lines
        .iter()
        .filter(|line| word(&judge(Mode::Default, line).verdict) == "allow")
        .collect();
    println!(
        "evasions: {} of {} are caught",
        lines.len() - passed.len(),
        lines.len()
    );
    assert!(lines.len() >= 300, "{}", lines.len());
    assert!(passed.is_empty(), "{passed:#?}");
}

/// What only looks around as well, but could do more than its text says.
const EVERYDAY_ASKS: &str = include_str!("everyday_asks.txt");

#[test]
fn what_could_do_more_than_look_around_asks() {
    for line in lines(EVERYDAY_ASKS) {
        assert_eq!(word(&judge(Mode::Default, &line).verdict), "ask", "{line}");
    }
}

#[test]
fn what_only_looks_around_is_not_asked_about() {
    let lines = lines(EVERYDAY);
    let judged = lines.iter().map(|line| (line, judge(Mode::Default, line)));
    let asked: Vec<_> = judged
        .filter(|(_, judgement)| word(&judgement.verdict) != "allow")
        .map(|(line, judgement)| (line, judgement.verdict))
        .collect();
    println!(
        "everyday: {} of {} run without a question",
        lines.len() - asked.len(),
        lines.len()
    );
    assert!(lines.len() >= 250, "{}", lines.len());
    assert!(asked.is_empty(), "{asked:#?}");
}
