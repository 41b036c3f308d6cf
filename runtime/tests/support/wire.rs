//! A client that writes down what goes over the wire.

#![allow(dead_code, reason = "each test target uses a part of this")]

use std::collections::VecDeque;

use helve::serve::Server;
use helve::tool::Principal;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::io::{ReadHalf, WriteHalf};

/// The newest version with a handshake.
pub(crate) const LEGACY_VERSION: &str = "2025-11-25";
/// The version without one.
pub(crate) const MODERN_VERSION: &str = "2026-07-28";

/// One connection to a server.
pub(crate) struct WireClient {
    writer: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    /// What came while something else was waited for.
    queued: VecDeque<Value>,
    next: u64,
    /// What each request carries in `_meta`, in the version without a handshake.
    meta: Option<Value>,
}

impl WireClient {
    /// Connects, and says nothing.
    pub(crate) fn connect(server: &Server) -> Self {
        Self::connect_as(server, Principal::default())
    }

    pub(crate) fn connect_as(server: &Server, principal: Principal) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let server = server.clone();
        tokio::spawn(async move { server.serve_io(reader, writer, principal).await });
        let (reader, writer) = tokio::io::split(ours);
        Self {
            writer,
            lines: BufReader::new(reader).lines(),
            queued: VecDeque::new(),
            next: 1,
            meta: None,
        }
    }

    /// Connects and shakes hands, as a client that can do this.
    pub(crate) async fn connect_legacy(server: &Server, capabilities: Value) -> Self {
        let mut wire = Self::connect(server);
        wire.initialize(LEGACY_VERSION, capabilities).await;
        wire
    }

    /// Connects as a client that can do this, in the version without a handshake.
    pub(crate) fn connect_modern(server: &Server, capabilities: Value) -> Self {
        Self::connect_modern_as(server, capabilities, Principal::default())
    }

    pub(crate) fn connect_modern_as(
        server: &Server,
        capabilities: Value,
        principal: Principal,
    ) -> Self {
        let mut wire = Self::connect_as(server, principal);
        wire.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
        wire
    }

    /// Shakes hands; returns what the server says.
    pub(crate) async fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
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

    /// Adds to what each request carries in `_meta`.
    pub(crate) fn with_meta(mut self, key: &str, value: Value) -> Self {
        let meta = self.meta.get_or_insert_with(|| json!({}));
        meta[key] = value;
        self
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

    /// Reads the next message.
    pub(crate) async fn next(&mut self) -> Value {
        if let Some(kept) = self.queued.pop_front() {
            return kept;
        }
        self.read().await
    }

    async fn read(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap();
        serde_json::from_str(&line.expect("the server closed the connection")).unwrap()
    }

    /// Reads the next message that a test accepts, and keeps the others.
    pub(crate) async fn next_matching(&mut self, accepts: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.queued.iter().position(&accepts) {
            return self.queued.remove(place).unwrap();
        }
        loop {
            let message = self.read().await;
            if accepts(&message) {
                return message;
            }
            self.queued.push_back(message);
        }
    }

    /// Returns the answer to a request: its result, or its error.
    pub(crate) async fn wait_response(&mut self, id: u64) -> Value {
        let answer = self
            .next_matching(|message| message["id"] == id && message.get("method").is_none())
            .await;
        match answer.get("result") {
            Some(result) => result.clone(),
            None => json!({ "error": answer["error"] }),
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.wait_response(id).await
    }

    /// Begins a call of a tool.
    pub(crate) async fn start_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
        .await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.start_call(tool, arguments).await;
        self.wait_response(id).await
    }

    /// Comes back to a parked call with answers.
    pub(crate) async fn retry(
        &mut self,
        tool: &str,
        arguments: Value,
        state: &Value,
        answers: Value,
    ) -> Value {
        let params = json!({
            "name": tool,
            "arguments": arguments,
            "requestState": state,
            "inputResponses": answers,
        });
        self.request("tools/call", params).await
    }

    /// Returns the next request of the server.
    pub(crate) async fn next_request(&mut self) -> Value {
        self.next_matching(|message| message.get("method").is_some() && message.get("id").is_some())
            .await
    }

    /// Answers a request of the server.
    pub(crate) async fn reply(&mut self, asked: &Value, result: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))
            .await;
    }

    /// Returns the next notification of a kind.
    pub(crate) async fn next_notification(&mut self, method: &str) -> Value {
        let told = self
            .next_matching(|message| message["method"] == method)
            .await;
        told["params"].clone()
    }

    /// Ends the client's side.
    pub(crate) async fn close(mut self) {
        self.writer.shutdown().await.unwrap();
    }
}

/// Returns the text of a result.
pub(crate) fn text(result: &Value) -> String {
    let Some(blocks) = result["content"].as_array() else {
        return format!("no result: {result}");
    };
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    texts.join("\n")
}

/// Returns a value as a person reads it.
pub(crate) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}
