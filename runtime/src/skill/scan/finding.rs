//! What a scan finds.

use std::fmt;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// A reviewer would look at it. It is said.
    Yellow,
    /// A reviewer would refuse it. The skill is left out until the user accepts it.
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

/// Something in a skill that a reviewer would ask about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanFinding {
    /// How bad it is.
    pub severity: Severity,
    /// The stable name of the rule, such as `hidden-characters`.
    pub rule: &'static str,
    /// The file, below the skill's folder.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The line itself, cut to 80 characters and with nothing in it that a terminal acts on.
    pub excerpt: String,
    /// What it is.
    pub message: &'static str,
    /// What to do about it.
    pub help: &'static str,
}

/// Writes two lines: what and where, then the help.
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
