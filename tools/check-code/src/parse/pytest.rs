//! The output of pytest with short tracebacks.

use crate::diagnostic::{Diagnostic, Findings, Location, Severity, TestCounts};

/// A failed test that is being read.
#[derive(Default)]
struct FailedTest<'t> {
    name: &'t str,
    /// The innermost place in a file of the project.
    location: Option<Location>,
    message: Vec<&'t str>,
    /// Whether what follows is what the test wrote.
    is_captured: bool,
}

/// Reads failed tests, errors of the collection and the numbers of tests.
pub(super) fn read(stdout: &str, findings: &mut Findings) {
    let mut test: Option<FailedTest<'_>> = None;
    let mut is_in_failures = false;
    for line in stdout.lines() {
        if let Some(section) = heading(line, '=') {
            push(test.take(), findings);
            is_in_failures = matches!(section, "ERRORS" | "FAILURES");
        } else if let Some(name) = heading(line, '_').filter(|_| is_in_failures) {
            push(test.take(), findings);
            test = Some(FailedTest {
                name,
                ..FailedTest::default()
            });
        } else if let Some(test) = &mut test {
            test.add(line);
        }
    }
    push(test, findings);
    if let Some(counts) = stdout.lines().rev().take(5).find_map(read_counts) {
        findings.count_tests(counts);
    }
}

impl<'t> FailedTest<'t> {
    fn add(&mut self, line: &'t str) {
        if heading(line, '-').is_some() {
            self.is_captured = true;
        }
        if self.is_captured {
            return;
        }
        if let Some(said) = line.strip_prefix("E ").or((line == "E").then_some("")) {
            self.message.push(said.strip_prefix("  ").unwrap_or(said));
        } else if !line.starts_with(' ')
            && let Some((location, rest)) = Location::parse_prefix(line)
            && rest.starts_with("in ")
            && !is_of_others(&location.file)
        {
            self.location = Some(location);
        }
    }
}

/// Reports whether a file belongs to an installed package.
fn is_of_others(file: &str) -> bool {
    file.starts_with('/') || file.starts_with("..") || file.contains("site-packages/")
}

fn push(test: Option<FailedTest<'_>>, findings: &mut Findings) {
    let Some(test) = test else {
        return;
    };
    let name = test.name.strip_prefix("ERROR collecting ");
    let collected = name.map(|file| Location {
        file: file.to_owned(),
        line: None,
        column: None,
    });
    let text = test.message.join("\n");
    let text = match text.trim() {
        "" => test.name,
        text => text,
    };
    let row = Diagnostic::new(Severity::Error, text).at(test.location.or(collected));
    findings.push(row.with_code(name.is_none().then_some(test.name)));
}

/// Returns the text of a heading that a character fills up on both sides.
fn heading(line: &str, fill: char) -> Option<&str> {
    let inner = line.strip_prefix(fill)?.strip_suffix(fill)?;
    let inner = inner.trim_matches(fill);
    inner.strip_prefix(' ')?.strip_suffix(' ').map(str::trim)
}

/// Reads `3 failed, 2 passed, 1 skipped, 1 error in 0.03s`.
fn read_counts(line: &str) -> Option<TestCounts> {
    let line = line.trim_matches('=').trim();
    let (numbers, _) = line.rsplit_once(" in ")?;
    let mut counts = TestCounts::default();
    for part in numbers.split(", ") {
        let (number, what) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match what {
            "passed" | "xpassed" => counts.passed += number,
            "failed" | "error" | "errors" => counts.failed += number,
            "skipped" | "deselected" | "xfailed" => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}
