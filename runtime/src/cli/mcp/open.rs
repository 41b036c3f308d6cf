//! Which servers a command works with, and what is told of those that are not there.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches};

use super::at_work::AtWork;
use super::known::{Known, KnownServer};
use crate::cli::assembly::Assembly;
#[cfg(feature = "skills")]
use crate::cli::commands::block_on;
use crate::cli::config::{Config, ConfigError};
use crate::cli::{doors, output, session_folder};
use crate::mcp::{
    ApprovalState, Logins, McpServers, ServerConfig, ServerStatus, Transport, WithheldReason,
};
use crate::registry::nearest;

/// How long is waited without a word.
const PATIENCE: Duration = Duration::from_secs(2);

/// Says why the servers cannot be used.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum McpError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(
        "no MCP server is called `{name}`{}; `mcp list` shows them",
        nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
    )]
    Unknown {
        name: String,
        nearest: Option<String>,
    },
    /// What is said of a server that was asked for by its name makes none.
    #[error("{0}")]
    Wrong(String),
    #[error("the MCP servers cannot be worked with")]
    Thread(#[from] io::Error),
}

/// The flags `--mcp` and `--no-mcp`.
pub(in crate::cli) fn arguments() -> [Arg; 2] {
    let only = Arg::new("mcp")
        .long("mcp")
        .value_name("NAME")
        .action(ArgAction::Append)
        .help("Use this MCP server and no other, even where it is disabled (can be repeated)");
    let none = Arg::new("no-mcp")
        .long("no-mcp")
        .action(ArgAction::SetTrue)
        .conflicts_with("mcp")
        .help("Use no MCP servers");
    [only, none]
}

/// Begins to connect to the servers that a command uses, and grants their tools as far as they are there.
pub(in crate::cli) fn open(
    assembly: &mut Assembly,
    command: &str,
    matches: &ArgMatches,
) -> Result<(), McpError> {
    let calls = match command {
        "call" => match called(assembly, matches) {
            Some(tool) => Some(tool),
            // A tool of the app's own needs no server.
            None => return Ok(()),
        },
        "chat" | "resume" | "run" | "tools" => None,
        _ => return Ok(()),
    };
    if matches.get_flag("no-mcp") {
        return Ok(());
    }
    let config = Config::load(assembly.folder(), matches)?;
    let known = Known::of(assembly, &config);
    known.tell(assembly);
    let wanted = matches.get_many::<String>("mcp").into_iter().flatten();
    let wanted: Vec<&str> = wanted.map(String::as_str).collect();
    let configs = if wanted.is_empty() {
        let mut configs = known.usable();
        // One whose tools are all left out is not started for nothing.
        configs.retain(|config| assembly.tools.takes_server(config.name().as_str()));
        match &calls {
            Some(tool) => of_tool(tool, configs),
            None => configs,
        }
    } else {
        let chosen = wanted.into_iter().map(|name| known.chosen(name));
        chosen.collect::<Result<_, _>>()?
    };
    if configs.is_empty() {
        return Ok(());
    }
    let servers = build(assembly, &config, configs)?;
    assembly.tools.add(&servers.toolset());
    assembly.mcp = Some(Arc::new(AtWork::start(servers)?));
    Ok(())
}

/// Connects to the servers that are used where nobody says which, and adds their skills as far as the user has approved
/// them. What is returned keeps the servers connected.
#[cfg(feature = "skills")]
pub(in crate::cli) fn add_skills(
    assembly: &Assembly,
    matches: &ArgMatches,
) -> Result<Option<AtWork>, McpError> {
    let config = Config::load(assembly.folder(), matches)?;
    let configs = Known::of(assembly, &config).usable();
    if configs.is_empty() {
        return Ok(None);
    }
    let at_work = AtWork::start(build(assembly, &config, configs)?)?;
    block_on(async {
        at_work.ready().await;
        crate::cli::skills::add_of_servers(assembly, at_work.servers()).await;
    })?;
    Ok(Some(at_work))
}

/// Puts servers together, with all that they need of this program; nothing is started.
pub(in crate::cli) fn build(
    assembly: &Assembly,
    config: &Config,
    configs: Vec<ServerConfig>,
) -> Result<McpServers, ConfigError> {
    let mut servers = McpServers::builder()
        .servers(configs)
        .client(assembly.package.name, assembly.package.version)
        .logins(logins(assembly));
    // One of their own: it lives on their thread.
    let sandbox = doors::Sandboxes::of(assembly, config)?.make();
    servers = servers.sandbox(Arc::new(sandbox));
    Ok(servers.build())
}

/// Returns where the logins to servers are kept: beside the sessions.
pub(in crate::cli) fn logins(assembly: &Assembly) -> Logins {
    let logins = match session_folder::folder(assembly.package.name) {
        Ok(sessions) => Logins::in_folder(sessions.with_file_name("logins")),
        Err(_) => Logins::in_memory(),
    };
    logins.registered_as(assembly.package.name)
}

/// Returns the tool that a person calls, where it may be one of a server.
fn called(assembly: &Assembly, matches: &ArgMatches) -> Option<String> {
    let mut words = matches.get_many::<std::ffi::OsString>("words")?;
    let tool = words.next()?.to_str()?;
    let is_another = tool.starts_with('-') || assembly.tools.granted().get(tool).is_some();
    (!is_another && tool.starts_with("mcp__")).then(|| tool.to_owned())
}

