//! What a checker found, as rows.

use std::collections::HashSet;

use serde::Serialize;

/// The greatest number of rows that are collected of one checker; more are counted.
pub(crate) const MAX_ROWS: usize = 1_000;
/// The greatest length of a message, in characters.
const MAX_MESSAGE_CHARS: usize = 1_000;
/// The greatest length of a path and of a code, in characters.
const MAX_NAME_CHARS: usize = 300;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    Error,
    Warning,
}

impl Severity {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Diagnostic {
    /// The file, relative to the root where it is below it.
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    /// The code of the lint or of the error, or the name of the test.
    pub(crate) code: Option<String>,
}

impl Diagnostic {
    pub(crate) fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self {
            file: None,
            line: None,
            column: None,
            severity,
            message: message.into(),
            code: None,
        }
    }

    pub(crate) fn at(mut self, location: Option<Location>) -> Self {
        if let Some(location) = location {
            self.file = Some(location.file);
            self.line = location.line;
            self.column = location.column;
        }
        self
    }

    pub(crate) fn with_code(mut self, code: Option<impl Into<String>>) -> Self {
        self.code = code.map(Into::into);
        self
    }

    /// Limits the length of the texts.
    fn bounded(mut self) -> Self {
        self.message = shorten(self.message.trim(), MAX_MESSAGE_CHARS);
        self.file = self.file.map(|file| shorten(&file, MAX_NAME_CHARS));
        self.code = self.code.map(|code| shorten(&code, MAX_NAME_CHARS));
        self
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) file: String,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
}

impl Location {
    /// Parses `file:line` and `file:line:column`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (rest, last) = text.rsplit_once(':')?;
        let last = last.parse().ok()?;
        let with_column = rest
            .rsplit_once(':')
            .and_then(|(file, line)| Some((file, line.parse().ok()?)));
        let (file, line, column) = match with_column {
            Some((file, line)) => (file, line, Some(last)),
            None => (rest, last, None),
        };
        (!file.is_empty()).then(|| Self {
            file: file.to_owned(),
            line: Some(line),
            column,
        })
    }

    /// Parses the location at the start of `file:line: message` and `file:line:column: message`; returns it with the
    /// message.
    pub(crate) fn parse_prefix(line: &str) -> Option<(Self, &str)> {
        let mut searched = 0;
        while let Some(found) = line.get(searched..)?.find(": ") {
            let end = searched + found;
            if let Some(location) = Self::parse(&line[..end]) {
                return Some((location, line[end + 2..].trim_start()));
            }
            searched = end + 2;
        }
        None
    }
}

/// The numbers of tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TestCounts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

/// What the output of a checker came to.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    rows: Vec<Diagnostic>,
    seen: HashSet<Diagnostic>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// The rows that were found, with those that were not kept.
    pub(crate) total: usize,
    pub(crate) tests: Option<TestCounts>,
    /// Whether the output has nothing of what the checker writes where it ran to its end.
    pub(crate) is_unread: bool,
}

impl Findings {
    /// Adds a row that is not there yet: a compiler says the same of a library and of its tests.
    pub(crate) fn push(&mut self, row: Diagnostic) {
        let row = row.bounded();
        if self.seen.contains(&row) {
            return;
        }
        self.total += 1;
        match row.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
        }
        if self.rows.len() < MAX_ROWS {
            self.seen.insert(row.clone());
            self.rows.push(row);
        }
    }

    /// Adds numbers of tests.
    pub(crate) fn count_tests(&mut self, more: TestCounts) {
        let tests = self.tests.get_or_insert_default();
        tests.passed = tests.passed.saturating_add(more.passed);
        tests.failed = tests.failed.saturating_add(more.failed);
        tests.skipped = tests.skipped.saturating_add(more.skipped);
    }

    /// Returns the rows, errors first.
    pub(crate) fn into_rows(mut self) -> Vec<Diagnostic> {
        self.rows.sort_by_key(|row| row.severity);
        self.rows
    }
}

/// Returns at most so many characters of a text.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read() {
        let place = |text| Location::parse(text).map(|at| (at.file, at.line, at.column));
        assert_eq!(
            place("a/b.rs:3:5"),
            Some(("a/b.rs".into(), Some(3), Some(5)))
        );
        assert_eq!(place("a.py:3"), Some(("a.py".into(), Some(3), None)));
        assert_eq!(place("a.py"), None);
        assert_eq!(place(":3"), None);
        let (at, message) =
            Location::parse_prefix("./a b: c.go:6:2: wants: x").expect("it has one");
        assert_eq!(
            (at.file.as_str(), at.line, message),
            ("./a b: c.go", Some(6), "wants: x")
        );
        assert_eq!(Location::parse_prefix("no location: here"), None);
    }

    #[test]
    fn rows_are_bounded_and_said_once() {
        let mut findings = Findings::default();
        for number in 0..MAX_ROWS + 5 {
            let row = Diagnostic::new(Severity::Error, format!("{number} {}", "é".repeat(2_000)));
            findings.push(row.clone());
            findings.push(row);
        }
        assert_eq!(findings.rows.len(), MAX_ROWS);
        assert!(findings.total > MAX_ROWS);
        assert_eq!(
            findings.rows[0].message.chars().count(),
            MAX_MESSAGE_CHARS + 1
        );
    }
}
