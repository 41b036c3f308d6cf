//! From the start of a process to the first tool result, against `/bin/true`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use helve::cli::{App, Package};
use helve::prelude::*;

use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

/// The argument that makes this binary the app that is measured.
pub(crate) const APP_ARGUMENT: &str = "startup-app";

const ROUNDS: usize = 250;

/// Says what it is told.
#[tool(read_only)]
fn echo(
    /// What to say.
    text: &str,
) -> String {
    text.to_owned()
}

pub(crate) fn rows() -> Vec<Row> {
    let this = std::env::current_exe().unwrap();
    let row = |what, (program, arguments): (PathBuf, &[&str])| Row {
        what,
        against: "/bin/true",
        bar: Bar::Ratio(5.0),
        rounds: measure_alternately(
            ROUNDS,
            || nanos_to_exit(&program, arguments),
            || nanos_to_exit(Path::new("/bin/true"), &[]),
        ),
    };
    let mut rows = vec![row(
        "start to first result, an app of this binary",
        (this.clone(), &[APP_ARGUMENT]),
    )];
    if let Some(assistant) = assistant(&this) {
        rows.push(row(
            "start to first result, `assistant call datetime`",
            (assistant, &["call", "datetime"]),
        ));
    }
    rows
}

/// Runs as the app. The thousand tools of the registry row are linked beside its one.
pub(crate) fn app() -> ExitCode {
    let package = Package {
        name: "echo",
        version: "0",
        description: "Says what it is told.",
        binary: None,
    };
    App::new(package)
        .pack(toolset![echo])
        .main_from(["echo", "call", "echo", "--text", "hello"])
}

/// Finds the assistant where cargo has built it: two folders above a benchmark.
fn assistant(this: &Path) -> Option<PathBuf> {
    let built = this.ancestors().nth(2)?.join("assistant");
    built.is_file().then_some(built)
}

/// Starts a process and waits for its end; returns the nanoseconds.
fn nanos_to_exit(program: &Path, arguments: &[&str]) -> f64 {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    nanos_per_run(1, || {
        assert!(command.status().unwrap().success(), "{}", program.display());
    })
}
