//! `mcp list`.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::context::McpCommandContext;
use crate::args;
use crate::exit::CommandResult;
use crate::mcp::{KnownServer, is_connected, render_endpoint, status_notes};
use helve_mcp::{ApprovalState, ServerStatus};
use helve_terminal::output;
use helve_terminal::render::counted;

pub(super) fn command() -> Command {
    Command::new("list")
        .about("List the servers with their connection state and tools")
        .arg(args::json())
        .arg(args::flag("offline", "Do not connect to the servers"))
}

pub(super) async fn run(cx: &McpCommandContext<'_>, matches: &ArgMatches) -> CommandResult {
    let mut statuses = Vec::new();
    let configs = cx.servers.enabled_configs();
    if !configs.is_empty() && !matches.get_flag("offline") {
        let session = cx.connect(configs)?;
        session.wait_ready().await;
        statuses = session.servers().status();
        session.close().await;
    }
    let status_of = |server: &KnownServer| {
        statuses
            .iter()
            .find(|status| status.name.as_str() == server.name)
    };
    if matches.get_flag("json") {
        let servers = cx.servers.servers.iter();
        let servers = servers.map(|server| server_json(server, status_of(server)));
        let shown = json!({ "servers": servers.collect::<Vec<_>>(), "notes": cx.servers.file_notes(cx.binary()) });
        output::json(&shown);
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
    for note in cx.servers.file_notes(cx.binary()) {
        output::one_line(&format!("· {note}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_server(cx: &McpCommandContext<'_>, server: &KnownServer, status: Option<&ServerStatus>) {
    let name = &server.name;
    let how = match &server.config {
        Ok(config) => format!("  {}", render_endpoint(config)),
        Err(_) => String::new(),
    };
    output::one_line(&format!("{name}{how}  ({})", server.origin));
    match (&server.config, status) {
        _ if server.is_disabled => output::one_line("  · disabled"),
        (Err(problem), _) => output::one_line(&format!("  ✗ {problem}")),
        (Ok(_), None) => {}
        (Ok(_), Some(status)) => {
            if is_connected(status) {
                output::one_line(&format!("  ✓ {}", render_tools(status)));
            }
            for note in status_notes(status, cx.binary()) {
                let mark = if is_connected(status) { '·' } else { '✗' };
                output::one_line(&format!("  {mark} {note}"));
            }
            for note in &status.notes {
                output::one_line(&format!("  · {note}"));
            }
        }
    }
}

/// Describes the tools of a connected server.
fn render_tools(status: &ServerStatus) -> String {
    let tools = counted(status.offered.len(), "tool");
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
