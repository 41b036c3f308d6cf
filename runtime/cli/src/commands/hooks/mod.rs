//! `hooks`: shows the hooks of the user and the project, and runs them by hand.

mod import;
mod list;
mod test;

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::app_context::AppContext;
use crate::args;
use crate::exit::{CommandResult, WRONG_USAGE};

pub(super) fn command() -> Command {
    Command::new("hooks")
        .about("Show and test the hooks: programs that run before and after calls")
        .after_help(
            "Hooks are read from `[[hooks]]` in helve.toml and from .claude/settings.json, of the user and of the \
             project. Those of a project run once you have accepted them with `permissions trust`.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("list")
                .about("List the hooks, and what is not supported")
                .arg(args::json()),
        )
        .subcommand(test::command())
        .subcommand(import::command())
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    match matches.subcommand() {
        Some(("list", matches)) => list::run(app, matches.get_flag("json")),
        Some(("test", matches)) => test::run(app, matches).await,
        Some(("import", matches)) => import::run(app, matches),
        _ => Err(ExitCode::from(WRONG_USAGE)),
    }
}
