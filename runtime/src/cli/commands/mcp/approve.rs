//! `mcp approve`: what a server says of itself is shown, and accepted.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Command};

use super::{Done, Place, wait};
use crate::cli::mcp::AtWork;
use crate::cli::{acceptance, exit, output};
use crate::mcp::ServersError;

pub(super) fn command() -> Command {
    Command::new("approve")
        .about("Shows what a server says of itself, or what it has changed, and accepts it")
        .after_help(
            "A model reads how a server describes its tools, and believes it. Once accepted, a tool whose description changes \
             is withheld until it is accepted again.",
        )
        .arg(acceptance::argument())
}

pub(super) fn run(place: &Place<'_>, name: &str, matches: &ArgMatches) -> Done {
    let at_work = place.start(vec![place.server(name)?])?;
    approve(place, &at_work, name, matches.get_flag("yes"))
}

/// Shows what is to be accepted, asks, and accepts it.
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
            "the MCP server `{name}` says what it said when you accepted it"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let command = format!("{} mcp approve {name}", place.binary());
    acceptance::ask(&[&difference], is_answered, &command)?;
    let servers = at_work.servers().clone();
    match wait(at_work.on(async move { servers.approve(&difference).await }))? {
        Some(Ok(())) => {}
        Some(Err(error)) => return Err(failed(&error)),
        None => return Err(ExitCode::FAILURE),
    }
    let offered = at_work.servers().status_of(name);
    let offered = offered.map_or(0, |status| status.offered.len());
    let tools = if offered == 1 { "tool" } else { "tools" };
    output::line(&format!("accepted: `{name}` offers {offered} {tools}"));
    Ok(ExitCode::SUCCESS)
}
