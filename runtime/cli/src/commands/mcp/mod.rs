//! `mcp`: which servers there are, what each offers, and what of it the user has approved.

mod add;
mod approve;
mod context;
mod list;
mod login;
mod remove;
mod test;

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use context::McpCommandContext;

use crate::app_context::AppContext;
use crate::args;
use crate::exit::{CommandResult, OrExit as _, WRONG_USAGE};

pub(super) fn command() -> Command {
    let name = || {
        let name = args::positional("name", "NAME", "The name of the server");
        name.index(1).required(true)
    };
    let logout = Command::new("logout").about("Remove the stored login of a server");
    Command::new("mcp")
        .about("Manage MCP servers")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(
            "Servers are configured in `[mcp.servers.NAME]` of the user's or the project's helve.toml, and in the \
             project's `.mcp.json`. The servers of a project are used after you accept them with `permissions trust`; \
             the tools of a server are used after you approve them with `mcp approve`.",
        )
        .subcommand(list::command())
        .subcommand(add::command().arg(name().help("The name of the new server")))
        .subcommand(test::command().arg(name()))
        .subcommand(approve::command().arg(name()))
        .subcommand(remove::command().arg(name()))
        .subcommand(login::command().arg(name()))
        .subcommand(logout.arg(name()))
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let Some((command, matches)) = matches.subcommand() else {
        return Err(ExitCode::from(WRONG_USAGE));
    };
    let config = app.settings_with_notes().or_wrong_usage()?;
    let cx = McpCommandContext {
        app,
        config,
        servers: &app.known_servers(config),
    };
    let name = matches.try_get_one::<String>("name").ok().flatten();
    let name = name.map_or("", String::as_str);
    match command {
        "list" => list::run(&cx, matches).await,
        "add" => add::run(&cx, name, matches).await,
        "test" => test::run(&cx, name).await,
        "approve" => approve::run(&cx, name, matches).await,
        "remove" => remove::run(&cx, name).await,
        "login" => login::login(&cx, name).await,
        _ => login::logout(&cx, name).await,
    }
}
