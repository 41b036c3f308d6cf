//! `[mcp.servers.NAME]` in the files of settings.

use std::path::PathBuf;
use std::time::Duration;

use super::known_servers::{KnownServer, ServerOrigin, ServerProblem};
use crate::config::{Config, ConfigError, KeyPath, SettingOrigin, resolve_path};
use helve_mcp::{
    CallTimeouts, ServerAuth, ServerConfig, ServerLifetime, ServerName, ServerTrust, StdioServer,
    ToolSelection, Transport,
};

/// Lists the servers that the settings name. What is wrong with one is no matter of the others.
pub(super) fn servers(config: &Config, folder: &std::path::Path) -> Vec<KnownServer> {
    let names = config.table_keys(&["mcp", "servers"]).into_iter();
    let tables = names.map(|name| ServerTable { config, name });
    let known = tables
        .filter(|table| !table.only_sets_disabled())
        .map(|table| {
            let name = table.name;
            let place = table.path();
            let origin = config.table_origin(&place).cloned();
            KnownServer {
                name: name.to_owned(),
                origin: ServerOrigin::Settings(origin.unwrap_or(SettingOrigin::Default)),
                is_disabled: table.boolean("disabled").unwrap_or_default(),
                config: table.parse_server(folder).map_err(ServerProblem::from),
            }
        });
    known.collect()
}

/// Lists the servers for which the settings only set `disabled`; these servers are configured elsewhere.
pub(super) fn disabled_overrides(config: &Config) -> Vec<(&str, bool)> {
    let names = config.table_keys(&["mcp", "servers"]).into_iter();
    let tables = names.map(|name| ServerTable { config, name });
    let switches = tables.filter(ServerTable::only_sets_disabled);
    switches
        .filter_map(|table| Some((table.name, table.boolean("disabled")?)))
        .collect()
}

struct ServerTable<'c> {
    config: &'c Config,
    name: &'c str,
}

impl ServerTable<'_> {
    /// Reports whether the settings of the server only set `disabled`.
    fn only_sets_disabled(&self) -> bool {
        self.config.table_keys(&["mcp", "servers", self.name]) == ["disabled"]
    }

    fn path(&self) -> KeyPath {
        KeyPath::new(["mcp", "servers", self.name])
    }

    fn parse_server(&self, folder: &std::path::Path) -> Result<ServerConfig, ConfigError> {
        let name: ServerName = match self.name.parse() {
            Ok(name) => name,
            Err(error) => return Err(self.error(&error.to_string())),
        };
        let transport = self.transport(folder)?;
        let mut selection = ToolSelection::default();
        selection.only = self.texts(&["tools", "only"])?;
        selection.without = self.texts(&["tools", "without"])?.unwrap_or_default();
        let mut trust = ServerTrust::default();
        trust.sampling = self.boolean("sampling").unwrap_or_default();
        Ok(ServerConfig::new(name, transport)
            .with_timeouts(self.timeouts())
            .with_lifetime(self.lifetime()?)
            .with_tools(selection)
            .with_trust(trust)
            .with_auth(self.auth()?))
    }

    fn transport(&self, folder: &std::path::Path) -> Result<Transport, ConfigError> {
        let (command, url) = (self.text("command")?, self.text("url")?);
        match (command, url) {
            (Some(command), None) => self.stdio(command, folder),
            (None, Some(url)) => self.http(url),
            (Some(_), Some(_)) => Err(self.error("`command` and `url` are mutually exclusive")),
            (None, None) => Err(self.error("a server needs a `command` or a `url`")),
        }
    }

    fn stdio(&self, command: String, folder: &std::path::Path) -> Result<Transport, ConfigError> {
        for key in ["transport", "headers"] {
            if self.has(key) {
                return Err(self.error(&format!("`{key}` cannot be used with `command`")));
            }
        }
        let mut server = StdioServer::new(command, self.texts(&["args"])?.unwrap_or_default());
        server.environment = self.table_texts("env")?.into_iter().collect();
        server.inherited = self.texts(&["inherit"])?.unwrap_or_default();
        let home = std::env::home_dir();
        server.folder = self
            .text("cwd")?
            .map(|text| -> PathBuf { resolve_path(folder, home.as_deref(), &text) });
        server.sandboxed = self.boolean("sandboxed").unwrap_or_default();
        Ok(Transport::Stdio(server))
    }

    fn http(&self, url: String) -> Result<Transport, ConfigError> {
        for key in ["args", "env", "inherit", "cwd", "sandboxed"] {
            if self.has(key) {
                return Err(self.error(&format!("`{key}` cannot be used with `url`")));
            }
        }
        let headers = self.table_texts("headers")?.into_iter().collect();
        Ok(match self.text("transport")?.as_deref() {
            Some("sse") => Transport::Sse { url, headers },
            // Other values are errors when the settings are read.
            _ => Transport::Http { url, headers },
        })
    }

    fn timeouts(&self) -> CallTimeouts {
        let mut timeouts = CallTimeouts::default();
        let said = |key| -> Option<Duration> {
            self.config
                .seconds(&["mcp", "servers", self.name, "timeouts", key])
        };
        for (key, timeout) in [
            ("connect", &mut timeouts.connect),
            ("list", &mut timeouts.list),
            ("call", &mut timeouts.call),
            ("stall", &mut timeouts.stall),
        ] {
            *timeout = said(key).unwrap_or(*timeout);
        }
        timeouts
    }

    fn lifetime(&self) -> Result<ServerLifetime, ConfigError> {
        // Other words are errors when the settings are read.
        Ok(match self.text("lifetime")?.as_deref() {
            Some("call") => ServerLifetime::Call,
            _ => ServerLifetime::Session,
        })
    }

    fn auth(&self) -> Result<ServerAuth, ConfigError> {
        let mut auth = ServerAuth::default();
        auth.login = self.boolean("login").unwrap_or(true);
        auth.client_id = self.text("client_id")?;
        auth.client_secret = self.text("client_secret")?;
        auth.scopes = self.texts(&["scopes"])?.unwrap_or_default();
        Ok(auth)
    }

    /// Reports whether a key or a table is set.
    fn has(&self, key: &str) -> bool {
        let place = KeyPath::new(["mcp", "servers", self.name, key]);
        self.config.table_origin(&place).is_some()
    }

    fn text(&self, key: &str) -> Result<Option<String>, ConfigError> {
        let said = self.config.text(&["mcp", "servers", self.name, key])?;
        Ok(said.map(|said| said.value))
    }

    fn texts(&self, keys: &[&str]) -> Result<Option<Vec<String>>, ConfigError> {
        let place = [&["mcp", "servers", self.name][..], keys].concat();
        Ok(self.config.texts(&place)?.map(|said| said.value))
    }

    fn boolean(&self, key: &str) -> Option<bool> {
        self.config.boolean(&["mcp", "servers", self.name, key])
    }

    /// Returns the values of a table whose names the user gives.
    fn table_texts(&self, table: &str) -> Result<Vec<(String, String)>, ConfigError> {
        let mut said = Vec::new();
        let place = ["mcp", "servers", self.name, table];
        for name in self.config.table_keys(&place) {
            let value = self.config.text(&[&place[..], &[name]].concat())?;
            said.extend(value.map(|value| (name.to_owned(), value.value)));
        }
        Ok(said)
    }

    fn error(&self, what: &str) -> ConfigError {
        let place = self.path();
        self.config
            .table_error(&place, format!("`{place}`: {what}"))
    }
}
