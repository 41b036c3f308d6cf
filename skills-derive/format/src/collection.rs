//! What a folder holds: its skills, and all that is wrong with them.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::problem::{Problem, Severity};
use crate::report::plural;
use crate::skill::Skill;

/// The skills of a folder, and everything that is wrong there.
#[derive(Debug)]
#[non_exhaustive]
pub struct Collection {
    /// The skills without an error, sorted by their folders' names.
    pub skills: Vec<Skill>,
    /// What is wrong, sorted by path and place.
    pub problems: Vec<Problem>,
    /// How many skills there are, counting those with errors.
    pub total: usize,
    /// The folder, named as the caller wrote it.
    folder: String,
    /// Whether the folder is itself the one skill.
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
        // A stable sort: within one file and line, the order of the rules.
        problems.sort_by(|left, right| (&left.path, left.at).cmp(&(&right.path, right.at)));
        Self {
            skills,
            problems,
            total: found,
            folder: folder.to_owned(),
            is_single: single,
        }
    }

    /// Returns whether anything is an error.
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

    /// Renders every error as one message, in the shape of a compiler message; `None` if there is none.
    ///
    /// `subject` begins the first line: it names the source, as in `include_skills!`.
    #[must_use]
    pub fn errors_message(&self, subject: &str) -> Option<String> {
        self.message(subject, Severity::Error, "problem")
    }

    /// Renders every warning as one message, as [`errors_message`](Self::errors_message) does the errors.
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

    /// Returns where the problems are: `in 2 of 3 skills under`, or `with` the folder itself.
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
