//! `mcp list`.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use super::context::{CommandResult, McpCommandContext, print_line};
use crate::mcp::{KnownServer, is_connected, render_endpoint, status_notes};
use crate::output;
use helve_mcp::{ApprovalState, ServerStatus};

pub(super) fn command() -> Command {
    let offline = Arg::new("offline")
        .long("offline")
        .action(ArgAction::SetTrue)
        .help("Do not connect to the servers");
    Command::new("list")
        .about("List the servers with their connection state and tools")
        .arg(super::context::json_argument())
        .arg(offline)
}

pub(super) async fn run(cx: &McpCommandContext<'_>, matches: &ArgMatches) -> CommandResult {
    let enabled = cx
        .servers
        .servers
        .iter()
        .filter(|server| !server.is_disabled && !matches.get_flag("offline"));
    let configs: Vec<_> = enabled
        .filter_map(|server| server.config.as_ref().ok().cloned())
        .collect();
    let statuses = match configs.is_empty() {
        true => Vec::new(),
        false => {
            let session = cx.connect(configs)?;
            session.wait_ready().await;
            let statuses = session.servers().status();
            session.close().await;
            statuses
        }
    };
    let status_of = |server: &KnownServer| {
        statuses
            .iter()
            .find(|status| status.name.as_str() == server.name)
    };
    if matches.get_flag("json") {
        let servers = cx.servers.servers.iter();
        let servers = servers.map(|server| server_json(server, status_of(server)));
        let shown = json!({ "servers": servers.collect::<Vec<_>>(), "notes": render_notes(cx) });
        output::line(&serde_json::to_string_pretty(&shown).unwrap_or_default());
        return Ok(ExitCode::SUCCESS);
    }
    for server in &cx.servers.servers {
        print_server(cx, server, status_of(server));
    }
    if cx.servers.servers.is_empty() {
        let binary = cx.binary();
        output::line(&format!(
            "no MCP servers\nhelp: add one with `{binary} mcp add NAME -- COMMAND` or `{binary} mcp add NAME URL`"
        ));
    }
    for note in render_notes(cx) {
        print_line(&format!("· {note}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the notes about the files that configure servers.
fn render_notes(cx: &McpCommandContext<'_>) -> Vec<String> {
    let binary = cx.binary();
    let unaccepted = cx.servers.unaccepted.iter();
    let unaccepted = unaccepted.map(|unaccepted| {
        format!("{unaccepted}; run `{binary} permissions trust` to review and accept the file")
    });
    let problem = cx.servers.problem.iter().map(ToString::to_string);
    unaccepted.chain(problem).collect()
}

fn print_server(cx: &McpCommandContext<'_>, server: &KnownServer, status: Option<&ServerStatus>) {
    let name = &server.name;
    let how = match &server.config {
        Ok(config) => format!("  {}", render_endpoint(config)),
        Err(_) => String::new(),
    };
    print_line(&format!("{name}{how}  ({})", server.origin));
    match (&server.config, status) {
        _ if server.is_disabled => print_line("  · disabled"),
        (Err(problem), _) => print_line(&format!("  ✗ {problem}")),
        (Ok(_), None) => {}
        (Ok(_), Some(status)) => {
            if is_connected(status) {
                print_line(&format!("  ✓ {}", render_tools(status)));
            }
            for note in status_notes(status, cx.binary()) {
                let mark = if is_connected(status) { '·' } else { '✗' };
                print_line(&format!("  {mark} {note}"));
            }
            for note in &status.notes {
                print_line(&format!("  · {note}"));
            }
        }
    }
}

/// Describes the tools of a connected server.
fn render_tools(status: &ServerStatus) -> String {
    let tools = match status.offered.len() {
        1 => "1 tool".to_owned(),
        tools => format!("{tools} tools"),
    };
    let withheld = match status.withheld.len() {
        0 => String::new(),
        withheld => format!(", {withheld} disabled"),
    };
    let version = status.connection.protocol_version.as_ref();
    let version = version.map_or_else(String::new, |version| format!(", protocol {version}"));
    format!("{tools}{withheld}{version}")
}

fn server_json(server: &KnownServer, status: Option<&ServerStatus>) -> Value {
    let mut shown = json!({
        "name": server.name,
        "origin": server.origin.to_string(),
        "disabled": server.is_disabled,
    });
    match &server.config {
        Ok(config) => shown["reached"] = render_endpoint(config).into(),
        Err(problem) => shown["error"] = problem.to_string().into(),
    }
    let Some(status) = status else {
        return shown;
    };
    shown["connected"] = is_connected(status).into();
    shown["approval"] = match status.approval {
        ApprovalState::NotNeeded => "not needed",
        ApprovalState::Given => "given",
        ApprovalState::Outdated => "outdated",
        _ => "missing",
    }
    .into();
    if let Some(version) = &status.connection.protocol_version {
        shown["protocol"] = version.as_str().into();
    }
    let error = status.connection.last_error.as_ref();
    if let Some(error) = error.filter(|_| !is_connected(status)) {
        shown["error"] = error.to_string().into();
    }
    let offered = status.offered.iter().map(|name| Value::from(&**name));
    shown["tools"] = offered.collect();
    let withheld = status
        .withheld
        .iter()
        .map(|tool| json!({ "tool": tool.tool, "reason": tool.reason.to_string() }));
    shown["withheld"] = withheld.collect();
    shown["notes"] = status.notes.clone().into();
    shown
}
