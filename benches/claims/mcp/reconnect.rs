//! How soon a server that went away can be called again.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use helve::acceptances::Acceptances;
use helve::mcp::{McpServers, ServerConfig, ServerTrust};
use helve::prelude::*;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::bare::{self, BareServer};
use crate::dispatch::runtime;
use crate::harness::{Bar, Row, measure_alternately, nanos};

const ROUNDS: usize = 15;
const CALL: &str = r#"{"name":"Ishmael","times":3}"#;

pub(super) fn rows() -> Vec<Row> {
    vec![program(), session()]
}

/// The part of the stdio server: it serves until it is asked for a million greetings, which it dies of.
pub(crate) fn serve() -> ExitCode {
    runtime().block_on(async {
        let server = BareServer::new(bare::greet()).exit_on_request();
        let running = server
            .serve((tokio::io::stdin(), tokio::io::stdout()))
            .await
            .unwrap();
        running.waiting().await.unwrap();
    });
    ExitCode::SUCCESS
}

/// From the call that a program dies of to the next one's answer, against that program's start and first answer.
fn program() -> Row {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let program = std::env::current_exe().unwrap();
    let config = || {
        let name = "mortal".parse().unwrap();
        ServerConfig::stdio(name, program.to_str().unwrap(), [super::SERVER_ARGUMENT])
            .with_trust(trust_all())
    };
    let ours = || {
        runtime.block_on(async {
            // Another one each time: who dies again and again is waited for longer each time.
            let servers = build_servers(config());
            assert!(servers.connect().await.is_empty());
            let tools = servers.toolset();
            let deadly = r#"{"name":"Ahab","times":1000000}"#;
            let context = ToolContext::new();
            assert!(
                tools
                    .call("mcp__mortal__greet", deadly, &context)
                    .await
                    .is_err()
            );
            let died = Instant::now();
            // Until it is back, a call may say that it is not.
            while tools
                .call("mcp__mortal__greet", CALL, &context)
                .await
                .is_err()
            {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let took = nanos(died.elapsed());
            servers.close().await;
            took
        })
    };
    let direct = || {
        runtime.block_on(async {
            let begun = Instant::now();
            let servers = build_servers(config());
            assert!(servers.connect().await.is_empty());
            let called = servers
                .toolset()
                .call("mcp__mortal__greet", CALL, &ToolContext::new())
                .await;
            let took = nanos(begun.elapsed());
            assert!(called.is_ok());
            servers.close().await;
            took
        })
    };
    Row {
        what: "a program that died, called again",
        against: "its first start, connection, list and call",
        bar: Bar::Time(Duration::from_millis(500)),
        rounds: measure_alternately(ROUNDS, ours, direct),
    }
}

/// A call over a session that the server has forgotten, against one over a session that it knows.
fn session() -> Row {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let sessions = Arc::new(LocalSessionManager::default());
    let servers = runtime.block_on(async {
        let url = listening(&sessions).await;
        let config = ServerConfig::http("distant".parse().unwrap(), url).with_trust(trust_all());
        let servers = build_servers(config);
        assert!(servers.connect().await.is_empty());
        servers
    });
    let call = || async {
        let tools = servers.toolset();
        let begun = Instant::now();
        tools
            .call("mcp__distant__greet", CALL, &ToolContext::new())
            .await
            .unwrap();
        nanos(begun.elapsed())
    };
    let ours = || {
        runtime.block_on(async {
            sessions.sessions.write().await.clear();
            call().await
        })
    };
    Row {
        what: "a call over a session that the server forgot",
        against: "one over a session that it knows",
        bar: Bar::Time(Duration::from_millis(100)),
        rounds: measure_alternately(ROUNDS, ours, || runtime.block_on(call())),
    }
}

/// Serves over HTTP in this process, with sessions; returns the address.
async fn listening(sessions: &Arc<LocalSessionManager>) -> String {
    let make = || Ok(BareServer::new(bare::greet()).with_sessions());
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(make, Arc::clone(sessions), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            // Or the second half of an answer waits until the first is acknowledged.
            connection.set_nodelay(true).unwrap();
            let service = TowerToHyperService::new(service.clone());
            let builder = hyper::server::conn::http1::Builder::new();
            tokio::spawn(builder.serve_connection(TokioIo::new(connection), service));
        }
    });
    format!("http://{address}/mcp")
}

fn build_servers(config: ServerConfig) -> McpServers {
    McpServers::builder()
        .server(config)
        .acceptances(Acceptances::in_memory())
        .build()
}

/// Nobody is asked whether its tools are what they were.
fn trust_all() -> ServerTrust {
    let mut trust = ServerTrust::default();
    trust.definitions = true;
    trust
}
