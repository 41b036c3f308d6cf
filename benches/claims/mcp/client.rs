//! What it takes to know a server's thousand tools.

use std::sync::Arc;

use helve::acceptances::Acceptances;
use helve::mcp::{McpServers, ServerConfig, ServerTrust};
use rmcp::ServiceExt as _;
use tokio::io::DuplexStream;

use super::bare::{self, BareServer};
use crate::dispatch::runtime;
use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

const ROUNDS: usize = 20;

/// A connection and a list of a thousand tools, each fit to be called, against the list as rmcp's client hands it out.
pub(super) fn rows() -> Vec<Row> {
    let runtime = runtime();
    let tools = bare::thousand();
    let server = BareServer::new(tools);
    let ours = || {
        nanos_per_run(1, || {
            runtime.block_on(async {
                let servers = servers(server.clone());
                assert!(servers.connect().await.is_empty());
                assert_eq!(servers.toolset().names().len(), super::TOOLS);
                servers.close().await;
            });
        })
    };
    let direct = || {
        nanos_per_run(1, || {
            runtime.block_on(async {
                let client = ().serve(near(&server)).await.unwrap();
                assert_eq!(client.list_all_tools().await.unwrap().len(), super::TOOLS);
                client.cancel().await.unwrap();
            });
        })
    };
    vec![Row {
        what: "1,000 tools of a server, connected to and ready to be called",
        against: "rmcp's client, which lists them",
        bar: Bar::Ratio(3.0),
        rounds: measure_alternately(ROUNDS, ours, direct),
    }]
}

/// Starts a server in this process; returns the client's end.
fn near(server: &BareServer) -> DuplexStream {
    let (near, far) = tokio::io::duplex(1 << 16);
    let server = server.clone();
    tokio::spawn(async move { server.serve(far).await.unwrap().waiting().await });
    near
}

fn servers(server: BareServer) -> McpServers {
    // Nobody is asked whether its tools are what they were.
    let mut trust = ServerTrust::default();
    trust.definitions = true;
    let config = ServerConfig::stdio("bare".parse().unwrap(), "in-this-process", [""; 0]);
    let server = Arc::new(server);
    McpServers::builder()
        .server_within(config.with_trust(trust), move || Ok(near(&server)))
        .acceptances(Acceptances::in_memory())
        .build()
}
