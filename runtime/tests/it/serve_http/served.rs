//! A server of a few tools, and a client that writes bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use helve::permission::{Mode, Policy};
use helve::prelude::*;
use helve::serve::{HttpSettings, Server, Tokens};
use helve::tool::Principal;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What bounds every wait of a test; nothing is meant to last so long.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// What the tools tell the tests, and wait for.
#[derive(Default)]
pub(crate) struct Signals {
    pub(crate) begun: Notify,
    pub(crate) go_on: Notify,
    pub(crate) dropped: Notify,
}

/// Says what it was told.
#[tool(read_only)]
fn echo(
    /// What to say.
    text: &str,
) -> String {
    text.to_owned()
}

/// Says who asks.
#[tool(read_only)]
fn who(cx: &ToolContext) -> String {
    let principal = cx.principal();
    let parts = [&principal.user, &principal.team, &principal.platform];
    let [user, team, platform] = parts.map(|part| part.as_deref().unwrap_or("nobody"));
    format!("{user} of {team} on {platform}")
}

/// Works until it is let go.
#[tool(read_only)]
async fn wait(signals: &Signals) -> String {
    struct Told<'a>(&'a Notify);
    impl Drop for Told<'_> {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let _told = Told(&signals.dropped);
    signals.begun.notify_one();
    signals.go_on.notified().await;
    "done".to_owned()
}

/// Says a lot.
#[tool(read_only)]
fn much() -> String {
    "much ".repeat(8 << 20)
}

/// A server that runs, for as long as this is held.
pub(crate) struct RunningServer {
    pub(crate) address: SocketAddr,
    pub(crate) stop: CancellationToken,
    pub(crate) signals: Arc<Signals>,
    pub(crate) task: JoinHandle<()>,
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves on a port of its own.
pub(crate) fn serve(settings: HttpSettings) -> RunningServer {
    let signals = Arc::new(Signals::default());
    let mut state = helve::State::new();
    state.insert_arc(signals.clone());
    // What the connection says goes before what the app says.
    let app = Principal::default()
        .with_team("billing")
        .with_platform("app");
    let context = ToolContext::builder().app(Arc::new(state)).principal(app);
    let server = Server::builder("test", "1.0.0")
        .tools(toolset![echo, who, wait, much])
        .policy(Policy::default().mode(Mode::Bypass))
        .results(helve::results::ResultPipeline::new().budget(usize::MAX))
        .context(context.build())
        .build();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let task = tokio::spawn(async move {
        server
            .serve_http(listener, settings, stopped)
            .await
            .unwrap();
    });
    RunningServer {
        address,
        stop,
        signals,
        task,
    }
}

pub(crate) const EDITOR: &str = "editor-0123456789abcdef";
pub(crate) const ROBOT: &str = "robot-0123456789abcdef";

/// The tokens of two principals.
pub(crate) fn two_principals() -> HttpSettings {
    let mut tokens = Tokens::new();
    tokens
        .read(&format!("editor={EDITOR}\nrobot={ROBOT}"))
        .unwrap();
    HttpSettings::new().tokens(tokens)
}

/// An answer that came over the wire.
#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl RawResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }

    /// The one message of the body, be it JSON or an event.
    pub(crate) fn message(&self) -> Value {
        let line = self
            .body
            .lines()
            .map(|line| line.strip_prefix("data: ").unwrap_or(line));
        let mut messages = line.filter(|line| line.starts_with('{'));
        let message = messages.next().unwrap_or_else(|| panic!("{self:?}"));
        assert!(messages.next().is_none(), "{self:?}");
        serde_json::from_str(message).unwrap()
    }

    /// The status and the body in one line.
    pub(crate) fn said(&self) -> String {
        format!("{} {}", self.status, self.body.trim())
    }
}

