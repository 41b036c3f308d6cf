//! The output of test runs: of cargo, nextest, pytest, vitest, jest, go, mocha and programs that write TAP.
//!
//! Of a successful run, the summary and the warnings are kept. Of any other run, only the lines of passed tests and of
//! progress are removed, so that no line that reports a failure is lost, whatever the runner.

use super::lines::{is_failure, is_omission_notice, is_warning, join_lines};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// The result of a run.
    Summary,
    /// A test passed or was skipped.
    Passed,
    /// A progress message of the runner or the compiler.
    Noise,
    /// A failure.
    Failure,
    /// A warning, or a notice about omitted text.
    Notice,
    Other,
}

/// Keeps the summary of a successful run, and all but the passed tests of any other run; `None` if the text is not the
/// output of a test run.
pub(super) fn reduce(text: &str, went_well: bool) -> Option<String> {
    let lines: Vec<(LineKind, &str)> = text.lines().map(|line| (line_kind(line), line)).collect();
    let has = |wanted: LineKind| lines.iter().any(|(kind, _)| *kind == wanted);
    if !has(LineKind::Summary) && !has(LineKind::Passed) {
        return None;
    }
    let says_passed =
        |(kind, line): &(LineKind, &str)| *kind == LineKind::Summary && reports_passed(line);
    let is_green = went_well && !has(LineKind::Failure) && lines.iter().any(says_passed);
    let kept = lines.iter().filter(|(kind, _)| match kind {
        LineKind::Summary | LineKind::Notice => true,
        LineKind::Failure | LineKind::Other => !is_green,
        LineKind::Passed | LineKind::Noise => false,
    });
    Some(join_lines(kept.map(|(_, line)| *line)))
}

fn line_kind(line: &str) -> LineKind {
    let trimmed = line.trim();
    if is_omission_notice(line) {
        LineKind::Notice
    } else if is_passed(trimmed) {
        LineKind::Passed
    } else if is_failure(line) || is_progress(trimmed, ".sxXFE") {
        LineKind::Failure
    } else if is_summary(trimmed) {
        LineKind::Summary
    } else if is_warning(line) {
        LineKind::Notice
    } else if is_noise(trimmed) {
        LineKind::Noise
    } else {
        LineKind::Other
    }
}

/// Reports whether a summary counts passed tests, and no failed ones.
fn reports_passed(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("ok")
        || line == "PASS"
        || ["passed", "passing", ": ok."]
            .iter()
            .any(|word| line.contains(word))
}

fn is_passed(line: &str) -> bool {
    let of_cargo =
        line.starts_with("test ") && (line.ends_with("... ok") || line.contains("... ignored"));
    let of_pytest = line.contains("::") && {
        let verdict = line
            .rsplit_once('[')
            .map_or(line, |(verdict, _)| verdict.trim_end());
        ["PASSED", "XFAIL", "SKIPPED"]
            .iter()
            .any(|word| verdict.ends_with(word))
    };
    let signs = ["✓ ", "√ ", "✔ ", "○ ", "↓ "];
    let words = [
        "PASS ",
        "--- PASS:",
        "--- SKIP:",
        "=== RUN ",
        "=== PAUSE ",
        "=== CONT ",
    ];
    let of_tap = line
        .strip_prefix("ok ")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    // The output of a test may be on the same line.
    let has_more = line.contains("panicked") || line.contains("FAIL");
    !has_more
        && (of_cargo
            || of_pytest
            || of_tap
            || is_progress(line, ".sx")
            || signs.iter().any(|sign| line.starts_with(sign))
            || words.iter().any(|word| line.starts_with(word)))
}

/// Reports whether a line is a progress line of `pytest` in which all letters are among those given: `a_test.py ..s. [
/// 50%]`.
fn is_progress(line: &str, letters: &str) -> bool {
    let line = match line.rsplit_once('[') {
        Some((tests, percent)) if percent.ends_with("%]") => tests.trim_end(),
        _ => line,
    };
    let tests = line.rsplit(' ').next().unwrap_or_default();
    let file = line.strip_suffix(tests).unwrap_or_default().trim_end();
    tests.contains(['.', 'F', 'E'])
        && tests.chars().all(|letter| letters.contains(letter))
        && (file.is_empty() && tests.len() > 3 || file.ends_with(".py"))
}

fn is_summary(line: &str) -> bool {
    let has_number = line.contains(|c: char| c.is_ascii_digit());
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let bare = line.trim_matches('=').trim();
    let of_pytest = || {
        let ends = bare
            .rsplit_once(" in ")
            .is_some_and(|(_, time)| time.starts_with(|c: char| c.is_ascii_digit()));
        let counts = [" passed", " skipped", " deselected", " xfailed", " warning"];
        ends && bare.starts_with(|c: char| c.is_ascii_digit())
            && counts.iter().any(|count| bare.contains(count))
    };
    let of_mocha = || {
        let word = line.split(' ').nth(1);
        line.starts_with(|c: char| c.is_ascii_digit())
            && matches!(word, Some("passing" | "pending"))
    };
    begins(&["test result: ", "ok  \t", "ok \t", "?   \t", "coverage: "])
        || line == "PASS"
        || has_number
            && (begins(&[
                "Test Files ",
                "Tests ",
                "Tests:",
                "Test Suites:",
                "Snapshots",
                "Duration ",
                "Time:",
                "Summary [",
                "# tests ",
                "# pass ",
            ]) || of_pytest()
                || of_mocha())
}

fn is_noise(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    match word {
        "Compiling" | "Downloading" | "Downloaded" | "Fresh" | "Blocking" | "Checking"
        | "Finished" | "RUN" | "rootdir:" | "plugins:" | "cachedir:" => true,
        "running" => line.ends_with(" tests") || line.ends_with(" test"),
        "platform" => line.contains("Python"),
        "collected" => line.contains(" item"),
        _ => false,
    }
}
