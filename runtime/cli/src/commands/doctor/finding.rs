//! A line of the report of `doctor`.

use std::error::Error;
use std::fmt::{self, Display};

use serde::Serialize;

use helve_core::tool::chain_text;

#[derive(Serialize)]
pub(super) struct Finding {
    pub(super) level: FindingLevel,
    pub(super) text: String,
    /// What to do about it.
    pub(super) hint: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FindingLevel {
    Ok,
    /// Information; nothing is broken.
    Note,
    /// Less is enforced, or less works, than the user would expect.
    Problem,
}

impl Finding {
    pub(super) fn ok(text: impl Into<String>) -> Self {
        Self::new(FindingLevel::Ok, text)
    }

    pub(super) fn note(text: impl Into<String>) -> Self {
        Self::new(FindingLevel::Note, text)
    }

    fn new(level: FindingLevel, text: impl Into<String>) -> Self {
        Self {
            level,
            text: text.into(),
            hint: None,
        }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn ok_or_note(is_ok: bool, text: impl Into<String>) -> Self {
        match is_ok {
            true => Self::ok(text),
            false => Self::note(text),
        }
    }

    /// Creates a finding of a problem, with a hint that describes the solution.
    pub(super) fn problem(text: &str, hint: &str) -> Self {
        Self::new(FindingLevel::Problem, text).with_hint(hint)
    }

    /// Creates a finding of a problem that an error describes.
    pub(super) fn failed(error: &(dyn Error + 'static), hint: &str) -> Self {
        Self::problem(&chain_text(error), hint)
    }

    /// Creates a finding about the content of a file that the user has not accepted.
    pub(super) fn not_in_force(what: &dyn Display, binary: &str) -> Self {
        let hint = format!("run `{binary} permissions trust` to review and accept the file");
        Self::note(what.to_string()).with_hint(hint)
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.level {
            FindingLevel::Ok => '✓',
            FindingLevel::Note => '·',
            FindingLevel::Problem => '✗',
        };
        write!(f, "{mark} {}", self.text)?;
        match &self.hint {
            Some(hint) => write!(f, "\n    → {hint}"),
            None => Ok(()),
        }
    }
}
