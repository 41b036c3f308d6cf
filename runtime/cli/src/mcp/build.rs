//! MCP servers with the sandboxes and logins of the command line.

use std::sync::Arc;

use crate::app::Package;
use crate::sandbox::SandboxFactory;
use crate::session_folder;
use helve_mcp::{Logins, McpServers, ServerConfig};

/// Creates servers with the sandboxes and logins of this program. No server is started.
pub(crate) fn build_servers(
    package: Package,
    configs: Vec<ServerConfig>,
    sandboxes: &SandboxFactory,
) -> McpServers {
    // The servers have their own sandbox: the gate of the other sandbox holds connections once a turn has read
    // untrusted text, and the connections of servers do not belong to a turn.
    let sandbox = Arc::new(sandboxes.lazy_sandbox());
    McpServers::builder()
        .servers(configs)
        .client(package.name, package.version)
        .logins(open_logins(package))
        .sandbox(sandbox)
        .build()
}

/// Returns the store of logins, in the session folder.
pub(crate) fn open_logins(package: Package) -> Logins {
    let logins = match session_folder::folder(package.name) {
        Ok(sessions) => Logins::in_folder(sessions.with_file_name("logins")),
        Err(_) => Logins::in_memory(),
    };
    logins.registered_as(package.name)
}
