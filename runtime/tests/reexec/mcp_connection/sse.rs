//! Servers over HTTP with a stream of events beside it.

use std::sync::{Arc, Mutex};

use helve_runtime::mcp::ServerConfig;
use helve_runtime::mcp::connection::{Connection, ConnectionDeps};
use helve_runtime::tool::ToolContext;
use libtest_mimic::Trial;
use serde_json::{Map, Value};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::mcp_connection::http;
use crate::mcp_connection::script::{Flow, Outbox, ServerScript, legacy_server, text_result};
use crate::mcp_connection::support::{error_text, text, trial};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        trial("a server with events beside it is spoken to", speaks),
        trial(
            "a server with events beside it dies and is found again",
            dies,
        ),
        trial("an endpoint at another place is refused", cross_origin),
        trial("a stream without an endpoint is told", no_endpoint),
        trial("a stream that is refused is told", refused),
    ]
}

/// Serves a script: messages come by POST and leave as events.
async fn serve(listener: TcpListener, endpoint: String, script: Arc<dyn ServerScript>) {
    let current: Arc<Mutex<Option<Outbox>>> = Arc::default();
    while let Ok((mut stream, _)) = listener.accept().await {
        let (endpoint, script) = (endpoint.clone(), Arc::clone(&script));
        let current = Arc::clone(&current);
        tokio::spawn(async move {
            let Some(asked) = http::read(&mut stream).await else {
                return;
            };
            if asked.verb == "POST" {
                assert_eq!(asked.path, "/messages?session=1");
                let out = current.lock().unwrap().clone();
                if let Some(out) = out
                    && script.handle(&asked.message, &out).is_break()
                {
                    *current.lock().unwrap() = None;
                }
                let told = http::raw_response("202 Accepted", "connection: close\r\n", "");
                let _ = stream
                    .write_all(format!("HTTP/1.1 {told}").as_bytes())
                    .await;
                return;
            }
            let (out, mut queue) = mpsc::unbounded_channel();
            *current.lock().unwrap() = Some(Outbox(out));
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let first = format!("{head}: hello\n\nevent: endpoint\ndata: {endpoint}\n\n");
            let _ = stream.write_all(first.as_bytes()).await;
            while let Some(line) = queue.recv().await {
                let event = format!("event: message\ndata: {line}\n\n");
                if stream.write_all(event.as_bytes()).await.is_err() {
                    return;
                }
            }
        });
    }
}

async fn start(endpoint: &str, script: impl ServerScript) -> Connection {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/sse", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, endpoint.to_owned(), Arc::new(script)));
    let config = ServerConfig::sse("old-web".parse().unwrap(), url);
    Connection::new(config, ConnectionDeps::new())
}

fn answer(message: &Value, out: &Outbox) -> Flow {
    if message["params"]["name"] == "die" {
        return Flow::Break(());
    }
    out.reply(message, text_result("done"))
}

async fn speaks() {
    let connection = start("/messages?session=1", legacy_server(answer)).await;
    assert_eq!(connection.tools().await.unwrap().tools[0].name, "echo");
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    assert_eq!(text(&called.await.unwrap()), "done");
    connection.close().await;
}

async fn dies() {
    let connection = start("messages?session=1", legacy_server(answer)).await;
    let cx = ToolContext::new();
    insta::assert_snapshot!(error_text(connection.call("die", Map::new(), &cx, false).await), @"the MCP server `old-web` stopped while it worked on `die`: its stream ended; whether it took effect is not known");
    let called = connection.call("a", Map::new(), &cx, false).await;
    assert_eq!(text(&called.unwrap()), "done");
}

async fn cross_origin() {
    let connection = start(
        "https://user:hidden@evil.example/messages",
        legacy_server(answer),
    )
    .await;
    insta::assert_snapshot!(error_text(connection.connect().await), @"the MCP server `old-web` cannot be understood: it wants messages at another place, `https://evil.example`, and none are sent there");
}

async fn no_endpoint() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/sse", listener.local_addr().unwrap());
    tokio::spawn(http::serve(listener, |_| {
        http::raw_response(
            "200 OK",
            "content-type: text/event-stream\r\n",
            ": nothing\n\n",
        )
    }));
    let config = ServerConfig::sse("old-web".parse().unwrap(), url);
    let connection = Connection::new(config, ConnectionDeps::new());
    insta::assert_snapshot!(error_text(connection.connect().await), @"the MCP server `old-web` cannot be understood: its stream ended before it told where messages are posted");
}

async fn refused() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/sse", listener.local_addr().unwrap());
    tokio::spawn(http::serve(listener, |_| {
        http::raw_response("404 Not Found", "", "")
    }));
    let config = ServerConfig::sse("old-web".parse().unwrap(), url);
    let connection = Connection::new(config, ConnectionDeps::new());
    insta::assert_snapshot!(error_text(connection.connect().await), @"the MCP server `old-web` cannot be understood: it answered HTTP 404");
}
