//! `skills`: what instructions there are, whether those in a folder are good, and folders of them to be made.

mod accept;
mod export;
pub(in crate::cli) mod list;
mod new;
mod place;
mod show;
mod validate;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

pub(super) use super::{WRONG_USAGE, block_on};
use crate::cli::assembly::Assembly;

pub(super) fn command() -> Command {
    let name = || Arg::new("name").value_name("SKILL").required(true);
    Command::new("skills")
        .about("Lists the skills, where each comes from, and what is left out and why")
        .arg(json())
        .subcommand(
            Command::new("list")
                .about("Lists the skills; so does `skills` alone")
                .arg(json()),
        )
        .subcommand(
            Command::new("show")
                .about("Prints a skill's instructions and files")
                .arg(name())
                .arg(json()),
        )
        .subcommand(accept::command().arg(name()))
        .subcommand(validate::command().arg(json()))
        .subcommand(export::command())
        .subcommand(new::command().arg(name()))
}

pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    match matches.subcommand() {
        Some(("show", matches)) => show::run(assembly, matches),
        Some(("accept", matches)) => accept::run(assembly, matches),
        Some(("validate", matches)) => validate::run(matches),
        Some(("export", matches)) => export::run(assembly, matches),
        Some(("new", matches)) => new::run(assembly, matches),
        Some((_, matches)) => list::run(assembly, matches),
        None => list::run(assembly, matches),
    }
}

fn json() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print JSON")
}

fn text<'m>(matches: &'m ArgMatches, name: &str) -> &'m str {
    matches.get_one::<String>(name).map_or("", String::as_str)
}
