//! Cases of files.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::case::Case;
use crate::case_run::CaseRun;
use crate::checks::check_run;
use crate::model::ObservedModel;
use crate::report::{CaseFailure, CasesReport};
use crate::runner::CaseRunner;
use crate::setup::{CaseSetup, CaseSubject};

/// Cases: lines of JSON that say what an agent should do.
///
/// Each case runs in a session of its own, with a folder of its own. All of its expectations are checked, and besides,
/// whatever it expects: each call has one result, a provider would accept the conversation, the session loads as the
/// same conversation, and its events replay as they were emitted.
///
/// ```
/// use helve::agent::Agent;
/// use helve::prelude::*;
/// use helve::testing::Cases;
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::testing::CasesError> {
/// let cases = Cases::parse("sums.jsonl", r#"
/// {"id": "sum", "prompt": "2 + 3?", "model": [{"calls": [{"tool": "add", "arguments": {"a": 2, "b": 3}}]}, "5."], "expect": [{"calls": {"exact": [{"tool": "add", "result": "5"}]}}, {"text": "5."}]}
/// {"id": "wrong", "prompt": "2 + 3?", "model": ["6."], "expect": [{"text": "5."}, {"calls": {"exact": ["add"]}}]}
/// "#)?;
/// let report = cases.run(|setup| Agent::with_model("main", setup.model("main")).toolset(toolset![add])).await;
/// assert_eq!(report.to_string(), "\
/// 1 of 2 cases failed
///
/// case wrong (sums.jsonl:3)
///   - expectation 1, text: `6.` is not `5.`
///   - expectation 2, calls: there are 0 calls, not 1
///   what happened:
///     end: finished, text: 6.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cases(Vec<LocatedCase>);

#[derive(Debug, Clone)]
struct LocatedCase {
    case: Case,
    /// The folder of the file, for recordings.
    folder: PathBuf,
    location: String,
}

/// The error of cases that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CasesError {
    /// A file or a folder cannot be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// A line is no case.
    #[error("{location}: {problem}")]
    Invalid {
        /// The file and the line.
        location: String,
        /// What is wrong.
        problem: String,
    },
}

impl Cases {
    /// Reads the cases of files. A `*` in the last part of the path matches any text; the files are read in the order of
    /// their names.
    ///
    /// # Errors
    /// No file is found, a file cannot be read, a line is no case, or two cases have the same id.
    pub fn load(files: impl AsRef<Path>) -> Result<Self, CasesError> {
        let mut cases = Vec::new();
        for path in find_files(files.as_ref())? {
            let text = std::fs::read_to_string(&path).map_err(|source| CasesError::Io {
                path: path.clone(),
                source,
            })?;
            cases.extend(parse_lines(&path, &text)?);
        }
        check_ids(&cases)?;
        Ok(Self(cases))
    }

    /// Parses cases, one in a line; the name is that of the file, for messages.
    ///
    /// # Errors
    /// A line is no case, or two cases have the same id.
    pub fn parse(name: &str, text: &str) -> Result<Self, CasesError> {
        let cases = parse_lines(Path::new(name), text)?;
        check_ids(&cases)?;
        Ok(Self(cases))
    }

    /// Iterates over the cases.
    pub fn iter(&self) -> impl Iterator<Item = &Case> {
        self.0.iter().map(|located| &located.case)
    }

    /// Keeps some of the cases.
    #[must_use]
    pub fn filter(mut self, keeps: impl Fn(&Case) -> bool) -> Self {
        self.0.retain(|located| keeps(&located.case));
        self
    }

    /// Runs the cases, one after the other. The function creates what is tested: once for each case, and again where
    /// another process goes on.
    pub async fn run<S: Into<CaseSubject>>(
        &self,
        subject: impl Fn(&CaseSetup<'_>) -> S,
    ) -> CasesReport {
        let subject = |setup: &CaseSetup<'_>| subject(setup).into();
        let mut failures = Vec::new();
        for located in &self.0 {
            let (problems, run) = match run_case(located, &subject).await {
                Ok((problems, run)) => (problems, Some(run)),
                Err(problem) => (vec![problem], None),
            };
            if !problems.is_empty() {
                failures.push(CaseFailure {
                    case: located.case.clone(),
                    location: located.location.clone(),
                    problems,
                    run,
                });
            }
        }
        let total = self.0.len();
        CasesReport { total, failures }
    }

    /// Runs the cases as [`run`](Self::run) does, in a runtime of its own.
    ///
    /// # Panics
    /// There is a runtime already, or it cannot be created.
    pub fn run_blocking<S: Into<CaseSubject>>(
        &self,
        subject: impl Fn(&CaseSetup<'_>) -> S,
    ) -> CasesReport {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("the runtime of the test starts");
        runtime.block_on(self.run(subject))
    }
}

/// Runs a case. Returns what is wrong, and what happened.
async fn run_case(
    located: &LocatedCase,
    subject: &dyn Fn(&CaseSetup<'_>) -> CaseSubject,
) -> Result<(Vec<String>, CaseRun), String> {
    let case = &located.case;
    let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
    write_files(case, folder.path()).map_err(|error| format!("its files: {error}"))?;
    let own = case.model.iter().map(|model| (&case.agent, model));
    let models = own
        .chain(&case.models)
        .map(|(name, model)| Ok((name.clone(), ObservedModel::new(model, &located.folder)?)));
    let models = models.collect::<Result<BTreeMap<_, _>, String>>()?;
    let run = CaseRunner::new(case, &models, folder.path(), subject)
        .run()
        .await;
    Ok((check_run(case, &run, folder.path()), run))
}

fn write_files(case: &Case, folder: &Path) -> io::Result<()> {
    for (path, text) in &case.files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// Lists the files of a pattern, sorted.
fn find_files(pattern: &Path) -> Result<Vec<PathBuf>, CasesError> {
    let io_error = |path: &Path| {
        let path = path.to_owned();
        |source| CasesError::Io { path, source }
    };
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    let Some((start, end)) = name.split_once('*') else {
        return Ok(vec![pattern.to_owned()]);
    };
    let folder = pattern.parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io_error(folder))? {
        let path = entry.map_err(io_error(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let rest = name.strip_prefix(start);
        if rest.is_some_and(|rest| rest.ends_with(end)) {
            found.push(path);
        }
    }
    found.sort();
    match found.is_empty() {
        true => Err(io_error(pattern)(io::ErrorKind::NotFound.into())),
        false => Ok(found),
    }
}

fn parse_lines(path: &Path, text: &str) -> Result<Vec<LocatedCase>, CasesError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut cases = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let location = format!("{name}:{number}");
        let case: Case = match serde_json::from_str(line) {
            Ok(case) => case,
            Err(error) => {
                let problem = error.to_string();
                return Err(CasesError::Invalid { location, problem });
            }
        };
        if let Some(problem) = case.mistake() {
            let problem = problem.to_owned();
            return Err(CasesError::Invalid { location, problem });
        }
        cases.push(LocatedCase {
            case,
            folder: folder.to_owned(),
            location,
        });
    }
    Ok(cases)
}

fn check_ids(cases: &[LocatedCase]) -> Result<(), CasesError> {
    let mut ids = BTreeSet::new();
    match cases.iter().find(|located| !ids.insert(&located.case.id)) {
        None => Ok(()),
        Some(located) => Err(CasesError::Invalid {
            location: located.location.clone(),
            problem: format!("there is another case `{}`", located.case.id),
        }),
    }
}
