//! Selects the MCP servers that a command uses.

use std::ffi::OsString;
use std::io;

use clap::{Arg, ArgMatches};

use super::known_servers::{KnownServer, KnownServers};
use crate::app_tools::AppTools;
use crate::config::ConfigError;
use crate::{acceptance, args};
use helve_core::registry::nearest;
use helve_core::toolset::Toolset;
use helve_mcp::ServerConfig;

/// The reason why the servers cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerSelectionError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(
        "unknown MCP server `{name}`{}\nhelp: run `mcp list` for a list",
        nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
    )]
    Unknown {
        name: String,
        nearest: Option<String>,
    },
    #[error("{0}")]
    Invalid(String),
    #[error("failed to start the runtime for MCP servers")]
    Runtime(#[from] io::Error),
}

/// The flags `--mcp` and `--no-mcp`, which each command that uses MCP servers takes.
pub(crate) fn arguments() -> [Arg; 2] {
    let only = args::repeated(
        "mcp",
        "NAME",
        "Use only this MCP server, even if it is disabled (can be repeated)",
    );
    let none = args::flag("no-mcp", "Do not use MCP servers");
    [only, none.conflicts_with("mcp")]
}

/// Returns the servers that a command uses; `None` if it uses none, whatever servers there are.
pub(crate) fn select_servers(
    command: &str,
    matches: &ArgMatches,
    granted: &Toolset,
) -> Option<ServerSelection> {
    // A command that uses no servers does not have the flag.
    let is_without_servers = matches.try_get_one::<bool>("no-mcp").ok().flatten()?;
    if *is_without_servers {
        return None;
    }
    let tool = if command == "call" {
        // A tool of the app itself needs no server.
        Some(called_server_tool(matches, granted)?)
    } else {
        None
    };
    let named = matches.get_many::<String>("mcp").into_iter().flatten();
    Some(ServerSelection {
        names: named.cloned().collect(),
        tool,
    })
}

#[derive(Debug)]
pub(crate) struct ServerSelection {
    /// The servers of the flag `--mcp`.
    names: Vec<String>,
    /// The tool that is called, if it is the only one.
    tool: Option<String>,
}

impl ServerSelection {
    /// Returns the configurations of these servers.
    pub(crate) fn configs(
        &self,
        known: &KnownServers,
        tools: &AppTools,
    ) -> Result<Vec<ServerConfig>, ServerSelectionError> {
        if !self.names.is_empty() {
            let chosen = self.names.iter().map(|name| known.config_of(name));
            return chosen.collect();
        }
        let mut configs = known.enabled_configs();
        // A server is not started if no tool of it can pass the filters.
        configs.retain(|config| tools.takes_server(config.name().as_str()));
        Ok(match &self.tool {
            Some(tool) => servers_of_tool(tool, configs),
            None => configs,
        })
    }
}

/// Returns the tool that the user calls, if it may be a tool of a server.
fn called_server_tool(matches: &ArgMatches, granted: &Toolset) -> Option<String> {
    let mut words = matches.get_many::<OsString>("words")?;
    let tool = words.next()?.to_str()?;
    let is_another = tool.starts_with('-') || granted.get(tool).is_some();
    (!is_another && tool.starts_with("mcp__")).then(|| tool.to_owned())
}

/// Returns the servers that the tool may belong to by its name; all servers if the name matches none.
fn servers_of_tool(tool: &str, configs: Vec<ServerConfig>) -> Vec<ServerConfig> {
    let is_of = |config: &ServerConfig| {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let name = config.name().as_str();
        let name = name.chars().map(|c| if fits(c) { c } else { '_' });
        let name: String = name.collect();
        tool.starts_with(&format!("mcp__{name}__"))
    };
    match configs.iter().any(is_of) {
        true => configs.into_iter().filter(is_of).collect(),
        false => configs,
    }
}

impl KnownServers {
    /// Returns the servers that are used without `--mcp`.
    pub(crate) fn enabled_configs(&self) -> Vec<ServerConfig> {
        let enabled = self.servers.iter().filter(|server| !server.is_disabled);
        let configs = enabled.filter_map(|server| server.config.as_ref().ok());
        configs.cloned().collect()
    }

    /// Returns the server of a name that the user gave.
    pub(crate) fn config_of(&self, name: &str) -> Result<ServerConfig, ServerSelectionError> {
        match self.get(name) {
            Some(server) => match &server.config {
                Ok(config) => Ok(config.clone()),
                Err(problem) => Err(ServerSelectionError::Invalid(problem.to_string())),
            },
            None => {
                let names = self.servers.iter().map(|server| server.name.as_str());
                Err(ServerSelectionError::Unknown {
                    name: name.to_owned(),
                    nearest: nearest(name, names).map(str::to_owned),
                })
            }
        }
    }

    /// Returns the notes about the files that configure servers.
    pub(crate) fn file_notes(&self, binary: &str) -> Vec<String> {
        let unaccepted = self.unaccepted.iter();
        let unaccepted = unaccepted.map(|unaccepted| acceptance::trust_hint(unaccepted, binary));
        let problem = self.problem.iter().map(ToString::to_string);
        unaccepted.chain(problem).collect()
    }

    /// Returns the reasons why configured servers are not used.
    pub(crate) fn notes(&self, binary: &str) -> Vec<String> {
        let mut notes = self.file_notes(binary);
        let broken = |server: &KnownServer| {
            let problem = server.config.as_ref().err()?;
            let name = &server.name;
            Some(format!("the MCP server `{name}` is not used: {problem}"))
        };
        let enabled = self.servers.iter().filter(|server| !server.is_disabled);
        notes.extend(enabled.filter_map(broken));
        notes
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    fn selects(command: Command, line: &[&str]) -> bool {
        let name = command.get_name().to_owned();
        let matches = command.get_matches_from(line);
        select_servers(&name, &matches, &Toolset::empty()).is_some()
    }

    #[test]
    fn the_commands_with_the_flags_use_servers() {
        let with_flags = || Command::new("chat").args(arguments());
        assert!(selects(with_flags(), &["chat"]));
        assert!(selects(with_flags(), &["chat", "--mcp", "notes"]));
        assert!(!selects(with_flags(), &["chat", "--no-mcp"]));
        // An app may have a command of its own of this name.
        assert!(!selects(Command::new("chat"), &["chat"]));
    }
}