/// Keeps the servers that a tool may be of, by its name; all where its name tells nothing.
fn of_tool(tool: &str, configs: Vec<ServerConfig>) -> Vec<ServerConfig> {
    let is_of = |config: &ServerConfig| {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let name = config.name().as_str();
        let name: String = name
            .chars()
            .map(|c| if fits(c) { c } else { '_' })
            .collect();
        tool.starts_with(&format!("mcp__{name}__"))
    };
    match configs.iter().any(is_of) {
        true => configs.into_iter().filter(is_of).collect(),
        false => configs,
    }
}

impl Known {
    /// Returns the servers that are used where nobody says which.
    fn usable(&self) -> Vec<ServerConfig> {
        let enabled = self.servers.iter().filter(|server| !server.is_disabled);
        let configs = enabled.filter_map(|server| server.config.as_ref().ok());
        configs.cloned().collect()
    }

    /// Returns the server of a name that a person gave.
    pub(in crate::cli) fn chosen(&self, name: &str) -> Result<ServerConfig, McpError> {
        match self.get(name) {
            Some(server) => match &server.config {
                Ok(config) => Ok(config.clone()),
                Err(problem) => Err(McpError::Wrong(problem.to_string())),
            },
            None => Err(McpError::Unknown {
                name: name.to_owned(),
                nearest: nearest(name, self.servers.iter().map(|server| server.name.as_str()))
                    .map(str::to_owned),
            }),
        }
    }

    /// Tells the user which of the servers are no servers, a line each.
    fn tell(&self, assembly: &Assembly) {
        for note in self.notes(assembly) {
            output::note(&format!("note: {}", output::one_line(&note)));
        }
    }

    /// Says what holds servers back that somebody has named.
    fn notes(&self, assembly: &Assembly) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(unaccepted) = &self.unaccepted {
            let binary = assembly.binary();
            notes.push(format!(
                "{unaccepted}; `{binary} permissions trust` shows and accepts it"
            ));
        }
        notes.extend(self.problem.iter().map(ToString::to_string));
        let broken = |server: &KnownServer| {
            let problem = server.config.as_ref().err()?;
            Some(format!(
                "the MCP server `{}` is not used: {problem}",
                server.name
            ))
        };
        let enabled = self.servers.iter().filter(|server| !server.is_disabled);
        notes.extend(enabled.filter_map(broken));
        notes
    }
}

/// Waits until the servers are there or have failed, and tells the user once, a line each, which of them are not there and
/// what is withheld.
pub(in crate::cli) async fn ready(assembly: &Assembly) {
    let Some(at_work) = &assembly.mcp else {
        return;
    };
    if tokio::time::timeout(PATIENCE, at_work.ready())
        .await
        .is_err()
    {
        output::note("waiting for MCP servers");
        at_work.ready().await;
    }
    if !at_work.is_first_telling() {
        return;
    }
    for status in at_work.servers().status() {
        for note in notes_of(&status, assembly.binary()) {
            output::note(&format!("note: {}", output::one_line(&note)));
        }
    }
    for warning in at_work.servers().warnings() {
        output::note(&format!("note: {}", output::one_line(&warning)));
    }
    #[cfg(feature = "skills")]
    crate::cli::skills::add_of_servers(assembly, at_work.servers()).await;
}

/// Says why a server's tools are not there, or some of them.
pub(in crate::cli) fn notes_of(status: &ServerStatus, binary: &str) -> Vec<String> {
    let name = &status.name;
    if let Some(error) = status
        .connection
        .last_error
        .as_ref()
        .filter(|_| !is_there(status))
    {
        return vec![error.to_string()];
    }
    match status.approval {
        ApprovalState::Missing => vec![format!(
            "the MCP server `{name}` was not approved yet, and its tools are withheld: `{binary} mcp approve {name}` shows \
             what it offers"
        )],
        _ => {
            let changed = |reason: &WithheldReason| matches!(reason, WithheldReason::Changed);
            let changed = status
                .withheld
                .iter()
                .filter(|tool| changed(&tool.reason))
                .map(|tool| format!("`{}`", tool.tool));
            let changed: Vec<String> = changed.collect();
            if changed.is_empty() {
                return Vec::new();
            }
            vec![format!(
                "of the MCP server `{name}`, what has changed since you approved it is withheld: {}; `{binary} mcp approve \
                 {name}` shows the difference",
                changed.join(", ")
            )]
        }
    }
}

/// Reports whether a server is connected.
pub(in crate::cli) fn is_there(status: &ServerStatus) -> bool {
    status.connection.state == crate::mcp::ConnectionState::Ready
}

/// Says how a server is reached, as a person may see it.
pub(in crate::cli) fn reached(config: &ServerConfig) -> String {
    match config.transport() {
        Transport::Stdio(server) => {
            let mut words = vec![server.command.clone()];
            words.extend(server.arguments.iter().cloned());
            words.join(" ")
        }
        Transport::Http { url, .. } | Transport::Sse { url, .. } => {
            crate::cli::config::without_password(url)
        }
    }
}
