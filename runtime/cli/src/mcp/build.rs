//! MCP servers with the sandboxes and logins of the command line.

use std::sync::Arc;

use crate::app::Package;
use crate::sandbox::SandboxFactory;
use crate::session_folder;
use helve_mcp::{Logins, McpServers, ServerConfig};

/// Makes servers with the sandboxes and logins of this program. No server is started.
pub(crate) fn build_servers(
    package: Package,
    configs: Vec<ServerConfig>,
    sandboxes: &SandboxFactory,
) -> McpServers {
    // These servers have a sandbox of their own: the gate of the other one holds connections once a turn has read untrusted
    // text, and the connections of servers are not made for a turn.
    let sandbox = Arc::new(sandboxes.lazy_sandbox());
    McpServers::builder()
        .servers(configs)
        .client(package.name, package.version)
        .logins(open_logins(package))
        .sandbox(sandbox)
        .build()
}

/// Returns where the logins to servers are kept: beside the sessions.
pub(crate) fn open_logins(package: Package) -> Logins {
    let logins = match session_folder::folder(package.name) {
        Ok(sessions) => Logins::in_folder(sessions.with_file_name("logins")),
        Err(_) => Logins::in_memory(),
    };
    logins.registered_as(package.name)
}
