//! `skills`: what instructions there are, whether those in a folder are good, and folders of them to be made.

mod accept;
mod export;
mod list;
mod new;
mod show;
mod skill_name;
mod validate;
mod write;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::app_context::AppContext;

pub(super) fn command() -> Command {
    Command::new("skills")
        .about("List the skills and their origins, and manage them")
        .arg(json_argument())
        .subcommand(
            Command::new("list")
                .about("List the skills (the default)")
                .arg(json_argument()),
        )
        .subcommand(
            Command::new("show")
                .about("Show the instructions and files of a skill")
                .arg(skill_name::argument())
                .arg(json_argument()),
        )
        .subcommand(accept::command().arg(skill_name::argument()))
        .subcommand(validate::command().arg(json_argument()))
        .subcommand(export::command())
        .subcommand(new::command().arg(skill_name::argument()))
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    match matches.subcommand() {
        Some(("show", matches)) => show::run(app, matches).await,
        Some(("accept", matches)) => accept::run(app, matches).await,
        Some(("validate", matches)) => validate::run(matches),
        Some(("export", matches)) => export::run(app, matches).await,
        Some(("new", matches)) => new::run(app, matches),
        Some((_, matches)) => list::run(app, matches),
        None => list::run(app, matches),
    }
}

fn json_argument() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print JSON")
}
