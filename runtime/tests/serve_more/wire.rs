//! A client that writes down what goes over the wire.

use std::collections::VecDeque;

use helve::serve::Server;
use helve::tool::Principal;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::io::{ReadHalf, WriteHalf};

/// The newest version with a handshake.
pub(crate) const OLD: &str = "2025-11-25";
/// The version without one.
pub(crate) const NEW: &str = "2026-07-28";

/// One connection to a server.
pub(crate) struct Wire {
    writer: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    /// What came while something else was waited for.
    kept: VecDeque<Value>,
    next: u64,
    /// What each request carries in `_meta`, in the version without a handshake.
    meta: Option<Value>,
}

impl Wire {
    /// Connects, and says nothing.
    pub(crate) fn to(server: &Server) -> Self {
        Self::of(server, Principal::default())
    }

    pub(crate) fn of(server: &Server, principal: Principal) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let server = server.clone();
        tokio::spawn(async move { server.serve_io(reader, writer, principal).await });
        let (reader, writer) = tokio::io::split(ours);
        Self {
            writer,
            lines: BufReader::new(reader).lines(),
            kept: VecDeque::new(),
            next: 1,
            meta: None,
        }
    }

    /// Connects and shakes hands, as a client that can do this.
    pub(crate) async fn old(server: &Server, capabilities: Value) -> Self {
        let mut wire = Self::to(server);
        wire.hello(OLD, capabilities).await;
        wire
    }

    /// Connects as a client that can do this, in the version without a handshake.
    pub(crate) fn new(server: &Server, capabilities: Value) -> Self {
        Self::new_of(server, capabilities, Principal::default())
    }

    pub(crate) fn new_of(server: &Server, capabilities: Value, principal: Principal) -> Self {
        let mut wire = Self::of(server, principal);
        wire.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
        wire
    }

    /// Shakes hands; returns what the server says.
    pub(crate) async fn hello(&mut self, version: &str, capabilities: Value) -> Value {
        let said = self
            .request(
                "initialize",
                json!({
                    "protocolVersion": version,
                    "capabilities": capabilities,
                    "clientInfo": { "name": "test", "version": "1" },
                }),
            )
            .await;
        self.notify("notifications/initialized", json!({})).await;
        said
    }

    pub(crate) async fn write(&mut self, message: &Value) {
        self.raw(&message.to_string()).await;
    }

    pub(crate) async fn raw(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    /// Sends a request, and returns its id.
    pub(crate) async fn send(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        if let Some(Value::Object(meta)) = &self.meta {
            let own = params
                .as_object_mut()
                .unwrap()
                .entry("_meta")
                .or_insert_with(|| json!({}));
            own.as_object_mut().unwrap().extend(meta.clone());
        }
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    async fn read(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap();
        serde_json::from_str(&line.expect("the server closed the connection")).unwrap()
    }

    /// Reads the next message that a test accepts, and keeps the others.
    pub(crate) async fn next_that(&mut self, accepts: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.kept.iter().position(&accepts) {
            return self.kept.remove(place).unwrap();
        }
        loop {
            let message = self.read().await;
            if accepts(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    /// Returns the answer to a request: its result, or its error.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        let answer = self
            .next_that(|message| message["id"] == id && message.get("method").is_none())
            .await;
        match answer.get("result") {
            Some(result) => result.clone(),
            None => json!({ "error": answer["error"] }),
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// Begins a call of a tool.
    pub(crate) async fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
        .await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments).await;
        self.answer(id).await
    }
}
