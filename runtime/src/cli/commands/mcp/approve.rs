//! `mcp approve`: what a server says of itself is shown, and approved.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, Command};

use super::{Done, Place, wait};
use crate::cli::mcp::AtWork;
use crate::cli::terminal::{self, Terminal};
use crate::cli::{exit, output};
use crate::mcp::ServersError;

pub(super) fn command() -> Command {
    let yes = Arg::new("yes")
        .long("yes")
        .action(ArgAction::SetTrue)
        .help("Approve what is shown without asking");
    Command::new("approve")
        .about("Shows what a server says of itself, or what it has changed, and approves it")
        .after_help(
            "A model reads how a server describes its tools, and believes it. Once approved, a tool whose description changes \
             is withheld until it is approved again.",
        )
        .arg(yes)
}

pub(super) fn run(place: &Place<'_>, name: &str, is_answered: bool) -> Done {
    let at_work = place.start(vec![place.server(name)?])?;
    approve(place, &at_work, name, is_answered)
}

/// Shows what is to be approved, asks, and approves it.
pub(super) fn approve(
    place: &Place<'_>,
    at_work: &Arc<AtWork>,
    name: &str,
    is_answered: bool,
) -> Done {
    let failed = |error: &ServersError| exit::failed(error);
    let servers = at_work.servers().clone();
    let owned = name.to_owned();
    wait(at_work.ready())?;
    let difference = wait(at_work.on(async move { servers.difference(&owned).await }))?;
    let difference = match difference {
        Some(Ok(difference)) => difference,
        Some(Err(error)) => return Err(failed(&error)),
        None => return Err(ExitCode::FAILURE),
    };
    if difference.is_empty() {
        output::line(&format!(
            "the MCP server `{name}` says what it said when you approved it"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    output::line(difference.to_string().trim_end());
    if !is_answered {
        if !Terminal::is_attached() {
            let binary = place.binary();
            output::note(&format!(
                "nothing was approved, since nobody is there to be asked: `{binary} mcp approve {name} --yes` approves it"
            ));
            return Ok(ExitCode::from(exit::FAILED));
        }
        let question = format!("Do you approve what the MCP server {name} says?");
        if !wait(terminal::confirm(&question))? {
            output::line("nothing was approved");
            return Ok(ExitCode::from(exit::FAILED));
        }
    }
    let servers = at_work.servers().clone();
    match wait(at_work.on(async move { servers.approve(&difference).await }))? {
        Some(Ok(())) => {}
        Some(Err(error)) => return Err(failed(&error)),
        None => return Err(ExitCode::FAILURE),
    }
    let offered = at_work.servers().status_of(name);
    let offered = offered.map_or(0, |status| status.offered.len());
    let tools = if offered == 1 { "tool" } else { "tools" };
    output::line(&format!("approved: `{name}` offers {offered} {tools}"));
    Ok(ExitCode::SUCCESS)
}
