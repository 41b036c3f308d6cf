//! `permissions trust` and `permissions untrust`.

use std::process::ExitCode;

use clap::Command;

use crate::cli::assembly::Assembly;
use crate::cli::{output, permissions};
use crate::permission::{RuleFiles, RuleScope};

pub(super) fn command() -> Command {
    Command::new("trust")
        .about("Accepts what this project's rules allow, until they change")
        .after_help(
            "A project's rules that ask or deny always hold. Those that allow hold only while its file says what you \
             accepted here: the project may come from anybody.",
        )
}

pub(super) fn command_to_take_back() -> Command {
    Command::new("untrust").about("Takes back that this project's rules may allow something")
}

/// Shows what the project's file allows, and accepts it.
pub(super) fn trust(assembly: &Assembly) -> ExitCode {
    let files = permissions::files(assembly);
    let allowed = match files.trust() {
        Ok(allowed) => allowed,
        Err(error) => {
            output::error(&error);
            return ExitCode::FAILURE;
        }
    };
    let file = path(&files);
    if allowed.is_empty() {
        output::line(&format!(
            "{file} allows nothing: there is nothing to accept"
        ));
        return ExitCode::SUCCESS;
    }
    output::line(&format!("accepted until the file changes: {file}"));
    for rule in allowed {
        let rule = rule.to_string();
        output::line(&format!("  allow {}", output::one_line(&rule)));
    }
    ExitCode::SUCCESS
}

/// Takes the acceptance back: 0 where there was one, 1 where there was none.
pub(super) fn untrust(assembly: &Assembly) -> ExitCode {
    let files = permissions::files(assembly);
    let file = path(&files);
    match files.untrust() {
        Ok(true) => {
            output::line(&format!("no longer accepted: {file}"));
            ExitCode::SUCCESS
        }
        Ok(false) => {
            output::note(&format!("error: {file} was not accepted"));
            ExitCode::FAILURE
        }
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}

fn path(files: &RuleFiles) -> String {
    let mut files = files.files().iter();
    let project = files.find(|file| file.scope() == RuleScope::Project);
    project.map_or_else(String::new, |file| file.path().display().to_string())
}
