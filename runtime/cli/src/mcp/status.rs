//! The state of MCP servers, as the command line reports it.

use crate::config::redact_credentials;
use helve_mcp::{ApprovalState, ServerConfig, ServerStatus, Transport, WithheldReason};

pub(crate) fn status_notes(status: &ServerStatus, binary: &str) -> Vec<String> {
    let name = &status.name;
    if let Some(error) = status
        .connection
        .last_error
        .as_ref()
        .filter(|_| !is_connected(status))
    {
        return vec![error.to_string()];
    }
    match status.approval {
        ApprovalState::Missing => vec![format!(
            "the tools of MCP server `{name}` are not approved and not used; run `{binary} mcp approve {name}` to \
             review them"
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
                "tools of MCP server `{name}` changed since their approval and are not used: {}; run `{binary} mcp \
                 approve {name}` to review the changes",
                changed.join(", ")
            )]
        }
    }
}

pub(crate) fn is_connected(status: &ServerStatus) -> bool {
    status.connection.state == helve_mcp::ConnectionState::Ready
}

/// Renders the command or the address of a server, without passwords.
pub(crate) fn render_endpoint(config: &ServerConfig) -> String {
    match config.transport() {
        Transport::Stdio(server) => {
            let mut words = vec![server.command.clone()];
            words.extend(server.arguments.iter().cloned());
            words.join(" ")
        }
        Transport::Http { url, .. } | Transport::Sse { url, .. } => redact_credentials(url),
    }
}
