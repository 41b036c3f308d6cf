//! The result of reading a folder: its skills and their problems.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::problem::{Problem, Severity};
use crate::report::plural;
use crate::skill::Skill;

/// The skills of a folder, and all problems.
#[derive(Debug)]
#[non_exhaustive]
pub struct Collection {
    /// The skills without errors, sorted by the names of their folders.
    pub skills: Vec<Skill>,
    /// The problems, sorted by path and position.
    pub problems: Vec<Problem>,
    /// The number of skills, including those with errors.
    pub total: usize,
    /// The folder, as the caller has named it.
    folder: String,
    /// Whether the folder is itself a single skill.
    is_single: bool,
}

impl Collection {
    pub(crate) fn new(
        folder: &str,
        single: bool,
        found: usize,
        skills: Vec<Skill>,
        mut problems: Vec<Problem>,
    ) -> Self {
        // The sort is stable: within one file and line, the order of the rules is kept.
        problems.sort_by(|left, right| (&left.path, left.at).cmp(&(&right.path, right.at)));
        Self {
            skills,
            problems,
            total: found,
            folder: folder.to_owned(),
            is_single: single,
        }
    }

    /// Returns whether there are errors.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Returns the errors.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.with_severity(Severity::Error)
    }

    /// Returns the warnings.
    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.with_severity(Severity::Warning)
    }

    /// Renders all errors as one message in the compiler's format; returns `None` if there are none.
    ///
    /// The first line starts with `subject`, which names the source, as in `include_skills!`.
    #[must_use]
    pub fn errors_message(&self, subject: &str) -> Option<String> {
        self.message(subject, Severity::Error, "problem")
    }

    /// Renders all warnings as one message, like [`errors_message`](Self::errors_message).
    #[must_use]
    pub fn warnings_message(&self, subject: &str) -> Option<String> {
        self.message(subject, Severity::Warning, "warning")
    }

    fn with_severity(&self, severity: Severity) -> impl Iterator<Item = &Problem> {
        self.problems
            .iter()
            .filter(move |problem| problem.severity == severity)
    }

    fn message(&self, subject: &str, severity: Severity, noun: &str) -> Option<String> {
        let count = self.with_severity(severity).count();
        if count == 0 {
            return None;
        }
        let mut message = format!(
            "{subject}: {} {}",
            plural(count, noun),
            self.render_location(severity)
        );
        for problem in self.with_severity(severity) {
            // Writing to a String cannot fail.
            let _ = write!(message, "\n{problem}");
        }
        Some(message)
    }

    /// Renders the location of the problems: `in 2 of 3 skills under`, or `with` for the folder itself.
    fn render_location(&self, severity: Severity) -> String {
        let concerned: BTreeSet<_> = self
            .with_severity(severity)
            .filter_map(|problem| problem.skill.as_ref())
            .collect();
        let folder = &self.folder;
        if self.is_single || concerned.is_empty() {
            return format!("with `{folder}/`");
        }
        let skills = plural(self.total, "skill");
        format!("in {} of {skills} under `{folder}/`", concerned.len())
    }
}
