//! What most of these tests begin with.

use std::time::Duration;

use helve_runtime::acceptances::Acceptances;
use helve_runtime::mcp::{McpServers, ServerConfig, ServerTrust};

use crate::mcp_tools::mcp_server::TestServer;

/// Describes a server of this process.
pub(crate) fn config(name: &str) -> ServerConfig {
    ServerConfig::stdio(name.parse().unwrap(), "never-started", [] as [&str; 0])
}

/// Describes a server that the app ships itself.
pub(crate) fn own_config(name: &str) -> ServerConfig {
    let mut trust = ServerTrust::default();
    trust.definitions = true;
    config(name).with_trust(trust)
}

/// Puts one server together.
pub(crate) fn servers(
    config: ServerConfig,
    offer: &TestServer,
    acceptances: &Acceptances,
) -> McpServers {
    let builder = McpServers::builder().server_within(config, offer.connect());
    builder.acceptances(acceptances.clone()).build()
}

/// Connects to a server whose definitions need no approval.
pub(crate) async fn trusted(offer: &TestServer) -> McpServers {
    let servers = servers(own_config("fs"), offer, &Acceptances::in_memory());
    connect(&servers).await;
    servers
}

/// Connects to a server, and approves what it says.
pub(crate) async fn approved(offer: &TestServer, acceptances: &Acceptances) -> McpServers {
    let servers = servers(config("fs"), offer, acceptances);
    connect(&servers).await;
    approve(&servers).await;
    servers
}

pub(crate) async fn connect(servers: &McpServers) {
    let failed = servers.connect().await;
    assert!(failed.is_empty(), "{failed:?}");
}

/// Approves what the server `fs` says.
pub(crate) async fn approve(servers: &McpServers) {
    let difference = servers.difference("fs").await.unwrap();
    servers.approve(&difference).await.unwrap();
}

/// Says what the server `fs` offers and withholds, a line each.
pub(crate) fn render_status(servers: &McpServers) -> String {
    let status = servers.status_of("fs").unwrap();
    let mut lines = vec![format!("{:?}", status.approval)];
    lines.extend(status.offered.iter().map(ToString::to_string));
    lines.extend(
        status
            .withheld
            .iter()
            .map(|withheld| format!("withheld {withheld}")),
    );
    lines.extend(status.notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}

/// Waits until something is so, which it is soon or never.
pub(crate) async fn wait_until(mut is_so: impl FnMut() -> bool) {
    let soon = tokio::time::timeout(Duration::from_secs(60), async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    soon.await.expect("it never came to be");
}
