//! The context of the commands of `mcp`.

use std::process::ExitCode;

use clap::{Arg, ArgAction};

use crate::app_context::AppContext;
use crate::config::Config;
use crate::mcp::{KnownServers, McpSession, build_servers};
use crate::{exit, output, sanitize};
use helve_mcp::ServerConfig;

/// The context of a command of `mcp`.
pub(super) struct McpCommandContext<'a> {
    pub(super) app: &'a AppContext,
    pub(super) config: &'a Config,
    pub(super) servers: &'a KnownServers,
}

/// The exit code of a command; the error is printed already.
pub(super) type CommandResult = Result<ExitCode, ExitCode>;

impl McpCommandContext<'_> {
    pub(super) fn binary(&self) -> &'static str {
        self.app.binary()
    }

    /// Returns the server of a name.
    pub(super) fn server(&self, name: &str) -> Result<ServerConfig, ExitCode> {
        self.servers
            .config_of(name)
            .map_err(|error| exit::wrong_usage(&error))
    }

    /// Starts to connect to servers. The session must be closed.
    pub(super) fn connect(&self, configs: Vec<ServerConfig>) -> Result<McpSession, ExitCode> {
        let sandboxes = self.app.sandbox_factory(self.config);
        let sandboxes = sandboxes.map_err(|error| exit::wrong_usage(&error))?;
        let servers = build_servers(self.app.package, configs, &sandboxes);
        Ok(McpSession::start(
            servers,
            &tokio::runtime::Handle::current(),
        ))
    }
}

pub(super) fn json_argument() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print JSON")
}

/// Prints a line of untrusted text.
pub(super) fn print_line(text: &str) {
    output::line(&sanitize::one_line(text));
}
