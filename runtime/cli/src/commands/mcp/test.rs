//! `mcp test`: whether a server is there, what it speaks and offers, and what to do where it is not.

use std::process::ExitCode;

use clap::Command;

use super::context::McpCommandContext;
use crate::exit::{self, CommandResult};
use crate::mcp::{is_connected, render_endpoint, status_notes};
use helve_mcp::{
    ConnectError, ServerConfig, ServerStatus, Transport, WithheldReason, WithheldTool,
};
use helve_terminal::output;

pub(super) fn command() -> Command {
    Command::new("test").about("Connect to a server, and show its protocol, tools and errors")
}

pub(super) async fn run(cx: &McpCommandContext<'_>, name: &str) -> CommandResult {
    let config = cx.server(name)?;
    let origin = cx.servers.get(name).map(|server| server.origin.to_string());
    let origin = origin.unwrap_or_default();
    output::one_line(&format!("{name}  {}  ({origin})", render_endpoint(&config)));
    let session = cx.connect(vec![config.clone()])?;
    session.wait_ready().await;
    let status = session.servers().status_of(name);
    let done = match &status {
        Some(status) => print_report(cx, &config, status),
        None => Err(ExitCode::FAILURE),
    };
    session.close().await;
    done
}

/// Prints what a server speaks and offers, or why it is not connected.
fn print_report(
    cx: &McpCommandContext<'_>,
    config: &ServerConfig,
    status: &ServerStatus,
) -> CommandResult {
    if !is_connected(status) {
        let error = status.connection.last_error.as_ref();
        let told = error.map_or_else(|| "it is not there".to_owned(), ToString::to_string);
        for (index, part) in told.lines().enumerate() {
            output::one_line(&format!("  {} {part}", if index == 0 { '✗' } else { ' ' }));
        }
        let hint = error.and_then(|error| connect_hint(cx.binary(), config, error));
        if let Some(hint) = hint {
            output::one_line(&format!("    → {hint}"));
        }
        return Ok(ExitCode::from(exit::FAILED));
    }
    for text in describe_server(status) {
        output::one_line(&format!("  ✓ {text}"));
    }
    if !status.offered.is_empty() {
        output::one_line(&format!("  ✓ tools: {}", status.offered.join(", ")));
    }
    let is_unapproved = |tool: &&WithheldTool| tool.reason == WithheldReason::NotApproved;
    let unapproved = status.withheld.iter().filter(is_unapproved);
    let unapproved: Vec<&str> = unapproved.map(|tool| tool.tool.as_str()).collect();
    if !unapproved.is_empty() {
        let unapproved = unapproved.join(", ");
        output::one_line(&format!("  · tools that need approval: {unapproved}"));
    }
    for withheld in status.withheld.iter().filter(|tool| !is_unapproved(tool)) {
        output::one_line(&format!("  · disabled: {withheld}"));
    }
    for note in status_notes(status, cx.binary()) {
        output::one_line(&format!("  · {note}"));
    }
    for note in &status.notes {
        output::one_line(&format!("  · {note}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn describe_server(status: &ServerStatus) -> Vec<String> {
    let connection = &status.connection;
    let mut texts = Vec::new();
    if let Some(server) = &connection.server {
        texts.push(format!("server: {} {}", server.name, server.version));
    }
    if let Some(version) = &connection.protocol_version {
        texts.push(format!("protocol: {version}"));
    }
    let capabilities = connection.capabilities.as_ref();
    let capabilities = capabilities.and_then(|can| serde_json::to_value(can).ok());
    if let Some(serde_json::Value::Object(can)) = capabilities {
        let names: Vec<String> = can.keys().cloned().collect();
        texts.push(match names.is_empty() {
            true => "capabilities: none".to_owned(),
            false => format!("capabilities: {}", names.join(", ")),
        });
    }
    texts
}

/// Returns the hint for a server that cannot be connected.
pub(super) fn connect_hint(
    binary: &str,
    config: &ServerConfig,
    error: &ConnectError,
) -> Option<String> {
    let name = config.name();
    match (error, config.transport()) {
        (ConnectError::Unauthorized { .. }, _) => {
            Some(format!("run `{binary} mcp login {name}` to log in"))
        }
        (ConnectError::NotStarted { .. } | ConnectError::Ended { .. }, Transport::Stdio(server))
            if server.sandboxed =>
        {
            Some(
                "the server runs in the sandbox: add the folders of its program to `sandbox.readable` and its hosts \
                 to `sandbox.hosts`"
                    .to_owned(),
            )
        }
        (ConnectError::Ended { .. }, Transport::Stdio(_)) => Some(format!(
            "run the command yourself; pass missing environment variables with `inherit` and `env` in \
             `[mcp.servers.{name}]`"
        )),
        (ConnectError::Protocol { .. }, Transport::Http { .. }) => Some(
            "check that the URL is the MCP endpoint; an older server may need `transport = \"sse\"`".to_owned(),
        ),
        _ => None,
    }
}
