//! Servers that answer by a script, message by message.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::mpsc;

/// What a server does with a message. `Break` closes the connection.
pub(crate) trait ServerScript: Send + Sync + 'static {
    fn handle(&self, message: &Value, out: &Outbox) -> Flow;
}

impl<F: Fn(&Value, &Outbox) -> Flow + Send + Sync + 'static> ServerScript for F {
    fn handle(&self, message: &Value, out: &Outbox) -> Flow {
        self(message, out)
    }
}

pub(crate) type Flow = std::ops::ControlFlow<()>;

/// Where a server's messages go; whoever has it may send later.
#[derive(Clone)]
pub(crate) struct Outbox(pub(crate) mpsc::UnboundedSender<String>);

impl Outbox {
    pub(crate) fn send(&self, message: &Value) {
        let _ = self.0.send(message.to_string());
    }

    /// Sends a line as it is.
    pub(crate) fn raw(&self, line: impl Into<String>) {
        let _ = self.0.send(line.into());
    }

    /// Answers a request.
    pub(crate) fn reply(&self, request: &Value, result: Value) -> Flow {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
        Flow::Continue(())
    }

    /// Refuses a request.
    pub(crate) fn refuse(&self, request: &Value, code: i64, message: &str) -> Flow {
        let error = json!({ "code": code, "message": message });
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }));
        Flow::Continue(())
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
}

/// Plays a server on one end of a pipe.
pub(crate) async fn run_script(stream: DuplexStream, script: Arc<impl ServerScript + ?Sized>) {
    let (reader, mut writer) = tokio::io::split(stream);
    let (out, mut queue) = mpsc::unbounded_channel::<String>();
    let out = Outbox(out);
    let mut lines = BufReader::new(reader).lines();
    loop {
        tokio::select! {
            biased;
            line = queue.recv() => {
                let line = line.unwrap() + "\n";
                if writer.write_all(line.as_bytes()).await.is_err() {
                    return;
                }
            }
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return };
                let message = serde_json::from_str(&line).unwrap();
                if script.handle(&message, &out).is_break() {
                    return;
                }
            }
        }
    }
}

/// Answers what every server of 2025-11-25 answers, and hands the rest to `rest`.
pub(crate) fn legacy_server(
    rest: impl Fn(&Value, &Outbox) -> Flow + Send + Sync + 'static,
) -> impl ServerScript {
    move |message: &Value, out: &Outbox| match message["method"].as_str() {
        Some("server/discover") => out.refuse(message, -32601, "Method not found"),
        Some("initialize") => out.reply(message, initialize_result("2025-11-25")),
        Some("tools/list") => out.reply(message, json!({ "tools": [tool("echo")] })),
        Some("notifications/initialized" | "notifications/cancelled") => Flow::Continue(()),
        _ => rest(message, out),
    }
}

/// Answers what every server of 2026-07-28 answers, and hands the rest to `rest`.
pub(crate) fn modern_server(
    rest: impl Fn(&Value, &Outbox) -> Flow + Send + Sync + 'static,
) -> impl ServerScript {
    move |message: &Value, out: &Outbox| match message["method"].as_str() {
        Some("server/discover") => out.reply(message, discover_result(&["2026-07-28"])),
        Some("tools/list") => {
            let list = json!({ "resultType": "complete", "tools": [tool("echo")], "ttlMs": 0, "cacheScope": "private" });
            out.reply(message, list)
        }
        Some("subscriptions/listen") => out.refuse(message, -32601, "Method not found"),
        Some("notifications/cancelled") => Flow::Continue(()),
        _ => rest(message, out),
    }
}

pub(crate) fn initialize_result(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": { "listChanged": true } },
        "serverInfo": { "name": "scripted", "version": "1" },
        "instructions": "Be brief.",
    })
}

pub(crate) fn discover_result(versions: &[&str]) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": { "tools": { "listChanged": true } },
        "serverInfo": { "name": "scripted", "version": "1" },
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

pub(crate) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "A tool.", "inputSchema": { "type": "object" } })
}

pub(crate) fn text_result(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}
