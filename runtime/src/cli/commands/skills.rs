//! `skills`: what instructions ship in the binary.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use super::{WRONG_USAGE, block_on};
use crate::cli::assembly::Assembly;
use crate::cli::output;

pub(super) fn command() -> Command {
    let name = Arg::new("name").value_name("SKILL").required(true);
    Command::new("skills")
        .about("Lists the skills that ship in this binary")
        .subcommand(
            Command::new("show")
                .about("Prints a skill's instructions and files")
                .arg(name),
        )
}

pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    match matches.subcommand() {
        Some(("show", matches)) => show(assembly, matches),
        _ => list(assembly),
    }
}

fn list(assembly: &Assembly) -> ExitCode {
    let skills = assembly.skills.current();
    let width = skills
        .skills()
        .map(|skill| skill.name().len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for skill in skills.skills() {
        text.push_str(&format!(
            "{:width$}  {}\n",
            skill.name(),
            output::first_line(skill.description(), 100)
        ));
    }
    if text.is_empty() {
        text.push_str(
            "no skills: embed a folder of them with `helve::include_skills!(\"skills\")`\n",
        );
    }
    output::print(&text);
    ExitCode::SUCCESS
}

fn show(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let name = matches
        .get_one::<String>("name")
        .map(String::as_str)
        .unwrap_or_default();
    match block_on(assembly.skills.current().load(name)) {
        Ok(Ok(skill)) => {
            output::line(&skill.to_string());
            ExitCode::SUCCESS
        }
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
        Ok(Err(error)) => {
            output::error(&error);
            ExitCode::from(WRONG_USAGE)
        }
    }
}
