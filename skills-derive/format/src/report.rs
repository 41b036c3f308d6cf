//! The report in which problems are collected.

use crate::Profile;
use crate::problem::{Finding, Problem, Severity};

/// The problems of one folder so far.
#[derive(Debug)]
pub(crate) struct Report {
    profile: Profile,
    /// The folder, as the user has named it.
    folder: String,
    pub(crate) problems: Vec<Problem>,
}

impl Report {
    /// Creates an empty report about `folder`.
    pub(crate) fn new(folder: &str, profile: Profile) -> Self {
        Self {
            profile,
            folder: folder.to_owned(),
            problems: Vec::new(),
        }
    }

    /// Returns the path of a folder beside this one.
    pub(crate) fn sibling(&self, name: &str) -> String {
        match self.folder.rsplit_once('/') {
            Some((parent, _)) => format!("{parent}/{name}"),
            None => name.to_owned(),
        }
    }

    /// Records a problem of the whole folder.
    pub(crate) fn folder(&mut self, finding: Finding) {
        let path = self.folder.clone();
        self.problems
            .extend(to_problem(self.profile, finding, None, path));
    }

    /// Records a problem of one skill at `path`, relative to the folder. Returns whether the skill can still be used.
    pub(crate) fn skill(&mut self, skill: &str, path: &str, finding: Finding) -> bool {
        let path = match path {
            "" => self.folder.clone(),
            path => format!("{}/{path}", self.folder),
        };
        let problem = to_problem(self.profile, finding, Some(skill), path);
        let harmless = problem
            .as_ref()
            .is_none_or(|problem| problem.severity == Severity::Warning);
        self.problems.extend(problem);
        harmless
    }
}

/// Converts a finding to a problem; returns `None` if the profile does not include its rule.
pub(crate) fn to_problem(
    profile: Profile,
    finding: Finding,
    skill: Option<&str>,
    path: String,
) -> Option<Problem> {
    let severity = match finding.is_fatal {
        true => Severity::Error,
        false => profile.severity(finding.code)?,
    };
    Some(Problem {
        severity,
        code: finding.code,
        skill: skill.map(str::to_owned),
        path,
        at: finding.at,
        message: finding.message,
        help: finding.help,
    })
}

/// Renders a number with its noun: `1 problem`, `2 problems`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
