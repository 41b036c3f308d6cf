//! The result of a call.

use std::fmt::Write as _;

use helve::prelude::*;
use serde::Serialize;

use super::checker::{CheckKind, Checker};
use super::diagnostic::{Diagnostic, TestCounts};
use super::run::{CheckOutcome, CheckState};

/// The structured result.
#[derive(Serialize)]
struct CheckReportData<'r> {
    kind: CheckKind,
    /// Whether every checker ran and found no mistake.
    passed: bool,
    checks: Vec<CheckData<'r>>,
    rows: Vec<&'r Diagnostic>,
    /// The number of rows that are not in `rows`.
    omitted_rows: usize,
}

#[derive(Serialize)]
struct CheckData<'r> {
    checker: Checker,
    command: String,
    state: CheckState,
    errors: usize,
    warnings: usize,
    tests: Option<TestCounts>,
    /// The duration in seconds.
    duration: f64,
    remarks: &'r [String],
}

/// Returns the result of the checks, with at most so many rows.
pub(crate) fn report(
    kind: CheckKind,
    outcomes: &[CheckOutcome],
    max_rows: usize,
) -> Result<ToolOutput, ToolError> {
    let total: usize = outcomes.iter().map(|outcome| outcome.total).sum();
    let mut left = max_rows;
    let mut shown = Vec::new();
    let mut text = String::new();
    for outcome in outcomes {
        let rows = &outcome.rows[..outcome.rows.len().min(left)];
        left -= rows.len();
        write_outcome(&mut text, outcome, rows);
        shown.extend(rows);
    }
    let omitted = total - shown.len();
    let first = first_line(kind, outcomes, shown.len(), total);
    let data = CheckReportData {
        kind,
        passed: outcomes
            .iter()
            .all(|outcome| outcome.state == CheckState::Passed),
        checks: outcomes.iter().map(check_data).collect(),
        rows: shown,
        omitted_rows: omitted,
    };
    let output = ToolOutput::plain(format!("{first}\n{}", text.trim_end()));
    let output = output.with_structured(&data)?;
    Ok(if omitted > 0 {
        output.with_note(format!(
            "[{omitted} of {total} rows are not shown: fix what is shown and check again, or pass a narrower `path` or a \
             larger `max_rows`]"
        ))
    } else {
        output
    })
}

/// Says what was checked, how it ended and how much of it is shown.
fn first_line(kind: CheckKind, outcomes: &[CheckOutcome], shown: usize, total: usize) -> String {
    let states: Vec<String> = outcomes
        .iter()
        .map(|outcome| format!("{} {}", outcome.check.checker, state_words(outcome)))
        .collect();
    let rows = match (shown, total) {
        (_, 0) => String::new(),
        (1, 1) => "; 1 row".to_owned(),
        (shown, total) if shown == total => format!("; all {total} rows"),
        (shown, total) => format!("; the first {shown} of {total} rows"),
    };
    format!("{}: {}{rows}", kind.name(), states.join(", "))
}

fn state_words(outcome: &CheckOutcome) -> String {
    match outcome.state {
        CheckState::Passed => "passed".to_owned(),
        CheckState::Failed => "failed".to_owned(),
        CheckState::Broken => "ended without saying what it found".to_owned(),
        CheckState::TimedOut => format!("did not end within {:.0} s", outcome.took.as_secs_f64()),
        CheckState::NotInstalled => "is not installed".to_owned(),
    }
}

fn write_outcome(text: &mut String, outcome: &CheckOutcome, rows: &[Diagnostic]) {
    let mut numbers = Vec::new();
    if let Some(tests) = outcome.tests {
        numbers.push(format!("{} passed", tests.passed));
        numbers.push(format!("{} failed", tests.failed));
        if tests.skipped > 0 {
            numbers.push(format!("{} skipped", tests.skipped));
        }
    } else if outcome.total > 0 {
        numbers.push(count(outcome.errors, "error"));
        numbers.push(count(outcome.warnings, "warning"));
    }
    numbers.extend(outcome.remarks.iter().cloned());
    let command = outcome.check.command_line();
    let numbers = match &*numbers {
        [] => String::new(),
        numbers => format!(" [{}]", numbers.join(", ")),
    };
    // Writing to a string does not fail.
    let _ = writeln!(text, "\n$ {command}{numbers}");
    for row in rows {
        let _ = writeln!(text, "{}", render_row(row));
    }
    if !outcome.tail.is_empty() {
        let _ = writeln!(text, "{}", outcome.tail);
    }
}

/// Renders a number with its noun.
fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {one}s"),
    }
}

/// Returns `file:line:column: severity[code]: message`, with further lines of the message indented.
fn render_row(row: &Diagnostic) -> String {
    let mut text = String::new();
    if let Some(file) = &row.file {
        text.push_str(file);
        for number in [row.line, row.column].into_iter().flatten() {
            let _ = write!(text, ":{number}");
        }
        text.push_str(": ");
    }
    text.push_str(row.severity.name());
    if let Some(code) = &row.code {
        let _ = write!(text, "[{code}]");
    }
    let _ = write!(text, ": {}", row.message.replace('\n', "\n    "));
    text
}

fn check_data(outcome: &CheckOutcome) -> CheckData<'_> {
    CheckData {
        checker: outcome.check.checker,
        command: outcome.check.command_line(),
        state: outcome.state,
        errors: outcome.errors,
        warnings: outcome.warnings,
        tests: outcome.tests,
        duration: (outcome.took.as_secs_f64() * 1_000.0).round() / 1_000.0,
        remarks: &outcome.remarks,
    }
}