impl RunningServer {
    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Opens a connection whose call runs until it is told to go on, and waits until the call has begun.
    pub(crate) async fn waiting(&self) -> TcpStream {
        let (head, body) = call("wait", &json!({}), &[]);
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let mut stream = self.connect().await;
        let request = self.request("POST /mcp", &head, &body);
        stream.write_all(request.as_bytes()).await.unwrap();
        let begun = self.signals.begun.notified();
        tokio::time::timeout(LONG, begun).await.unwrap();
        stream
    }

    /// Writes bytes, and reads until the server closes the connection.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        // It may close the connection before it has read everything.
        let _ = stream.write_all(bytes).await;
        rest(&mut stream).await
    }

    /// Sends one request with these lines of its head, and reads its answer.
    pub(crate) async fn ask(&self, request: &str, head: &[&str], body: &str) -> RawResponse {
        answer(&self.raw(self.request(request, head, body).as_bytes()).await)
    }

    /// Writes down a request, after which the connection is to be closed.
    pub(crate) fn request(&self, request: &str, head: &[&str], body: &str) -> String {
        let mut text = format!("{request} HTTP/1.1\r\nconnection: close\r\n");
        let has = |name: &str| {
            head.iter()
                .any(|line| line.to_lowercase().starts_with(name))
        };
        if !has("host") {
            text.push_str(&format!("host: {}\r\n", self.address));
        }
        if !has("accept") {
            text.push_str("accept: application/json, text/event-stream\r\n");
        }
        if !has("content-type") && !body.is_empty() {
            text.push_str("content-type: application/json\r\n");
        }
        if !has("content-length") && !has("transfer-encoding") {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        for line in head {
            text.push_str(line);
            text.push_str("\r\n");
        }
        format!("{text}\r\n{body}")
    }

    /// Calls a tool by the protocol without sessions.
    pub(crate) async fn call(&self, tool: &str, arguments: Value, head: &[&str]) -> RawResponse {
        let (head, body) = call(tool, &arguments, head);
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        self.ask("POST /mcp", &head, &body).await
    }

    /// Begins a session, and returns its id.
    pub(crate) async fn session(&self, head: &[&str]) -> String {
        let begun = self.ask("POST /mcp", head, INITIALIZE).await;
        assert_eq!(begun.status, 200, "{begun:?}");
        let id = begun.header("mcp-session-id").unwrap().to_owned();
        let session = format!("mcp-session-id: {id}");
        let head: Vec<&str> = head.iter().copied().chain([&*session]).collect();
        let said = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(self.ask("POST /mcp", &head, said).await.status, 202);
        id
    }

    /// Pings a session, and returns the status.
    pub(crate) async fn ping(&self, session: &str, head: &[&str]) -> u16 {
        let session = format!("mcp-session-id: {session}");
        let head: Vec<&str> = head.iter().copied().chain([&*session]).collect();
        self.ask("POST /mcp", &head, PING).await.status
    }
}

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;

pub(crate) const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

/// Writes down a call by the protocol without sessions: the lines of its head, and its body.
pub(crate) fn call(tool: &str, arguments: &Value, head: &[&str]) -> (Vec<String>, String) {
    let body = serde_json::json!({
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let own = [
        "mcp-protocol-version: 2026-07-28".to_owned(),
        "mcp-method: tools/call".to_owned(),
        format!("mcp-name: {tool}"),
    ];
    let head = head.iter().map(|line| (*line).to_owned());
    (own.into_iter().chain(head).collect(), body.to_string())
}

/// Reads until the other side closes the connection.
pub(crate) async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    // A connection that was broken off has been closed.
    let _ = tokio::time::timeout(LONG, read)
        .await
        .expect("the server closes");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Takes an answer apart.
pub(crate) fn answer(text: &str) -> RawResponse {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let (first, head) = head.split_once("\r\n").unwrap_or((head, ""));
    let status = first
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    RawResponse {
        status: status.unwrap_or(0),
        head: head.to_owned(),
        body: match is_chunked {
            true => unchunked(body),
            false => body.to_owned(),
        },
    }
}

fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        text.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    text
}

/// Waits until something holds.
pub(crate) async fn eventually(mut holds: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LONG, wait)
        .await
        .expect("it holds in the end");
}
