//! `mcp approve`: shows the definitions of a server, and approves them.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::context::McpCommandContext;
use crate::acceptance;
use crate::exit::{CommandResult, OrExit as _};
use helve_mcp::McpServers;
use helve_terminal::output;
use helve_terminal::render::counted;

pub(super) fn command() -> Command {
    Command::new("approve")
        .about("Show the definitions of a server, or their changes, and approve them")
        .after_help(
            "Tool descriptions become part of the model's prompt. If a description changes after its approval, the \
             tool is disabled until you approve it again.",
        )
        .arg(acceptance::argument())
        .arg(acceptance::details_argument())
}

pub(super) async fn run(
    cx: &McpCommandContext<'_>,
    name: &str,
    matches: &ArgMatches,
) -> CommandResult {
    let session = cx.connect(vec![cx.server(name)?])?;
    session.wait_ready().await;
    let done = approve(cx, session.servers(), name, Some(matches)).await;
    session.close().await;
    done
}

/// Shows the definitions of a connected server, asks, and approves them; without flags, as a command without them does.
pub(super) async fn approve(
    cx: &McpCommandContext<'_>,
    servers: &McpServers,
    name: &str,
    flags: Option<&ArgMatches>,
) -> CommandResult {
    let has = |flag| flags.is_some_and(|flags| flags.get_flag(flag));
    let difference = servers.difference(name).await.or_failed()?;
    if difference.is_empty() {
        output::line(&format!(
            "the MCP server `{name}` is unchanged since you approved it"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let command = format!("{} mcp approve {name}", cx.binary());
    if has("details") {
        acceptance::ask(&[&difference], has("yes"), &command).await?;
    } else {
        acceptance::ask_in_short(&difference, has("yes"), &command).await?;
    }
    servers.approve(&difference).await.or_failed()?;
    let offered = servers.status_of(name);
    let offered = offered.map_or(0, |status| status.offered.len());
    output::line(&format!("approved `{name}` ({})", counted(offered, "tool")));
    Ok(ExitCode::SUCCESS)
}
