//! `serve --print-config CLIENT`: what to paste into the settings of a client.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches};
use serde_json::{Map, Value, json};

use super::http::ListenAddress;
use crate::app_context::AppContext;
use crate::args;
use helve_terminal::output;

/// The flag `--print-config`.
pub(super) fn argument() -> Arg {
    let help = "Print the configuration for a client with the given flags, and exit";
    args::option("print-config", "CLIENT", help)
        .value_parser(["claude", "cursor", "vscode", "codex"])
}

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

pub(super) fn run(app: &AppContext, client: &str, matches: &ArgMatches) -> ExitCode {
    let name = app.binary();
    let reach = match matches.get_one::<ListenAddress>("http") {
        Some(address) => http_endpoint(name, address, matches),
        None => stdio_endpoint(app, matches),
    };
    let json = |value: Value| serde_json::to_string_pretty(&value).unwrap_or_default();
    let servers = |entry: Value| json(json!({ "mcpServers": { name: entry } }));
    let (place, snippet) = match client {
        "claude" => (
            "`.mcp.json` of a project, `~/.claude.json`, or `claude_desktop_config.json`",
            servers(server_entry(&reach, true, |it| format!("${{{it}}}"))),
        ),
        "cursor" => (
            "`.cursor/mcp.json` of a project, or `~/.cursor/mcp.json`",
            servers(server_entry(&reach, false, |it| format!("${{env:{it}}}"))),
        ),
        "vscode" => (
            "`.vscode/mcp.json` of a project, or `mcp.json` of the user",
            json(vscode_config(name, &reach)),
        ),
        _ => ("`~/.codex/config.toml`", codex_config(name, &reach)),
    };
    output::note(&format!("add to {place}:"));
    output::line(&snippet);
    ExitCode::SUCCESS
}

/// Returns the stdio endpoint with absolute paths, since clients start the program in any folder.
fn stdio_endpoint(app: &AppContext, matches: &ArgMatches) -> ServerEndpoint {
    let command = std::env::current_exe();
    let command = command.unwrap_or_else(|_| app.binary().into());
    let root = absolute_text(&app.folder);
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

pub(super) fn absolute_text(path: &Path) -> String {
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
    let server = match reach {
        ServerEndpoint::Stdio { command, arguments } => {
            json!({ "command": command, "args": arguments })
        }
        ServerEndpoint::Http { url, token: None } => json!({ "url": url }),
        ServerEndpoint::Http { url, token } => json!({ "url": url, "bearer_token_env_var": token }),
    };
    let config = toml::to_string(&json!({ "mcp_servers": { name: server } }));
    config.unwrap_or_default().trim_end().to_owned()
}
