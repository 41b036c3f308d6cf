//! Runs a command of a check in the sandbox.

mod places;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use helve::capability::{CapabilityError, Command};
use helve::prelude::*;
use helve::sandbox::{Exit, SandboxError};
use helve::tool::Interruption;
use serde::Serialize;
use tokio::time::Instant;

use super::checker::{CheckKind, Checker};
use super::diagnostic::{Diagnostic, Findings, TestCounts};
use super::parse::{self, CheckerOutput};
use super::plan::PlannedCheck;

/// The number of bytes that are read of each stream.
const MAX_OUTPUT: usize = 12 << 20;
/// How long before the deadline of its call a command is ended, so that the result can be returned.
const MARGIN: Duration = Duration::from_millis(500);
/// The number of lines and characters that are shown of what a checker wrote where no row says why it failed.
const MAX_TAIL_LINES: usize = 30;
const MAX_TAIL_CHARS: usize = 2_000;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckState {
    /// The checker found no mistake; there may be warnings.
    Passed,
    /// The checker found mistakes, or tests failed.
    Failed,
    /// The checker ended without saying what it found.
    Broken,
    TimedOut,
    NotInstalled,
}

/// What a check came to.
#[derive(Debug)]
pub(crate) struct CheckOutcome {
    pub(crate) check: PlannedCheck,
    pub(crate) state: CheckState,
    pub(crate) rows: Vec<Diagnostic>,
    /// The number of rows that were found.
    pub(crate) total: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) tests: Option<TestCounts>,
    pub(crate) took: Duration,
    /// Words of the tool about the check.
    pub(crate) remarks: Vec<String>,
    /// The end of what the checker wrote, where no row says why it failed.
    pub(crate) tail: String,
}

impl CheckOutcome {
    fn new(check: PlannedCheck, state: CheckState, took: Duration) -> Self {
        Self {
            check,
            state,
            rows: Vec::new(),
            total: 0,
            errors: 0,
            warnings: 0,
            tests: None,
            took,
            remarks: Vec::new(),
            tail: String::new(),
        }
    }
}

