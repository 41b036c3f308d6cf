//! The problems of an agent file.

use std::fmt;

use crate::problem::Severity;

/// A problem of an agent file. `Display` renders it without the path of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentProblem {
    /// Whether the file is used in spite of the problem.
    pub severity: Severity,
    /// The line, counted from 1.
    pub line: usize,
    /// The description, on one line.
    pub message: String,
    /// The advice.
    pub help: Option<String>,
}

impl AgentProblem {
    /// Renders the problem in the format of the compiler, with the path of its file.
    #[must_use]
    pub fn render(&self, path: &str) -> String {
        let Self {
            severity,
            line,
            message,
            help,
        } = self;
        let mut text = format!("{severity}: {message}\n  --> {path}:{line}");
        if let Some(help) = help {
            text.push_str(&format!("\n   = help: {help}"));
        }
        text
    }
}

impl fmt::Display for AgentProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<AgentProblem>);

impl Problems {
    pub(super) fn error(&mut self, line: usize, message: impl Into<String>, help: Option<&str>) {
        self.push(Severity::Error, line, message.into(), help);
    }

    pub(super) fn warning(&mut self, line: usize, message: impl Into<String>, help: Option<&str>) {
        self.push(Severity::Warning, line, message.into(), help);
    }

    fn push(&mut self, severity: Severity, line: usize, message: String, help: Option<&str>) {
        self.0.push(AgentProblem {
            severity,
            line,
            message,
            help: help.map(str::to_owned),
        });
    }

    /// Returns the problems in the order of the file.
    pub(super) fn sorted(mut self) -> Vec<AgentProblem> {
        self.0.sort_by_key(|problem| problem.line);
        self.0
    }
}
