//! `mcp add`.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::approve;
use super::context::McpCommandContext;
use super::test::connect_hint;
use crate::config::SettingsEditor;
use crate::config::{ProjectFile, expand_variables, user_path};
use crate::exit::{CommandResult, OrExit as _, WRONG_USAGE};
use crate::mcp::{McpSession, is_connected};
use crate::{args, exit};
use helve_mcp::{ConnectError, ServerConfig, ServerName, StdioServer, Transport};
use helve_terminal::output;
use helve_terminal::questions::Terminal;

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
        .arg(args::flag("force", "Add the server even if it does not start or cannot be reached"))
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
    let edit = SettingsEditor::open(&path, &cx.app.setting_keys).and_then(|mut edit| {
        edit.add(&config)?;
        Ok(edit)
    });
    let edit = edit.or_wrong_usage()?;
    let session = connect(cx, &config, matches.get_flag("force")).await?;
    let done = save_and_approve(cx, edit, &config, session.as_ref(), is_project).await;
    if let Some(session) = session {
        session.close().await;
    }
    done
}

/// Connects to the new server. The result is `None` where it cannot be used and is added regardless, since it needs a
/// login first or the user says so.
async fn connect(
    cx: &McpCommandContext<'_>,
    config: &ServerConfig,
    is_forced: bool,
) -> Result<Option<McpSession>, ExitCode> {
    let (name, binary) = (config.name(), cx.binary());
    let expanded = match expand(config) {
        Ok(expanded) => expanded,
        Err(variable) if is_forced => {
            output::note(&format!("warning: the variable `{variable}` is not set"));
            return Ok(None);
        }
        Err(variable) => {
            let message = format_args!(
                "`{name}` was not added: the variable `{variable}` is not set\n\
                 help: set the variable, or use `--force` to add the server without it"
            );
            return Err(exit::with_message(exit::FAILED, message));
        }
    };
    let session = cx.connect(vec![expanded])?;
    session.wait_ready().await;
    let status = session.servers().status_of(name.as_str());
    if status.as_ref().is_some_and(is_connected) {
        return Ok(Some(session));
    }
    session.close().await;
    let error = status.and_then(|status| status.connection.last_error);
    let why = error.as_ref().map_or_else(
        || "the server did not start".to_owned(),
        ToString::to_string,
    );
    if let Some(ConnectError::Unauthorized { .. }) = error {
        output::note(&format!("help: run `{binary} mcp login {name}` to log in"));
    } else if is_forced {
        output::note(&format!("warning: {why}"));
    } else {
        let hint = error.and_then(|error| connect_hint(binary, config, &error));
        let hint = hint.map_or_else(String::new, |hint| format!("help: {hint}\n"));
        let message = format_args!(
            "`{name}` was not added: {why}\n{hint}help: use `--force` to add the server regardless"
        );
        return Err(exit::with_message(exit::FAILED, message));
    }
    Ok(None)
}

/// Replaces the variables of a configuration by their values. The error is the name of a variable that is not set.
fn expand(config: &ServerConfig) -> Result<ServerConfig, String> {
    let mut transport = config.transport().clone();
    match &mut transport {
        Transport::Stdio(server) => {
            let command = std::iter::once(&mut server.command);
            let texts = command.chain(&mut server.arguments);
            expand_all(texts.chain(server.environment.values_mut()))?;
        }
        Transport::Http { url, headers } | Transport::Sse { url, headers } => {
            expand_all(std::iter::once(url).chain(headers.values_mut()))?;
        }
    }
    Ok(ServerConfig::new(config.name().clone(), transport))
}

fn expand_all<'t>(texts: impl Iterator<Item = &'t mut String>) -> Result<(), String> {
    for text in texts {
        *text = expand_variables(text)?;
    }
    Ok(())
}

/// Writes the settings, and asks the user to approve the definitions of the server if it is connected.
async fn save_and_approve(
    cx: &McpCommandContext<'_>,
    edit: SettingsEditor,
    config: &ServerConfig,
    session: Option<&McpSession>,
    is_project: bool,
) -> CommandResult {
    let name = config.name();
    let path = edit.path().to_owned();
    edit.save().or_wrong_usage()?;
    output::line(&format!("added `{name}` to {}", path.display()));
    for secret in plain_secrets(config) {
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
    if let Some(session) = session.filter(|_| Terminal::is_attached()) {
        // The server is added whatever the user answers.
        let _ = approve::approve(cx, session.servers(), name.as_str(), None).await;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(&format!(
        "help: run `{binary} mcp approve {name}` to approve the tools of the server"
    ));
    Ok(ExitCode::SUCCESS)
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
