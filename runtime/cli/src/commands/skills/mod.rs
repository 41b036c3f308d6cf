//! `skills`: what instructions there are, whether those in a folder are good, and folders of them to be made.

mod accept;
mod export;
#[cfg(feature = "skill-install")]
mod install;
#[cfg(feature = "skill-install")]
mod installed;
mod list;
mod new;
mod show;
mod validate;

#[cfg(feature = "skill-install")]
pub(super) use self::installed::report_error;

use clap::{ArgMatches, Command};

use crate::app_context::AppContext;
use crate::args;
use crate::exit::CommandResult;

pub(super) fn command() -> Command {
    let name = args::positional("name", "SKILL", "The name of the skill");
    let name = || name.clone().required(true);
    let command = Command::new("skills")
        .about("List the skills and their origins, and manage them")
        .arg(args::json())
        .subcommand(
            Command::new("list")
                .about("List the skills (the default)")
                .arg(args::json()),
        )
        .subcommand(
            Command::new("show")
                .about("Show the instructions and files of a skill")
                .arg(name())
                .arg(args::json()),
        )
        .subcommand(accept::command().arg(name()))
        .subcommand(validate::command().arg(args::json()))
        .subcommand(export::command())
        .subcommand(new::command().arg(name()));
    #[cfg(feature = "skill-install")]
    let command = command
        .subcommands(install::commands())
        .subcommands(installed::commands());
    command
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    match matches.subcommand() {
        Some(("show", matches)) => show::run(app, matches).await,
        Some(("accept", matches)) => accept::run(app, matches).await,
        Some(("validate", matches)) => validate::run(matches),
        Some(("export", matches)) => export::run(app, matches).await,
        Some(("new", matches)) => new::run(app, matches),
        #[cfg(feature = "skill-install")]
        Some((name @ ("add" | "update" | "search"), matches)) => {
            install::run(app, name, matches).await
        }
        #[cfg(feature = "skill-install")]
        Some((name, matches)) if name != "list" => installed::run(app, name, matches).await,
        Some((_, matches)) => Ok(list::run(app, matches).await),
        None => Ok(list::run(app, matches).await),
    }
}
