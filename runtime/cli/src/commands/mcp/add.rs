//! `mcp add`.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::approve;
use super::context::McpCommandContext;
use crate::config::{Config, ProjectFile, user_path};
use crate::exit::{CommandResult, OrExit as _, WRONG_USAGE};
use crate::mcp::SettingsEditor;
use crate::terminal::Terminal;
use crate::{args, exit, output};
use helve_mcp::{ServerConfig, ServerName, StdioServer, Transport};

pub(super) fn command() -> Command {
    let url = args::positional("url", "URL", "The URL of the server")
        .index(2)
        .conflicts_with("command");
    let program = args::positional(
        "command",
        "COMMAND",
        "The command that starts the server, after `--`",
    );
    let transport = args::option(
        "transport",
        "TRANSPORT",
        "The transport of the URL [default: http]",
    );
    Command::new("add")
        .about("Add an MCP server to the user's or the project's settings")
        .after_help(
            "  mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n  mcp add tickets https://tickets.example/mcp \
             --header 'Authorization: Bearer ${TICKETS_TOKEN}'\n\n`${VARIABLE}` is written unexpanded and expanded \
             when the server is used; use it for secrets.",
        )
        .arg(url)
        .arg(program.index(3).last(true).num_args(1..))
        .arg(transport.value_parser(["http", "sse"]).requires("url"))
        .arg(args::repeated("header", "NAME: VALUE", "Send a header with every request"))
        .arg(args::repeated("env", "NAME=VALUE", "Set an environment variable of the server"))
        .arg(args::repeated(
            "inherit",
            "NAME",
            "Pass an environment variable to the server; `PREFIX*` passes all with the prefix",
        ))
        .arg(args::flag("sandboxed", "Run the server in the sandbox").requires("command"))
        .arg(args::flag("project", "Add the server to the project's helve.toml"))
}

pub(super) async fn run(
    cx: &McpCommandContext<'_>,
    name: &str,
    matches: &ArgMatches,
) -> CommandResult {
    let config = parse_server(cx, name, matches);
    let config = config.map_err(|why| exit::with_message(WRONG_USAGE, why))?;
    let is_project = matches.get_flag("project");
    let path = match is_project {
        true => Some(ProjectFile::find_path(&cx.app.folder)),
        false => user_path(),
    };
    let path = path.ok_or_else(|| {
        let message = "no configuration folder was found\nhelp: set `HOME` or `XDG_CONFIG_HOME`";
        exit::with_message(exit::FAILED, message)
    })?;
    let written = SettingsEditor::open(&path, &cx.app.setting_keys).and_then(|mut edit| {
        edit.add(&config)?;
        let path = edit.path().to_owned();
        edit.save()?;
        Ok(path)
    });
    let path = written.or_wrong_usage()?;
    output::line(&format!("added `{name}` to {}", path.display()));
    for secret in plain_secrets(&config) {
        output::note(&format!(
            "warning: the value of {secret} is stored in plain text\nhelp: use `${{VARIABLE}}` to keep it out of the \
             file"
        ));
    }
    let binary = cx.binary();
    if is_project {
        output::line(&format!(
            "help: run `{binary} permissions trust` to accept the changed file"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    if !Terminal::is_attached() {
        output::line(&format!(
            "help: run `{binary} mcp approve {name}` to approve the tools of the server"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    // The server is added even if it cannot be reached now.
    let _ = approve_added(cx, name).await;
    Ok(ExitCode::SUCCESS)
}

/// Shows the tools of the new server for approval. The settings are read again, since this command has changed them.
async fn approve_added(cx: &McpCommandContext<'_>, name: &str) -> CommandResult {
    let keys = &cx.app.setting_keys;
    let config = Config::load(keys, &cx.app.folder, &ArgMatches::default()).or_failed()?;
    let cx = McpCommandContext {
        app: cx.app,
        config: &config,
        servers: &cx.app.known_servers(&config),
    };
    approve::approve(&cx, name, false).await
}

/// Parses the arguments that describe the server; the error is the message for the user.
fn parse_server(
    cx: &McpCommandContext<'_>,
    name: &str,
    matches: &ArgMatches,
) -> Result<ServerConfig, String> {
    let name: ServerName = name.parse().map_err(|error| format!("{error}"))?;
    let all = |id: &str| -> Vec<String> {
        let values = matches.get_many::<String>(id);
        values.into_iter().flatten().cloned().collect()
    };
    let command = all("command");
    let Some((program, arguments)) = command.split_first() else {
        let url = matches.get_one::<String>("url").ok_or_else(|| {
            let binary = cx.binary();
            format!(
                "a URL or a command is required: `{binary} mcp add {name} URL` or `{binary} mcp add {name} -- COMMAND`"
            )
        })?;
        return parse_http_server(cx, name, url, matches, &all("header"));
    };
    let mut server = StdioServer::new(program.clone(), arguments.to_vec());
    server.sandboxed = matches.get_flag("sandboxed");
    server.inherited = all("inherit");
    for pair in all("env") {
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or("invalid variable: expected `--env NAME=VALUE`")?;
        server.environment.insert(name.to_owned(), value.to_owned());
    }
    if !all("header").is_empty() {
        return Err("`--header` needs a URL; use `--env` for a command".to_owned());
    }
    Ok(ServerConfig::new(name, Transport::Stdio(server)))
}

fn parse_http_server(
    cx: &McpCommandContext<'_>,
    name: ServerName,
    url: &str,
    matches: &ArgMatches,
    headers: &[String],
) -> Result<ServerConfig, String> {
    if !url.starts_with("http://") && !url.starts_with("https://") && !url.contains("${") {
        let binary = cx.binary();
        return Err(format!(
            "`{url}` is not an http or https URL; put a command after `--`: `{binary} mcp add {name} -- {url}`"
        ));
    }
    for id in ["env", "inherit"] {
        if matches.contains_id(id) {
            return Err(format!(
                "`--{id}` needs a command; use `--header` for a URL"
            ));
        }
    }
    let mut config = match matches.get_one::<String>("transport").map(String::as_str) {
        Some("sse") => ServerConfig::sse(name, url),
        _ => ServerConfig::http(name, url),
    };
    for header in headers {
        let (name, value) = header
            .split_once(':')
            .map(|(name, value)| (name.trim(), value.trim()))
            .filter(|(name, value)| is_header(name) && !value.is_empty())
            .ok_or("invalid header: expected `--header 'NAME: VALUE'`")?;
        config = config.header(name, value);
    }
    Ok(config)
}

fn is_header(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(fits)
}

/// Returns the names of variables and headers that look like secrets and are stored in plain text.
fn plain_secrets(config: &ServerConfig) -> Vec<String> {
    let texts = match config.transport() {
        Transport::Stdio(server) => &server.environment,
        Transport::Http { headers, .. } | Transport::Sse { headers, .. } => headers,
    };
    let words = ["auth", "key", "token", "secret", "password", "cookie"];
    let is_bare = |(name, value): &(&String, &String)| {
        let name = name.to_ascii_lowercase();
        words.iter().any(|word| name.contains(word)) && !value.contains("${")
    };
    let bare = texts.iter().filter(is_bare);
    bare.map(|(name, _)| format!("`{name}`")).collect()
}
