//! How a crate outside the workspace is built, and what its program does.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::outside::packages;

/// A package below `tests/crates`, or in any folder, and how it is built.
#[derive(Default)]
pub(crate) struct Build<'a> {
    pub(crate) package: &'a str,
    /// The name of a folder below `tests/crates`, or a path.
    pub(crate) folder: &'a str,
    pub(crate) profile: Option<&'a str>,
    pub(crate) target: Option<&'a str>,
    pub(crate) rustflags: &'a str,
    /// Whether it does without its default features.
    pub(crate) small: bool,
}

/// A program that was built.
pub(crate) struct Program(pub(crate) PathBuf);

/// What a program did.
#[derive(Debug)]
pub(crate) struct ProcessOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The target folder of the workspace: most of what a crate outside needs was compiled for the tests.
fn target_folder() -> &'static Path {
    scratch().parent().expect("it is below the target folder")
}

/// The folder that cargo gives tests for files of their own.
pub(crate) fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Starts cargo in a crate outside, free of what the cargo around this test was told.
pub(crate) fn cargo(folder: &Path, subcommand: &str) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .arg(subcommand)
        .arg("--offline")
        .current_dir(folder)
        .env("CARGO_PROFILE_DEV_DEBUG", "0");
    for inherited in [
        "CARGO_BUILD_TARGET",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_TARGET_DIR",
        "RUSTFLAGS",
    ] {
        cargo.env_remove(inherited);
    }
    cargo
}

impl Build<'_> {
    /// Builds the package, and gives its program.
    pub(crate) fn run(&self) -> Program {
        self.succeeds("build");
        self.program()
    }

    /// Checks that the package compiles.
    pub(crate) fn check(&self) {
        self.succeeds("check");
    }

    /// Runs the tests of the package, and returns what they print.
    pub(crate) fn test(&self) -> ProcessOutput {
        self.succeeds("test")
    }

    fn succeeds(&self, subcommand: &str) -> ProcessOutput {
        let said = run(self.cargo(subcommand).arg("--quiet"));
        assert_eq!(
            said.code,
            Some(0),
            "`cargo {subcommand}` fails for `{}`:\n{}{}",
            self.package,
            said.out,
            said.err
        );
        said
    }

    /// Builds the package; gives what cargo says.
    pub(crate) fn build_output(&self) -> String {
        run(&mut self.cargo("build")).assert_success().err
    }

    fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = cargo(&self.folder(), subcommand);
        cargo
            .args(["--package", self.package, "--target-dir"])
            .arg(target_folder());
        if let Some(profile) = self.profile {
            cargo.args(["--profile", profile]);
        }
        if let Some(target) = self.target {
            cargo.args(["--target", target]);
        }
        if self.small {
            cargo.arg("--no-default-features");
        }
        if !self.rustflags.is_empty() {
            cargo.env("RUSTFLAGS", self.rustflags);
        }
        cargo
    }

    fn folder(&self) -> PathBuf {
        let path = Path::new(self.folder);
        if path.is_absolute() {
            path.to_owned()
        } else {
            packages::user(self.folder)
        }
    }

    /// Gives the program of the package that was built.
    pub(crate) fn program(&self) -> Program {
        let program = target_folder()
            .join(self.target.unwrap_or_default())
            .join(self.profile.unwrap_or("debug"))
            .join(self.package);
        Program(program)
    }
}

impl Program {
    pub(crate) fn run<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> ProcessOutput {
        run(Command::new(&self.0).args(arguments))
    }

    /// Returns the names that `tools` lists.
    pub(crate) fn tools(&self) -> Vec<String> {
        self.run(["tools"]).assert_success().names()
    }
}

impl From<Output> for ProcessOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl ProcessOutput {
    pub(crate) fn assert_success(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Returns the first word of every line.
    pub(crate) fn names(&self) -> Vec<String> {
        let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
        self.out.lines().filter_map(first).collect()
    }
}

/// Writes a file, in folders that are made.
pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("folders can be made");
    fs::write(path, text).expect("files can be written");
}

pub(crate) fn run(command: &mut Command) -> ProcessOutput {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"))
        .into()
}
