//! `mcp`: which servers there are, what each offers, and what of it the user has approved.

mod add;
mod approve;
mod context;
mod list;
mod login;
mod remove;
mod test;

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use context::McpCommandContext;

use crate::cli::app_context::AppContext;
use crate::cli::exit;
use crate::cli::exit::WRONG_USAGE;

pub(super) fn command() -> Command {
    let name = || {
        Arg::new("name")
            .value_name("NAME")
            .index(1)
            .required(true)
            .help("The server")
    };
    Command::new("mcp")
        .about("Shows, adds, tries and approves MCP servers")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(
            "Servers are named in `[mcp.servers.NAME]` of helve.toml, yours or the project's, and in the project's `.mcp.json`. \
             What a project says of them holds once you have accepted it with `permissions trust`, and no server's tools are \
             used before you have approved what it says of them.",
        )
        .subcommand(list::command())
        .subcommand(add::command().arg(name().help("What it is to be called")))
        .subcommand(test::command().arg(name()))
        .subcommand(approve::command().arg(name()))
        .subcommand(remove::command().arg(name()))
        .subcommand(login::command().arg(name()))
        .subcommand(login::logout_command().arg(name()))
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let Some((command, matches)) = matches.subcommand() else {
        return ExitCode::from(WRONG_USAGE);
    };
    let config = match app.settings_with_notes() {
        Ok(config) => config,
        Err(error) => return exit::wrong_usage(error),
    };
    let cx = McpCommandContext {
        app,
        config,
        servers: &app.known_servers(config),
    };
    let name = matches.try_get_one::<String>("name").ok().flatten();
    let name = name.map_or("", String::as_str);
    let done = match command {
        "list" => list::run(&cx, matches).await,
        "add" => add::run(&cx, name, matches).await,
        "test" => test::run(&cx, name).await,
        "approve" => approve::run(&cx, name, matches).await,
        "remove" => remove::run(&cx, name).await,
        "login" => login::login(&cx, name).await,
        _ => login::logout(&cx, name).await,
    };
    done.unwrap_or_else(|code| code)
}
