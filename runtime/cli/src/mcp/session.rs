//! The connections of a command to MCP servers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;

use helve_mcp::McpServers;

/// The maximum time for which closing the servers may delay the exit of the program.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// Servers that a command is connected to. Tasks of the runtime connect to them, and read what they send.
#[derive(Debug)]
pub(crate) struct McpSession {
    servers: McpServers,
    /// Whether every server is connected or has failed.
    is_ready: watch::Receiver<bool>,
    is_reported: AtomicBool,
}

impl McpSession {
    /// Starts connecting. Each server has its own timeout, and records its error.
    pub(crate) fn start(servers: McpServers, runtime: &Handle) -> Self {
        let (ready, is_ready) = watch::channel(false);
        let connecting = servers.clone();
        runtime.spawn(async move {
            connecting.connect().await;
            let _ = ready.send(true);
        });
        Self {
            servers,
            is_ready,
            is_reported: AtomicBool::new(false),
        }
    }

    pub(crate) fn servers(&self) -> &McpServers {
        &self.servers
    }

    /// Waits until every server is connected or has failed.
    pub(crate) async fn wait_ready(&self) {
        let mut is_ready = self.is_ready.clone();
        let _ = is_ready.wait_for(|is_ready| *is_ready).await;
    }

    /// Ends the servers, for a limited time.
    pub(crate) async fn close(&self) {
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, self.servers.close()).await;
    }

    /// Marks the state of the servers as reported, and returns whether it was not reported before.
    pub(crate) fn begin_report(&self) -> bool {
        !self.is_reported.swap(true, Ordering::Relaxed)
    }
}
