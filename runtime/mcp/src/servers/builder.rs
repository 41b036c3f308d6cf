//! The builder of MCP servers.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rmcp::model::Implementation;
use tokio::io::DuplexStream;

use super::{McpServers, Server, ServersState};
use crate::connection::{ConnectionDeps, Dial};
use crate::{Logins, ServerConfig};
use helve_core::sandbox::LazySandbox;
use helve_core::support::lock::Mutex;
use helve_core::toolset::ToolList;
use helve_permission::acceptances::Acceptances;

/// Builds [`McpServers`].
#[must_use]
pub struct McpServersBuilder {
    servers: Vec<(ServerConfig, Option<Dial>)>,
    deps: ConnectionDeps,
    logins: Option<Logins>,
    acceptances: Option<Acceptances>,
    context_tools: bool,
}

impl McpServersBuilder {
    pub(super) fn new() -> Self {
        Self {
            servers: Vec::new(),
            deps: ConnectionDeps::new(),
            logins: None,
            acceptances: None,
            context_tools: true,
        }
    }

    /// Adds a server. If two servers have the same name, the first one is used, with a [warning](McpServers::warnings).
    pub fn server(mut self, config: ServerConfig) -> Self {
        self.servers.push((config, None));
        self
    }

    /// Adds servers.
    pub fn servers(self, configs: impl IntoIterator<Item = ServerConfig>) -> Self {
        configs.into_iter().fold(self, Self::server)
    }

    /// Adds a server in this process: each connection calls `dial`, and uses the returned stream instead of the
    /// configured transport.
    pub fn server_within(
        mut self,
        config: ServerConfig,
        dial: impl Fn() -> io::Result<DuplexStream> + Send + Sync + 'static,
    ) -> Self {
        self.servers.push((config, Some(Arc::new(dial))));
        self
    }

    /// Sets the sandbox for servers that are configured to run in one.
    pub fn sandbox(mut self, sandbox: Arc<LazySandbox>) -> Self {
        self.deps.sandbox = Some(sandbox);
        self
    }

    /// Sets the name and version of the program for the servers.
    pub fn client(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.deps.client = Implementation::new(name, version);
        self
    }

    /// Sets the store of the user's logins. Without a store no server gets a token.
    pub fn logins(mut self, logins: Logins) -> Self {
        self.logins = Some(logins);
        self
    }

    /// Sets the store of approvals. The default is the [file of the user](Acceptances::for_user), or memory if the
    /// user has no home folder.
    pub fn acceptances(mut self, acceptances: Acceptances) -> Self {
        self.acceptances = Some(acceptances);
        self
    }

    /// Disables the tools for resources and prompts.
    pub fn without_context_tools(mut self) -> Self {
        self.context_tools = false;
        self
    }

    /// Builds the servers without starting them.
    #[must_use]
    pub fn build(self) -> McpServers {
        let mut servers: Vec<Arc<Server>> = Vec::with_capacity(self.servers.len());
        let mut warnings = Vec::new();
        for (config, dial) in self.servers {
            let is_taken = servers
                .iter()
                .any(|server| server.config.name() == config.name());
            if is_taken {
                let name = config.name();
                warnings.push(format!(
                    "two MCP servers are called `{name}`; the first of them is used"
                ));
                continue;
            }
            let mut deps = self.deps.clone();
            deps.dial = dial;
            let logins = self.logins.as_ref();
            deps.tokens = logins.and_then(|logins| logins.tokens(&config));
            servers.push(Arc::new(Server::new(config, deps)));
        }
        McpServers(Arc::new(ServersState {
            servers,
            acceptances: self
                .acceptances
                .or_else(Acceptances::for_user)
                .unwrap_or_else(Acceptances::in_memory),
            context_tools: self.context_tools,
            revision: AtomicU64::new(0),
            list: Mutex::new(ToolList::new([])),
            warnings,
            read_error: Mutex::default(),
            read_lock: tokio::sync::Mutex::default(),
        }))
    }
}

impl std::fmt::Debug for McpServersBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.servers.iter().map(|(config, _)| config.name());
        f.debug_set().entries(names).finish()
    }
}
