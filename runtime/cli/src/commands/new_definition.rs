//! What `agents new` and `skills new` have in common: their flag, and the path that they write.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::app_context::AppContext;
use crate::exit::{self, OrExit as _};
use helve_terminal::sanitize;

/// What a command creates.
pub(super) struct NewDefinition {
    /// What it is called.
    pub(super) kind: &'static str,
    /// The folder below `.agents`, and that of those that a package embeds.
    pub(super) folder: &'static str,
}

#[derive(Debug, thiserror::Error)]
#[error("`{0}` already exists; choose another name, or delete it")]
struct Exists(PathBuf);

impl NewDefinition {
    pub(super) fn command(&self) -> Command {
        let Self { kind, folder } = self;
        let help = format!(
            "The folder of {folder}; use `{folder}` for {folder} that the package embeds [default: .agents/{folder}]"
        );
        let argument = Arg::new("in")
            .long("in")
            .value_name("DIR")
            .value_parser(value_parser!(PathBuf))
            .help(help);
        Command::new("new")
            .about(format!("Create a new {kind}"))
            .arg(argument)
    }

    /// Returns the folder that the flag names, or else that of the working folder.
    pub(super) fn folder(&self, app: &AppContext, matches: &ArgMatches) -> PathBuf {
        match matches.get_one::<PathBuf>("in") {
            Some(folder) => folder.clone(),
            None => app.folder.join(".agents").join(self.folder),
        }
    }

    /// Returns a path in the folder, at which there is nothing yet.
    pub(super) fn free_path(&self, folder: &Path, name: &str) -> Result<PathBuf, ExitCode> {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok() {
            return Err(Exists(path)).or_wrong_usage();
        }
        Ok(path)
    }

    pub(super) fn invalid_name(&self, name: &str, problem: &str) -> ExitCode {
        let (name, problem) = (sanitize::one_line(name), sanitize::one_line(problem));
        let message = format_args!("invalid {} name `{name}`: {problem}", self.kind);
        exit::with_message(exit::WRONG_USAGE, message)
    }
}
