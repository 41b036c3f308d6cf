//! What is wrong, where, and what to do about it.

use std::borrow::Cow;
use std::fmt;

use crate::codes::Code;
use crate::invisible::is_invisible;

/// A place inside a file: line and column, both from one, counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from one.
    pub line: usize,
    /// The column, from one, in characters.
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

/// How bad a problem is.
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

/// One breach of one rule. `Display` shows it as the compiler shows its own messages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Whether the skill is used all the same.
    pub severity: Severity,
    /// Which rule.
    pub code: Code,
    /// The folder of the skill; `None` if the problem is one of the whole folder.
    pub skill: Option<String>,
    /// The file or folder, as the user would name it.
    pub path: String,
    /// The place in the file.
    pub at: Option<Position>,
    /// What is wrong, in one line.
    pub message: String,
    /// What to do, in one line or more.
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
            // Further lines stand under the first, as the compiler sets them.
            let lines: Vec<_> = help.split('\n').map(visible).collect();
            write!(f, "\n   = help: {}", lines.join("\n           "))?;
        }
        Ok(())
    }
}

/// Shows what a terminal would act on, or what is invisible, as an escape: names and values come from anywhere.
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

/// What is wrong, before it is known in which file: what a rule returns.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) at: Option<Position>,
    pub(crate) help: Option<String>,
    /// Whether it is an error in every profile, because nothing can be used without what is missing.
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
