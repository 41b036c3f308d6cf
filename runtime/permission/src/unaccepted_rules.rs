//! The report of a project's ignored allow rules.

use std::fmt;
use std::path::{Path, PathBuf};

use super::Rule;
use crate::acceptances::AcceptanceState;

/// The maximum number of rules that a notice names.
const MAX_NAMED_RULES: usize = 5;

/// The allow rules of a project's rule file that are ignored because the user has not accepted them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnacceptedRules {
    /// The path of the rule file.
    pub path: PathBuf,
    /// The ignored rules.
    pub allow: Vec<Rule>,
    /// Whether the user had accepted an earlier content of the file.
    pub has_changed: bool,
}

impl UnacceptedRules {
    pub(super) fn new(path: &Path, allow: Vec<Rule>, state: AcceptanceState) -> Self {
        Self {
            path: path.to_owned(),
            allow,
            has_changed: state == AcceptanceState::Changed,
        }
    }
}

impl fmt::Display for UnacceptedRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = if self.has_changed {
            AcceptanceState::Changed
        } else {
            AcceptanceState::Missing
        };
        let path = self.path.display();
        write!(f, "ignored the allow rules of `{path}` because {why}:")?;
        let named = self.allow.iter().take(MAX_NAMED_RULES);
        let named: Vec<String> = named.map(|rule| format!(" `{rule}`")).collect();
        f.write_str(&named.join(","))?;
        match self.allow.len().saturating_sub(MAX_NAMED_RULES) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
