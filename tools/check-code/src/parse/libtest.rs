//! The output of the test harness of Rust, which has no stable JSON.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Findings, Location, Severity, TestCounts};

/// The greatest number of lines of a failed test that are kept.
const MAX_LINES: usize = 40;

/// Reads failed tests and the numbers of tests.
pub(super) fn read(stdout: &str, findings: &mut Findings) {
    let mut failed: Vec<&str> = Vec::new();
    let mut blocks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut block: Option<&str> = None;
    for line in stdout.lines() {
        if let Some(counts) = line.strip_prefix("test result: ") {
            findings.count_tests(read_counts(counts));
            push_failures(&failed, &blocks, findings);
            failed.clear();
            blocks.clear();
            block = None;
        } else if line == "failures:" {
            block = None;
        } else if let Some(name) = line
            .strip_prefix("---- ")
            .and_then(|rest| rest.strip_suffix(" stdout ----"))
        {
            block = Some(name);
        } else if let Some(name) = block {
            let lines = blocks.entry(name).or_default();
            if lines.len() < MAX_LINES {
                lines.push(line);
            }
        } else if let Some(name) = line
            .strip_prefix("test ")
            .and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            failed.push(name);
        }
    }
    // The harness ended before it wrote a result.
    push_failures(&failed, &blocks, findings);
}

fn push_failures(failed: &[&str], blocks: &BTreeMap<&str, Vec<&str>>, findings: &mut Findings) {
    for &listed in failed {
        let name = listed.strip_suffix(" - should panic").unwrap_or(listed);
        let lines = blocks.get(name).map_or(&[][..], Vec::as_slice);
        findings.push(failure(name, lines));
    }
}

fn failure(name: &str, lines: &[&str]) -> Diagnostic {
    let panic = lines.iter().position(|line| line.contains("panicked at "));
    let panicked = panic.and_then(|at| {
        let (_, place) = lines[at].split_once("panicked at ")?;
        Location::parse(place.trim_end_matches(':'))
    });
    let location = doc_test_location(name).or(panicked);
    let said = match panic {
        Some(at) if location.is_some() => &lines[at + 1..],
        _ => lines,
    };
    let is_end = |line: &&&str| {
        **line == "stack backtrace:"
            || line.starts_with("note: run with `RUST_BACKTRACE")
            || line.starts_with("note: Some details are omitted")
    };
    let said: Vec<&str> = said
        .iter()
        .take_while(|line| !is_end(line))
        .copied()
        .collect();
    let text = said.join("\n");
    let text = match text.trim() {
        "" => "the test failed",
        text => text,
    };
    Diagnostic::new(Severity::Error, text)
        .at(location)
        .with_code(Some(name))
}

/// Returns the place of a test in the documentation, whose name is `src/lib.rs - add (line 5)`.
fn doc_test_location(name: &str) -> Option<Location> {
    let (file, rest) = name.split_once(" - ")?;
    let (_, line) = rest.rsplit_once("(line ")?;
    let line = line.split(')').next()?.parse().ok()?;
    Some(Location {
        file: file.to_owned(),
        line: Some(line),
        column: None,
    })
}

/// Reads `FAILED. 1 passed; 2 failed; 1 ignored; …`.
fn read_counts(text: &str) -> TestCounts {
    let mut counts = TestCounts::default();
    for part in text.split(['.', ';']) {
        if let Some((number, what)) = part.trim().split_once(' ')
            && let Ok(number) = number.parse()
        {
            match what {
                "passed" => counts.passed = number,
                "failed" => counts.failed = number,
                "ignored" => counts.skipped = number,
                _ => {}
            }
        }
    }
    counts
}
