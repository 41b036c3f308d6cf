//! The tool.

use std::path::{Path, PathBuf};
use std::time::Duration;

use helve::prelude::*;
use helve::tool::{Check, CheckReport, FileAccess};
use tokio::time::Instant;

use super::checker::{CheckKind, Checker};
use super::project::{CheckRequest, Project};
use super::{report, run};

/// How many seconds the checks of a call may take.
const DEFAULT_TIMEOUT: u64 = 600;

/// The settings of `check_code`.
#[helve::data]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[serde(default)]
pub struct CheckCodeSettings {
    /// The seconds that the checks of a call may take [default: 600]
    #[schemars(range(min = 1, max = 3600))]
    pub timeout: Option<u64>,
    /// What is checked after a tool changed a file, where the app has the hook for it [default: nothing]
    pub after_edit: Option<CheckKind>,
}

/// Checks the code of a project with the checkers that it uses, and returns what they found as rows.
///
/// `kind` is `types` (whether it compiles), `lint`, or `tests`. The checkers are found from the files of the project:
/// cargo, tsc, eslint, ruff, pytest and go. They run in the sandbox, and may write what they build. Each row has the
/// file, line and column, the severity, the code of the lint or the name of the test, and the message. Use it after
/// changes, rather than the checkers in a shell.
#[tool(
    title = "Check code",
    risk = "medium",
    destructive = false,
    untrusted_output,
    max_result_chars = 30_000,
    requires(fs, process),
    check = check,
    match_rule = match_rule,
    suggest_rules = suggest_rules,
    examples = [
        r#"{"kind": "lint"}"#,
        r#"{"kind": "tests", "path": "crates/parser", "filter": "empty_input"}"#
    ]
)]
pub async fn check_code(
    /// What is checked: `types`, `lint` or `tests`.
    kind: CheckKind,
    /// The file or folder to check: that of the project, or a part of it.
    #[arg(default = ".", min_len = 1, max_len = 1_000)]
    path: &str,
    /// The only checker to run, where a project has several.
    checker: Option<Checker>,
    /// With `tests`: a part of the names of the tests to run.
    #[arg(
        min_len = 1,
        max_len = 200,
        pattern = "^[A-Za-z0-9_][A-Za-z0-9_:./ -]*$",
        example = "empty_input"
    )]
    filter: Option<&str>,
    /// How many rows to return.
    #[arg(default = 100, min = 1, max = 500)]
    max_rows: usize,
    settings: Option<&CheckCodeSettings>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let request = CheckRequest {
        kind,
        path,
        checker,
        filter: filter.filter(|_| kind == CheckKind::Tests),
    };
    let project = Project::open(cx.fs()?, &resolve_path(cx, path)).await?;
    let planned = project.plan(&request).await;
    if planned.is_empty() {
        return Err(ToolError::failed(project.nothing_to_run(&request).await));
    }
    if cx.is_dry_run() {
        let lines = planned.iter().map(|check| {
            let folder = check.folder.display();
            format!("would run `{}` in {folder}", check.command_line())
        });
        let lines: Vec<String> = lines.collect();
        return Ok(ToolOutput::plain(format!(
            "dry run, nothing runs: {}",
            lines.join("; ")
        )));
    }
    let configured = settings.and_then(|settings| settings.timeout);
    let seconds = configured.unwrap_or(DEFAULT_TIMEOUT);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut outcomes = Vec::new();
    for check in planned {
        cx.progress()
            .message(format!("running `{}`", check.command_line()));
        outcomes.push(run::run(cx, check, project.root(), until).await?);
    }
    report::report(kind, &outcomes, max_rows)
}

/// Returns the toolset of [`check_code`](fn@check_code), with its settings, the table `[check_code]`.
#[must_use]
pub fn toolset() -> Toolset {
    helve::toolset![check_code].settings::<CheckCodeSettings>("check_code")
}

/// Resolves a path of a call: `~` is the home folder.
fn resolve_path(cx: &ToolContext, path: &str) -> PathBuf {
    match (path.strip_prefix('~'), cx.home()) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            PathBuf::from(format!("{}{rest}", home.display()))
        }
        _ => Path::new(path).to_owned(),
    }
}

fn check(
    _: &ToolContext,
    _kind: &CheckKind,
    path: &str,
    _checker: &Option<Checker>,
    _filter: Option<&str>,
    _max_rows: &usize,
) -> CheckReport {
    Check::Pass.with_accesses([FileAccess::read(path)])
}

/// Matches a rule, which is the kind of the check.
fn match_rule(
    _: &ToolContext,
    rule: &str,
    kind: &CheckKind,
    _path: &str,
    _checker: &Option<Checker>,
    _filter: Option<&str>,
    _max_rows: &usize,
) -> bool {
    rule == kind.name()
}

/// Suggests a rule for checks of the same kind.
fn suggest_rules(
    kind: &CheckKind,
    _path: &str,
    _checker: &Option<Checker>,
    _filter: Option<&str>,
    _max_rows: &usize,
) -> Vec<String> {
    vec![kind.name().to_owned()]
}
