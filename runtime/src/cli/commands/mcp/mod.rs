//! `mcp`: which servers there are, what each offers, and what of it the user has approved.

mod add;
mod approve;
mod list;
mod login;
mod remove;
mod test;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{WRONG_USAGE, block_on};
use crate::cli::assembly::Assembly;
use crate::cli::config::{self, Config};
use crate::cli::mcp::{AtWork, Known, McpError, build};
use crate::cli::{exit, output};
use crate::mcp::ServerConfig;

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
        .subcommand(login::command_to_log_out().arg(name()))
}

pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let Some((command, matches)) = matches.subcommand() else {
        return ExitCode::from(WRONG_USAGE);
    };
    let config = match config::load(assembly, matches) {
        Ok(config) => config,
        Err(error) => return exit::wrong_usage(&error),
    };
    let place = Place {
        assembly,
        config: &config,
        known: Known::of(assembly, &config),
    };
    let name = || matches.get_one::<String>("name").map_or("", String::as_str);
    let done = match command {
        "list" => list::run(&place, matches),
        "add" => add::run(&place, name(), matches),
        "test" => test::run(&place, name()),
        "approve" => approve::run(&place, name(), matches),
        "remove" => remove::run(&place, name()),
        "login" => login::login(&place, name()),
        _ => login::logout(&place, name()),
    };
    done.unwrap_or_else(|code| code)
}

/// What a command finds.
struct Place<'a> {
    assembly: &'a Assembly,
    config: &'a Config,
    known: Known,
}

/// What a command does: the code to exit with, which is told already where it is an error.
type Done = Result<ExitCode, ExitCode>;

impl Place<'_> {
    fn binary(&self) -> &'static str {
        self.assembly.binary()
    }

    /// Returns the server of a name.
    fn server(&self, name: &str) -> Result<ServerConfig, ExitCode> {
        self.known
            .chosen(name)
            .map_err(|error| exit::wrong_usage(&error))
    }

    /// Begins to connect to servers.
    fn start(&self, configs: Vec<ServerConfig>) -> Result<Arc<AtWork>, ExitCode> {
        let servers = build(self.assembly, self.config, configs).map_err(McpError::from);
        let at_work = servers.and_then(|servers| Ok(AtWork::start(servers)?));
        at_work
            .map(Arc::new)
            .map_err(|error| exit::wrong_usage(&error))
    }
}

/// Waits for something.
fn wait<F: Future + Send>(future: F) -> Result<F::Output, ExitCode>
where
    F::Output: Send,
{
    block_on(future).map_err(|error| exit::failed(&error))
}

fn json() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Write JSON")
}

/// Writes a line of somebody else's words.
fn line(text: &str) {
    output::line(&output::one_line(text));
}
