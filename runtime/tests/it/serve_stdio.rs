//! The server over lines, with a client that writes what it likes.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]

use std::time::Duration;

use helve::permission::{Mode, Policy};
use helve::prelude::*;
use helve::serve::{ServeError, Server};
use helve::tool::Principal;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// What bounds every wait of a test; nothing is meant to last so long.
const TIMEOUT: Duration = Duration::from_secs(60);

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;

const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

/// Never ends.
#[tool(read_only)]
async fn forever() -> String {
    std::future::pending().await
}

struct RunningServer {
    input: WriteHalf<DuplexStream>,
    output: BufReader<ReadHalf<DuplexStream>>,
    task: JoinHandle<Result<(), ServeError>>,
}

fn serve() -> RunningServer {
    let server = Server::builder("test", "1.0.0")
        .tools(toolset![forever])
        .policy(Policy::default().mode(Mode::Bypass))
        .build();
    let (client, stream) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(stream);
    let task = tokio::spawn(async move {
        let principal = Principal::default();
        server.serve_io(reader, writer, principal).await
    });
    let (output, input) = tokio::io::split(client);
    RunningServer {
        input,
        output: BufReader::new(output),
        task,
    }
}

impl RunningServer {
    async fn write_line(&mut self, line: &[u8]) {
        self.input.write_all(line).await.unwrap();
        self.input.write_all(b"\n").await.unwrap();
    }

    async fn read_line(&mut self) -> String {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        timeout(TIMEOUT, read)
            .await
            .expect("an answer comes")
            .unwrap();
        line.trim_end().to_owned()
    }

    async fn initialize(&mut self) {
        self.write_line(INITIALIZE.as_bytes()).await;
        assert!(self.read_line().await.contains("serverInfo"));
        self.write_line(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
    }

    /// Reports whether the server answers still.
    async fn responds(&mut self) -> bool {
        self.write_line(PING.as_bytes()).await;
        self.read_line().await == r#"{"jsonrpc":"2.0","id":2,"result":{}}"#
    }

    async fn wait(self) -> Result<(), ServeError> {
        let task = timeout(TIMEOUT, self.task).await;
        task.expect("it ends").expect("it does not panic")
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_is_answered_and_passed_over() {
    let mut served = serve();
    served.initialize().await;
    let long = "x".repeat(17 << 20);
    let mut heard = Vec::new();
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{long}"}}}}"#),
        format!(
            r#"{{"method":"tools/call","params":{{"id":1,"name":"{long}"}},"jsonrpc":"2.0","id":"last"}}"#
        ),
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/{long}"}}"#),
        long,
    ] {
        served.write_line(line.as_bytes()).await;
        heard.push(served.read_line().await);
        assert!(served.responds().await);
    }
    insta::assert_snapshot!(heard.join("\n"), @r#"
    {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the message is longer than 16777216 bytes"}}
    {"jsonrpc":"2.0","id":"last","error":{"code":-32600,"message":"the message is longer than 16777216 bytes"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"the message is longer than 16777216 bytes"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"the message is longer than 16777216 bytes"}}
    "#);
}

#[tokio::test]
async fn a_line_that_is_no_message_is_answered_and_passed_over() {
    let mut served = serve();
    served.initialize().await;
    let mut heard = Vec::new();
    for line in [
        &b"hello"[..],
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        br#"{"jsonrpc":"1.0","id":8,"method":"ping"}"#,
        br#"[{"jsonrpc":"2.0","id":9,"method":"ping"}]"#,
    ] {
        served.write_line(line).await;
        heard.push(served.read_line().await);
        assert!(served.responds().await);
    }
    insta::assert_snapshot!(heard.join("\n"), @r#"
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"this is no JSON: expected value at line 1 column 1"}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"this is no JSON: EOF while parsing an object at line 1 column 1"}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"this is no JSON: expected value at line 1 column 1"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"this is not a JSON-RPC 2.0 message, or it is a batch"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"this is not a JSON-RPC 2.0 message, or it is a batch"}}
    {"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"this is not a JSON-RPC 2.0 message, or it is a batch"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"this is not a JSON-RPC 2.0 message, or it is a batch"}}
    "#);
}

#[tokio::test]
async fn what_surrounds_a_message_does_not_matter() {
    let mut served = serve();
    let before =
        "\n\r\n  \n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}";
    served.write_line(before.as_bytes()).await;
    served
        .write_line(format!("\u{feff}  {INITIALIZE}\r").as_bytes())
        .await;
    assert!(served.read_line().await.contains("serverInfo"));
    assert!(served.responds().await);
}

#[tokio::test]
async fn a_message_may_come_in_pieces() {
    let mut served = serve();
    served.initialize().await;
    for _ in 0..3 {
        for piece in PING.as_bytes().chunks(5) {
            served.input.write_all(piece).await.unwrap();
            served.input.flush().await.unwrap();
            tokio::task::yield_now().await;
        }
        served.input.write_all(b"\n").await.unwrap();
        assert_eq!(
            served.read_line().await,
            r#"{"jsonrpc":"2.0","id":2,"result":{}}"#
        );
    }
}

#[tokio::test]
async fn the_last_line_needs_no_end() {
    let mut served = serve();
    served.initialize().await;
    served.input.write_all(PING.as_bytes()).await.unwrap();
    served.input.shutdown().await.unwrap();
    assert_eq!(
        served.read_line().await,
        r#"{"jsonrpc":"2.0","id":2,"result":{}}"#
    );
    served.wait().await.unwrap();
}

#[tokio::test]
async fn the_end_of_the_client_ends_what_runs() {
    tokio::time::pause();
    let mut served = serve();
    served.initialize().await;
    let call = br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"forever","arguments":{}}}"#;
    served.write_line(call).await;
    assert!(served.responds().await);
    served.input.shutdown().await.unwrap();
    served.wait().await.unwrap();
}

#[tokio::test]
async fn a_client_that_goes_at_once_is_no_error() {
    let served = serve();
    drop((served.input, served.output));
    timeout(TIMEOUT, served.task)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_client_that_hears_nothing_any_more_is_left() {
    let server = Server::builder("test", "1.0.0").build();
    let (mut input, reader) = tokio::io::duplex(1 << 16);
    let (writer, output) = tokio::io::duplex(1 << 16);
    let served = server.serve_io(reader, writer, Principal::default());
    drop(output);
    input
        .write_all(format!("{INITIALIZE}\n").as_bytes())
        .await
        .unwrap();
    // Its end of the input stays open.
    let ended = timeout(TIMEOUT, served).await.expect("it ends");
    assert!(ended.is_err(), "nobody was told what was asked");
}
