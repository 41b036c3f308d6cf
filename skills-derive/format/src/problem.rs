//! Problems: a description, a location, and advice.

use std::borrow::Cow;
use std::fmt;

use crate::codes::Code;
use crate::invisible::is_invisible;

/// A position in a file: line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

impl Position {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// Returns the position directly after the last character of `text`.
    pub(crate) fn after(text: &str) -> Self {
        let line = text.matches('\n').count() + 1;
        let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line, column }
    }
}

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The skill is not used.
    Error,
    /// The skill is used, and should be reviewed.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// A violation of a rule. `Display` renders it in the compiler's format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The severity, which decides whether the skill is used.
    pub severity: Severity,
    /// The code of the rule.
    pub code: Code,
    /// The folder of the skill; `None` if the problem concerns the whole folder.
    pub skill: Option<String>,
    /// The path of the file or folder for messages.
    pub path: String,
    /// The position in the file.
    pub at: Option<Position>,
    /// The description, on one line.
    pub message: String,
    /// The advice, on one or more lines.
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, path) = (visible(&self.message), visible(&self.path));
        write!(
            f,
            "{}[{}]: {message}\n  --> {path}",
            self.severity, self.code
        )?;
        if let Some(Position { line, column }) = self.at {
            write!(f, ":{line}:{column}")?;
        }
        if let Some(help) = &self.help {
            // Further lines are indented like the first, as in the compiler's output.
            let lines: Vec<_> = help.split('\n').map(visible).collect();
            write!(f, "\n   = help: {}", lines.join("\n           "))?;
        }
        Ok(())
    }
}

/// Escapes control and invisible characters, because names and values are untrusted.
fn visible(text: &str) -> Cow<'_, str> {
    let acts = |c: char| c.is_control() || is_invisible(c);
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().map(|c| match acts(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    });
    Cow::Owned(escaped.collect())
}

/// A problem without its file, as rules return it.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) at: Option<Position>,
    pub(crate) help: Option<String>,
    /// Whether the finding is an error in every profile, because the skill cannot be used without the missing part.
    pub(crate) is_fatal: bool,
}

impl Finding {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            at: None,
            help: None,
            is_fatal: false,
        }
    }

    pub(crate) fn with_position(mut self, at: Position) -> Self {
        self.at = Some(at);
        self
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn into_fatal(mut self) -> Self {
        self.is_fatal = true;
        self
    }
}
