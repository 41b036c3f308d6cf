//! The one compile error: every problem of every skill, in the shape of a compiler message.

use std::collections::BTreeSet;
use std::fmt::Write;

/// A stable code, as it is printed: `SK0113`. A code is never reused for another meaning.
pub type Code = &'static str;

/// A place inside a file: line and column, both from one, counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// What is wrong, before it is known in which file: what a rule returns.
#[derive(Debug)]
pub struct Finding {
    pub code: Code,
    pub message: String,
    pub at: Option<Position>,
    pub help: Option<String>,
}

impl Finding {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            at: None,
            help: None,
        }
    }

    pub fn at(mut self, at: Position) -> Self {
        self.at = Some(at);
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Everything that is wrong under one folder, collected until [`Report::finish`].
#[derive(Debug)]
pub struct Report {
    folder: String,
    skills: usize,
    problems: Vec<(Option<String>, String, Finding)>,
}

impl Report {
    /// Starts an empty report about `folder`, named as the user wrote it.
    pub fn new(folder: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            skills: 0,
            problems: Vec::new(),
        }
    }

    /// Says how many skills the problems are counted against.
    pub fn count_skills(&mut self, skills: usize) {
        self.skills = skills;
    }

    /// Records a problem of the whole folder.
    pub fn folder(&mut self, finding: Finding) {
        self.problems.push((None, self.folder.clone(), finding));
    }

    /// Records a problem of one skill, in `path` below the folder.
    pub fn skill(&mut self, skill: &str, path: &str, finding: Finding) {
        let path = format!("{}/{path}", self.folder);
        self.problems.push((Some(skill.to_owned()), path, finding));
    }

    /// Gives the whole message, unless nothing was recorded.
    pub fn finish(mut self) -> Result<(), String> {
        if self.problems.is_empty() {
            return Ok(());
        }
        // A stable sort: within one file and line, the order of the rules.
        self.problems
            .sort_by(|(_, left, a), (_, right, b)| (left, a.at).cmp(&(right, b.at)));
        let mut message = self.headline();
        for (_, path, finding) in &self.problems {
            let place = match finding.at {
                Some(at) => format!("{path}:{}:{}", at.line, at.column),
                None => path.clone(),
            };
            // Writing to a String cannot fail.
            let _ = write!(
                message,
                "\nerror[{}]: {}\n  --> {place}",
                finding.code, finding.message
            );
            if let Some(help) = &finding.help {
                let _ = write!(message, "\n   = help: {help}");
            }
        }
        Err(message)
    }

    fn headline(&self) -> String {
        let problems = plural(self.problems.len(), "problem");
        let failing: BTreeSet<_> = self
            .problems
            .iter()
            .filter_map(|(skill, ..)| skill.as_ref())
            .collect();
        let folder = &self.folder;
        if failing.is_empty() {
            return format!("include_skills!: {problems} with `{folder}/`");
        }
        let skills = plural(self.skills, "skill");
        format!(
            "include_skills!: {problems} in {} of {skills} under `{folder}/`",
            failing.len()
        )
    }
}

/// Renders a number with its noun: `1 problem`, `2 problems`.
pub fn plural(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn the_message_has_the_compilers_shape() {
        let mut report = Report::new("skills");
        report.count_skills(3);
        report.skill(
            "pdf",
            "pdf/SKILL.md",
            Finding::new("SK0115", "second").at(Position { line: 9, column: 1 }),
        );
        report.skill(
            "pdf",
            "pdf/SKILL.md",
            Finding::new("SK0102", "first")
                .at(Position {
                    line: 3,
                    column: 31,
                })
                .help("quote it"),
        );
        insta::assert_snapshot!(report.finish().unwrap_err(), @"
        include_skills!: 2 problems in 1 of 3 skills under `skills/`
        error[SK0102]: first
          --> skills/pdf/SKILL.md:3:31
           = help: quote it
        error[SK0115]: second
          --> skills/pdf/SKILL.md:9:1
        ");
    }

    #[test]
    fn a_problem_of_the_folder_counts_no_skills() {
        let mut report = Report::new("skills");
        report.folder(Finding::new("SK0121", "there is no folder"));
        insta::assert_snapshot!(report.finish().unwrap_err(), @"
        include_skills!: 1 problem with `skills/`
        error[SK0121]: there is no folder
          --> skills
        ");
    }

    #[test]
    fn nothing_recorded_is_no_error() {
        assert_eq!(Report::new("skills").finish(), Ok(()));
    }
}
