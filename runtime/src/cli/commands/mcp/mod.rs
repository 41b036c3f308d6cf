//! `mcp`: which servers there are, what each offers, and what of it the user has approved.

mod add;
mod approve;
mod list;
mod login;
mod remove;
mod test;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::cli::app_context::AppContext;
use crate::cli::config::Config;
use crate::cli::exit::WRONG_USAGE;
use crate::cli::mcp::{KnownServers, McpSession, build_servers};
use crate::cli::{exit, output, sanitize};
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
        servers: app.known_servers(config),
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

/// What every command of `mcp` works with.
struct McpCommandContext<'a> {
    app: &'a AppContext,
    config: &'a Config,
    servers: &'a KnownServers,
}

/// The exit code of a command; the error is printed already.
type CommandResult = Result<ExitCode, ExitCode>;

impl McpCommandContext<'_> {
    fn binary(&self) -> &'static str {
        self.app.binary()
    }

    /// Returns the server of a name.
    fn server(&self, name: &str) -> Result<ServerConfig, ExitCode> {
        self.servers
            .config_of(name)
            .map_err(|error| exit::wrong_usage(&error))
    }

    /// Starts to connect to servers. The session must be closed.
    fn connect(&self, configs: Vec<ServerConfig>) -> Result<McpSession, ExitCode> {
        let sandboxes = self.app.sandbox_factory(self.config);
        let sandboxes = sandboxes.map_err(|error| exit::wrong_usage(&error))?;
        let servers = build_servers(self.app.package, configs, &sandboxes);
        Ok(McpSession::start(
            servers,
            &tokio::runtime::Handle::current(),
        ))
    }
}

fn json_argument() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Write JSON")
}

/// Prints a line of untrusted text.
fn print_line(text: &str) {
    output::line(&sanitize::one_line(text));
}
