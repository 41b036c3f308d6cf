//! A line of the report of `doctor`.

use std::error::Error;
use std::fmt::Display;

use helve_core::tool::chain_text;

pub(super) struct Finding {
    pub(super) level: FindingLevel,
    pub(super) text: String,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum FindingLevel {
    Ok,
    /// Information; nothing is broken.
    Note,
    /// Less is enforced, or less works, than the user would expect.
    Problem,
}

impl Finding {
    pub(super) fn ok(text: impl Into<String>) -> Self {
        let (level, text) = (FindingLevel::Ok, text.into());
        Self { level, text }
    }

    pub(super) fn note(text: impl Into<String>) -> Self {
        let (level, text) = (FindingLevel::Note, text.into());
        Self { level, text }
    }

    pub(super) fn ok_or_note(is_ok: bool, text: impl Into<String>) -> Self {
        match is_ok {
            true => Self::ok(text),
            false => Self::note(text),
        }
    }

    /// Creates a finding of a problem, with a hint that describes the solution.
    pub(super) fn problem(text: &str, hint: &str) -> Self {
        let (level, text) = (FindingLevel::Problem, format!("{text}\n    → {hint}"));
        Self { level, text }
    }

    /// Creates a finding of a problem that an error describes.
    pub(super) fn failed(error: &(dyn Error + 'static), hint: &str) -> Self {
        Self::problem(&chain_text(error), hint)
    }

    /// Creates a finding about the content of a file that the user has not accepted.
    pub(super) fn not_in_force(what: &dyn Display, binary: &str) -> Self {
        let hint = format!("run `{binary} permissions trust` to review and accept the file");
        Self::note(format!("{what}\n    → {hint}"))
    }
}
