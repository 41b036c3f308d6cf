//! `serve --print-config CLIENT`: what to paste into the settings of a client.

use std::path::Path;
use std::process::ExitCode;

use clap::builder::EnumValueParser;
use clap::{Arg, ArgMatches, ValueEnum};
use serde_json::{Map, Value, json};

use super::http::ListenAddress;
use crate::app_context::AppContext;
use crate::output;

/// A client whose settings are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfigClient {
    Claude,
    Cursor,
    VsCode,
    Codex,
}

impl ValueEnum for ConfigClient {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Claude, Self::Cursor, Self::VsCode, Self::Codex]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let name = match self {
            Self::Claude => "claude",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
        };
        Some(clap::builder::PossibleValue::new(name))
    }
}

/// The flag `--print-config`.
pub(super) fn argument() -> Arg {
    Arg::new("print-config")
        .long("print-config")
        .value_name("CLIENT")
        .value_parser(EnumValueParser::<ConfigClient>::new())
        .help("Print the configuration for a client with the given flags, and exit")
}

/// The endpoint at which a client reaches the server.
enum ServerEndpoint {
    Stdio {
        command: String,
        arguments: Vec<String>,
    },
    Http {
        url: String,
        /// The environment variable with the token.
        token: Option<String>,
    },
}

pub(super) fn run(app: &AppContext, client: ConfigClient, matches: &ArgMatches) -> ExitCode {
    let name = app.binary();
    let reach = match matches.get_one::<ListenAddress>("http") {
        Some(address) => http_endpoint(name, address, matches),
        None => stdio_endpoint(app, matches),
    };
    output::note(&format!("{}:", config_location(client)));
    output::line(&render_snippet(client, name, &reach));
    ExitCode::SUCCESS
}

/// Returns the location of the configuration.
fn config_location(client: ConfigClient) -> &'static str {
    match client {
        ConfigClient::Claude => {
            "add to `.mcp.json` of a project, `~/.claude.json`, or `claude_desktop_config.json`"
        }
        ConfigClient::Cursor => "add to `.cursor/mcp.json` of a project, or `~/.cursor/mcp.json`",
        ConfigClient::VsCode => "add to `.vscode/mcp.json` of a project, or `mcp.json` of the user",
        ConfigClient::Codex => "add to `~/.codex/config.toml`",
    }
}

/// Returns the stdio endpoint with absolute paths, since clients start the program in any folder.
fn stdio_endpoint(app: &AppContext, matches: &ArgMatches) -> ServerEndpoint {
    let command = std::env::current_exe();
    let command = command.unwrap_or_else(|_| app.binary().into());
    let root = absolute_text(app.folder());
    let mut arguments = vec!["--root".to_owned(), root, "serve".to_owned()];
    arguments.push("--stdio".to_owned());
    for flag in ["tools", "mode", "allow", "ask", "deny", "sandbox"] {
        let given = matches.try_get_raw(flag).ok().flatten();
        for value in given.into_iter().flatten() {
            arguments.push(format!("--{flag}"));
            arguments.push(value.to_string_lossy().into_owned());
        }
    }
    ServerEndpoint::Stdio {
        command: absolute_text(&command),
        arguments,
    }
}

fn absolute_text(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.display().to_string()
}

fn http_endpoint(name: &str, address: &ListenAddress, matches: &ArgMatches) -> ServerEndpoint {
    let of_variable = matches.get_one::<String>("token-env").cloned();
    let of_file = matches.contains_id("token-file").then(|| {
        let name = name.to_ascii_uppercase().replace('-', "_");
        format!("{name}_TOKEN")
    });
    ServerEndpoint::Http {
        url: format!("http://{}:{}/mcp", address.host, address.port),
        token: of_variable.or(of_file),
    }
}

fn render_snippet(client: ConfigClient, name: &str, reach: &ServerEndpoint) -> String {
    let value = match client {
        ConfigClient::Claude => {
            json!({ "mcpServers": { name: server_entry(reach, true, |it| format!("${{{it}}}")) } })
        }
        ConfigClient::Cursor => {
            json!({ "mcpServers": { name: server_entry(reach, false, |it| format!("${{env:{it}}}")) } })
        }
        ConfigClient::VsCode => vscode_config(name, reach),
        ConfigClient::Codex => return codex_config(name, reach),
    };
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

/// Returns the configuration of a server in the format that most clients use.
fn server_entry(
    reach: &ServerEndpoint,
    has_type: bool,
    variable: impl Fn(&str) -> String,
) -> Value {
    let mut entry = Map::new();
    let mut set = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    match reach {
        ServerEndpoint::Stdio { command, arguments } => {
            if has_type {
                set("type", "stdio".into());
            }
            set("command", command.as_str().into());
            set("args", arguments.clone().into());
        }
        ServerEndpoint::Http { url, token } => {
            if has_type {
                set("type", "http".into());
            }
            set("url", url.as_str().into());
            if let Some(token) = token {
                let bearer = format!("Bearer {}", variable(token));
                set("headers", json!({ "Authorization": bearer }));
            }
        }
    }
    entry.into()
}

/// Returns the configuration for VS Code, which asks the user for the token and stores it.
fn vscode_config(name: &str, reach: &ServerEndpoint) -> Value {
    let id = format!("{name}-token");
    let servers = json!({ name: server_entry(reach, true, |_| format!("${{input:{id}}}")) });
    match reach {
        ServerEndpoint::Http { token: Some(_), .. } => json!({
            "inputs": [{
                "type": "promptString",
                "id": id,
                "description": format!("The access token of {name}"),
                "password": true,
            }],
            "servers": servers,
        }),
        _ => json!({ "servers": servers }),
    }
}

fn codex_config(name: &str, reach: &ServerEndpoint) -> String {
    let string = |text: &str| toml::Value::from(text).to_string();
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let key = match name.chars().all(is_bare) {
        true => name.to_owned(),
        false => string(name),
    };
    let mut lines = vec![format!("[mcp_servers.{key}]")];
    match reach {
        ServerEndpoint::Stdio { command, arguments } => {
            let arguments: Vec<String> = arguments.iter().map(|text| string(text)).collect();
            lines.push(format!("command = {}", string(command)));
            lines.push(format!("args = [{}]", arguments.join(", ")));
        }
        ServerEndpoint::Http { url, token } => {
            lines.push(format!("url = {}", string(url)));
            if let Some(token) = token {
                lines.push(format!("bearer_token_env_var = {}", string(token)));
            }
        }
    }
    lines.join("\n")
}
