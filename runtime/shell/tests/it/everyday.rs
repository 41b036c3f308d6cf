//! What developers type every day, and what is said of it.

use super::word;

const EVERYDAY: &str = include_str!("everyday.txt");

/// Returns the lines of a class; `⏎` stands for the end of a line.
fn lines(class: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut is_in = false;
    for line in EVERYDAY.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            is_in = name == class;
        } else if is_in && !line.is_empty() && (line.contains('⏎') || !line.starts_with("# ")) {
            lines.push(line.replace('⏎', "\n"));
        }
    }
    lines
}

/// Reports the share of a class that is told for what it is.
fn check(class: &str, least: usize, floor: usize) {
    let lines = lines(class);
    let others: Vec<(&str, &String)> = lines
        .iter()
        .map(|line| (word(line), line))
        .filter(|(found, _)| *found != class)
        .collect();
    for (found, line) in &others {
        println!("{class}, found {found}: {line:?}");
    }
    let held = lines.len() - others.len();
    println!("{class}: {held} of {}", lines.len());
    assert!(lines.len() >= least, "{}", lines.len());
    assert!(
        held * 100 >= lines.len() * floor,
        "{held} of {}",
        lines.len()
    );
}

#[test]
fn what_only_reads_is_allowed() {
    check("reads", 300, 95);
}

#[test]
fn what_edits_is_told_apart() {
    check("edits", 12, 95);
}

#[test]
fn what_acts_is_left_to_rules() {
    check("acts", 12, 95);
}
