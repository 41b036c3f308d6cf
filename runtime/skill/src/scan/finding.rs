//! The findings of a scan.

use std::fmt;

use super::line::{Rule, ScannedLine};
use helve_core::support::text::truncate;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum Severity {
    /// A reviewer would look at it. The finding is reported.
    Yellow,
    /// A reviewer would reject it. The skill is disabled until the user accepts it.
    #[default]
    Red,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yellow => "yellow",
            Self::Red => "red",
        })
    }
}

/// A part of a skill that a reviewer would question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanFinding {
    /// The severity.
    pub severity: Severity,
    /// The stable name of the rule, such as `hidden-characters`.
    pub rule: &'static str,
    /// The path of the file, relative to the skill's folder.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The line, truncated to 80 characters and without escape sequences.
    pub excerpt: String,
    /// The description of the finding.
    pub message: &'static str,
    /// The advice.
    pub help: &'static str,
}

/// The greatest length of an excerpt, in characters.
const MAX_EXCERPT_CHARS: usize = 80;

impl ScanFinding {
    /// Creates a finding of a custom source, with the line that contains it.
    #[must_use]
    pub fn new(
        severity: Severity,
        rule: &'static str,
        path: &str,
        line: usize,
        text: &str,
        message: &'static str,
        help: &'static str,
    ) -> Self {
        Self {
            severity,
            rule,
            path: path.to_owned(),
            line,
            excerpt: excerpt(text),
            message,
            help,
        }
    }

    pub(super) fn from_rule(rule: &Rule, path: &str, line: &ScannedLine<'_>) -> Self {
        let Rule {
            name,
            severity,
            message,
            help,
            ..
        } = *rule;
        Self::new(severity, name, path, line.number, &line.text, message, help)
    }

    pub(super) fn hidden(severity: Severity, path: &str, line: usize, text: &str) -> Self {
        Self::new(
            severity,
            "hidden-characters",
            path,
            line,
            text,
            "characters that show nothing, or turn the direction of text",
            "look at the line in an editor that shows them, and delete them",
        )
    }

    pub(super) fn padding(path: &str, line: usize, text: &str) -> Self {
        Self::new(
            Severity::Red,
            "padding",
            path,
            line,
            text,
            "text hidden behind excessive white space",
            "review the text, and delete the white space",
        )
    }

    pub(crate) fn too_long(path: &str) -> Self {
        Self::new(
            Severity::Yellow,
            "too-long",
            path,
            1,
            "",
            "not all of it was scanned: at most 1 MiB of a file and 8 MiB of a skill are",
            "read the rest yourself",
        )
    }

    pub(crate) fn unreadable(path: &str) -> Self {
        Self::new(
            Severity::Yellow,
            "unreadable",
            path,
            1,
            "",
            "the file could not be read again to be scanned",
            "see whether something keeps changing it",
        )
    }
}

/// Truncates a line for display, and removes characters that a terminal would interpret.
fn excerpt(text: &str) -> String {
    let shown = |c: char| {
        let hidden = c.is_control()
            || helve_untrusted::strip_invisible(c.encode_utf8(&mut [0; 4])).is_empty();
        if hidden { '\u{fffd}' } else { c }
    };
    let short = truncate(text.trim(), MAX_EXCERPT_CHARS);
    short.chars().map(shown).collect()
}

/// Writes two lines: the finding with its location, and the advice.
impl fmt::Display for ScanFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            severity,
            rule,
            path,
            line,
            excerpt,
            message,
            help,
        } = self;
        write!(
            f,
            "{severity}[{rule}] {path}:{line}: {message}: `{excerpt}`\n  help: {help}"
        )
    }
}
