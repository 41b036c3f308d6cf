//! `agents`: which agents there are, whether their files are good, and new files.

mod list;
mod new;
mod show;
mod validate;

use clap::{ArgMatches, Command};

use crate::app_context::AppContext;
use crate::args;
use crate::exit::CommandResult;

pub(super) fn command() -> Command {
    let name = args::positional("name", "AGENT", "The name of the agent");
    let name = || name.clone().required(true);
    let all = || {
        args::flag(
            "all",
            "Also list the agents and files that are not used, with the reasons",
        )
    };
    Command::new("agents")
        .about("List the agents and their origins, and manage their files")
        .arg(all())
        .arg(args::json())
        .subcommand(
            Command::new("list")
                .about("List the agents (the default)")
                .arg(all())
                .arg(args::json()),
        )
        .subcommand(
            Command::new("show")
                .about("Show what an agent may do, and its instructions")
                .arg(name())
                .arg(args::json()),
        )
        .subcommand(validate::command().arg(args::json()))
        .subcommand(new::command().arg(name()))
}

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    match matches.subcommand() {
        Some(("show", matches)) => show::run(app, matches),
        Some(("validate", matches)) => validate::run(app, matches),
        Some(("new", matches)) => new::run(app, matches),
        Some((_, matches)) => list::run(app, matches),
        None => list::run(app, matches),
    }
}
