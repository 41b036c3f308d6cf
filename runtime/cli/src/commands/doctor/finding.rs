//! A line of the report of `doctor`.

/// A line of the report.
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

    /// Creates a finding of a problem, with a hint that describes the solution.
    pub(super) fn problem(text: &str, hint: &str) -> Self {
        let (level, text) = (FindingLevel::Problem, format!("{text}\n    → {hint}"));
        Self { level, text }
    }
}