/// Runs a check until it ends, or until the timeout.
pub(crate) async fn run(
    cx: &ToolContext,
    check: PlannedCheck,
    root: &Path,
    until: Instant,
) -> Result<CheckOutcome, ToolError> {
    let begun = Instant::now();
    let until = match cx.deadline() {
        Some(deadline) => until.min(deadline.checked_sub(MARGIN).unwrap_or(deadline)),
        None => until,
    };
    let remaining = until.saturating_duration_since(begun);
    if remaining.is_zero() {
        return Ok(CheckOutcome::new(
            check,
            CheckState::TimedOut,
            Duration::ZERO,
        ));
    }
    let process = cx.process();
    let running = process.run(command(&check, &check.args, remaining));
    let output = tokio::select! {
        output = running => output,
        () = cx.cancellation().cancelled() => return Err(Interruption::cancelled(true).into()),
    };
    let took = begun.elapsed();
    let output = match output {
        Ok(output) => output,
        Err(error) if is_not_found(&error) => {
            let hint = check.checker.hint_to_install();
            let mut outcome = CheckOutcome::new(check, CheckState::NotInstalled, took);
            outcome.remarks.push(hint.to_owned());
            return Ok(outcome);
        }
        Err(error) => return Err(error.into()),
    };
    if let Exit::SandboxFailed(why) = &output.exit {
        let message = format!(
            "the sandbox could not run `{}`: {why}",
            check.command_line()
        );
        return Err(ToolError::failed(message));
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let texts = CheckerOutput {
        stdout: &stdout,
        stderr: &stderr,
    };
    let findings = parse::findings(&check, &texts);
    let mut outcome = judge(check, &output.exit, findings, &texts, took);
    places::resolve(cx, &mut outcome, root, until).await;
    if output.truncated {
        let limit = MAX_OUTPUT >> 20;
        outcome.remarks.push(format!(
            "the checker wrote more than {limit} MiB, of which the rest was not read: there may be more rows"
        ));
    }
    Ok(outcome)
}

fn command(check: &PlannedCheck, args: &[String], timeout: Duration) -> Command {
    let mut command = Command::new(&check.program, args);
    command.working_folder = Some(check.folder.clone());
    command.timeout = Some(timeout);
    command.max_output_bytes = MAX_OUTPUT;
    let variables: &[(&str, &str)] = match check.checker {
        Checker::Cargo => &[
            ("CARGO_TERM_COLOR", "never"),
            ("CARGO_TERM_PROGRESS_WHEN", "never"),
            ("RUST_BACKTRACE", "0"),
        ],
        Checker::Pytest => &[("PY_COLORS", "0"), ("PYTHONDONTWRITEBYTECODE", "1")],
        Checker::Ruff => &[("RUFF_NO_CACHE", "true")],
        Checker::Tsc | Checker::Eslint | Checker::Go => &[],
    };
    let variables = [("NO_COLOR", "1")].iter().chain(variables);
    command.environment = variables
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    command
}

/// Reports whether the program is missing.
fn is_not_found(error: &CapabilityError) -> bool {
    let sandbox = error.source().and_then(|source| source.downcast_ref());
    matches!(sandbox, Some(SandboxError::ProgramNotFound { .. }))
}

fn judge(
    check: PlannedCheck,
    exit: &Exit,
    findings: Findings,
    output: &CheckerOutput<'_>,
    took: Duration,
) -> CheckOutcome {
    let has_errors = findings.errors > 0;
    let no_tests = check.checker == Checker::Pytest && *exit == Exit::Code(5);
    let lacks_subcommand = output.stderr.contains("no such command: `clippy`")
        || output.stderr.contains("'cargo-clippy' is not installed");
    let state = match exit {
        Exit::TimedOut => CheckState::TimedOut,
        _ if lacks_subcommand => CheckState::NotInstalled,
        Exit::Code(0) if !has_errors && !findings.is_unread => CheckState::Passed,
        _ if no_tests => CheckState::Passed,
        _ if findings.total > 0 => CheckState::Failed,
        _ => CheckState::Broken,
    };
    let mut outcome = CheckOutcome::new(check, state, took);
    if no_tests
        || (outcome.check.kind == CheckKind::Tests
            && state == CheckState::Passed
            && ran_none(&findings))
    {
        outcome.remarks.push("no tests ran".to_owned());
    }
    if lacks_subcommand {
        let hint = "install clippy with `rustup component add clippy`";
        outcome.remarks.push(hint.to_owned());
    }
    let ended_badly = !matches!(exit, Exit::Code(_) | Exit::TimedOut);
    if ended_badly {
        outcome.remarks.push(exit.to_string());
    }
    let fails = matches!(state, CheckState::Broken | CheckState::Failed);
    // Cargo says so of a test or of a build script that ended in another way than by failing.
    let is_abort = output.stderr.contains("process didn't exit successfully");
    if fails && (!has_errors || is_abort) {
        outcome.tail = tail(output, findings.total);
    }
    outcome.total = findings.total;
    outcome.errors = findings.errors;
    outcome.warnings = findings.warnings;
    outcome.tests = findings.tests;
    outcome.rows = findings.into_rows();
    outcome
}

fn ran_none(findings: &Findings) -> bool {
    findings
        .tests
        .is_none_or(|tests| tests.passed + tests.failed == 0)
}

/// Returns the end of what a checker wrote: of its errors, or of its output if there are none. JSON that was read is left
/// out.
fn tail(output: &CheckerOutput<'_>, total: usize) -> String {
    let text = match output.stderr.trim() {
        "" => output.stdout.trim(),
        text => text,
    };
    let is_json = |line: &&str| line.starts_with(['{', '[']);
    let mut lines: Vec<&str> = text.lines().filter(|line| !is_json(line)).collect();
    if lines.is_empty() && total == 0 {
        lines = text.lines().collect();
    }
    let last = &lines[lines.len().saturating_sub(MAX_TAIL_LINES)..];
    let text = last.join("\n");
    let over = text.chars().count().saturating_sub(MAX_TAIL_CHARS);
    text.chars().skip(over).collect()
}
