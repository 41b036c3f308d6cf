//! The report of cases.

use std::fmt;

use crate::case::Case;
use crate::case_run::CaseRun;

/// The result of cases.
#[derive(Debug)]
#[non_exhaustive]
pub struct CasesReport {
    /// The number of cases that ran.
    pub total: usize,
    /// The cases that failed.
    pub failures: Vec<CaseFailure>,
}

/// A case that failed.
#[derive(Debug)]
#[non_exhaustive]
pub struct CaseFailure {
    /// The case.
    pub case: Case,
    /// The file and the line.
    pub location: String,
    /// What is wrong, all of it.
    pub problems: Vec<String>,
    /// What happened; `None` if the case did not run.
    pub run: Option<CaseRun>,
}

impl CasesReport {
    /// Panics with all failures of all cases, if there is one.
    ///
    /// # Panics
    /// A case failed, or there was none.
    pub fn assert_passed(&self) {
        assert!(self.total > 0, "there are no cases");
        assert!(self.failures.is_empty(), "{self}");
    }
}

impl fmt::Display for CasesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} cases failed", self.failures.len(), self.total)?;
        for failure in &self.failures {
            write!(f, "\n\n{failure}")?;
        }
        Ok(())
    }
}

impl fmt::Display for CaseFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "case {} ({})", self.case.id, self.location)?;
        if !self.case.about.is_empty() {
            write!(f, ": {}", self.case.about)?;
        }
        for problem in &self.problems {
            write!(f, "\n  - {}", problem.replace('\n', "\n    "))?;
        }
        if let Some(run) = &self.run {
            let happened = run.describe().replace('\n', "\n    ");
            write!(f, "\n  what happened:\n    {happened}")?;
        }
        Ok(())
    }
}
