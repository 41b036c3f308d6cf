//! The context of the commands of `mcp`.

use std::process::ExitCode;

use crate::app_context::AppContext;
use crate::config::Config;
use crate::exit::OrExit as _;
use crate::mcp::{KnownServers, McpSession, build_servers};
use helve_mcp::ServerConfig;

/// The context of a command of `mcp`.
pub(super) struct McpCommandContext<'a> {
    pub(super) app: &'a AppContext,
    pub(super) config: &'a Config,
    pub(super) servers: &'a KnownServers,
}

impl McpCommandContext<'_> {
    pub(super) fn binary(&self) -> &'static str {
        self.app.binary()
    }

    pub(super) fn server(&self, name: &str) -> Result<ServerConfig, ExitCode> {
        self.servers.config_of(name).or_wrong_usage()
    }

    /// Starts to connect to servers. The session must be closed.
    pub(super) fn connect(&self, configs: Vec<ServerConfig>) -> Result<McpSession, ExitCode> {
        let sandboxes = self.app.sandbox_factory(self.config).or_wrong_usage()?;
        let servers = build_servers(self.app.package, configs, &sandboxes);
        Ok(McpSession::start(
            servers,
            &tokio::runtime::Handle::current(),
        ))
    }
}
