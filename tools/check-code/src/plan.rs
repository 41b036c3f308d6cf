//! The commands of a check.

use std::path::{Path, PathBuf};

use super::checker::{CheckKind, Checker};

/// A command that checks a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedCheck {
    pub(crate) checker: Checker,
    pub(crate) kind: CheckKind,
    /// The folder in which it runs, as an absolute path.
    pub(crate) folder: PathBuf,
    /// The program: a name, or the path of what the project installed.
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    /// The folder to which the names of files are relative.
    pub(crate) base: PathBuf,
    /// The path of the module of Go, with which its packages begin.
    pub(crate) module: Option<String>,
}

/// What a command is made from.
pub(crate) struct CheckTarget<'t> {
    pub(crate) folder: &'t Path,
    /// What is checked, below the folder or the folder itself.
    pub(crate) path: &'t Path,
    pub(crate) is_file: bool,
    /// The name of the tests that run.
    pub(crate) filter: Option<&'t str>,
}

impl CheckTarget<'_> {
    /// Returns the path below the folder; `None` for the folder itself.
    fn below(&self) -> Option<&Path> {
        let below = self.path.strip_prefix(self.folder).ok()?;
        (!below.as_os_str().is_empty()).then_some(below)
    }

    /// Returns the path as an argument, which never looks like an option.
    fn path_or_dot(&self) -> String {
        match self.below() {
            Some(below) => format!("./{}", below.display()),
            None => ".".to_owned(),
        }
    }

    /// Returns the pattern of Go for the packages below the path.
    fn packages(&self) -> String {
        let below = self.below();
        let below = if self.is_file {
            below.and_then(Path::parent)
        } else {
            below
        };
        match below.filter(|below| !below.as_os_str().is_empty()) {
            Some(below) => format!("./{}/...", below.display()),
            None => "./...".to_owned(),
        }
    }
}

/// Returns the arguments of a checker.
pub(crate) fn arguments(
    checker: Checker,
    kind: CheckKind,
    target: &CheckTarget<'_>,
    has_references: bool,
) -> Vec<String> {
    let fixed: &[&str] = match (checker, kind) {
        (Checker::Cargo, CheckKind::Types) => &["check", "--all-targets", "--message-format=json"],
        (Checker::Cargo, CheckKind::Lint) => &["clippy", "--all-targets", "--message-format=json"],
        (Checker::Cargo, CheckKind::Tests) => &["test", "--no-fail-fast", "--message-format=json"],
        (Checker::Tsc, _) if has_references => &["--build", "--noEmit", "--pretty", "false"],
        (Checker::Tsc, _) => &["--noEmit", "--pretty", "false"],
        (Checker::Eslint, _) => &["--format", "json"],
        (Checker::Ruff, _) => &["check", "--output-format", "json-lines"],
        (Checker::Pytest, _) => &[
            "-q",
            "--tb=short",
            "--color=no",
            "--no-header",
            "-rfE",
            "-p",
            "no:cacheprovider",
        ],
        (Checker::Go, CheckKind::Tests) => &["test", "-json"],
        (Checker::Go, _) => &["vet", "-json"],
    };
    let mut args: Vec<String> = fixed.iter().map(|&arg| arg.to_owned()).collect();
    match checker {
        Checker::Cargo => {
            if let Some(filter) = target.filter.filter(|_| kind == CheckKind::Tests) {
                args.extend(["--".to_owned(), filter.to_owned()]);
            }
        }
        Checker::Tsc => {}
        Checker::Eslint | Checker::Ruff => args.push(target.path_or_dot()),
        Checker::Pytest => {
            args.extend(target.filter.map(|filter| format!("-k{filter}")));
            args.extend(target.below().map(|_| target.path_or_dot()));
        }
        Checker::Go => {
            if let Some(filter) = target.filter.filter(|_| kind == CheckKind::Tests) {
                args.push(format!("-run={filter}"));
            }
            args.push(target.packages());
        }
    }
    args
}

impl PlannedCheck {
    /// Returns the command line for people: the name of the program, whatever its path.
    pub(crate) fn command_line(&self) -> String {
        let program = self.checker.program();
        format!("{program} {}", self.args.join(" "))
    }
}
