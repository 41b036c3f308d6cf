//! A server of this very process, written by hand so that it can say what no library would: what it offers is a JSON
//! value that a test changes while it runs.

#![allow(dead_code, reason = "each test target uses a part of this")]
#![allow(
    clippy::needless_pass_by_value,
    reason = "a value that a test writes out is handed over"
)]

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::broadcast;

/// A server; a clone is the same one.
#[derive(Clone)]
pub(crate) struct TestServer(Arc<Shared>);

struct Shared {
    definition: Mutex<Value>,
    calls: Mutex<Vec<(String, Value)>>,
    changed: broadcast::Sender<()>,
}

impl TestServer {
    /// Makes a server that says this: `tools`, `instructions`, `resources`, `templates`, `prompts`, `skills`, `files` by
    /// URI, and `results` by tool.
    pub(crate) fn new(says: Value) -> Self {
        Self(Arc::new(Shared {
            definition: Mutex::new(says),
            calls: Mutex::default(),
            changed: broadcast::channel(16).0,
        }))
    }

    /// Makes a server of tools.
    pub(crate) fn tools(tools: Value) -> Self {
        Self::new(json!({ "tools": tools }))
    }

    /// Connects to it.
    pub(crate) fn connect(
        &self,
    ) -> impl Fn() -> io::Result<DuplexStream> + Send + Sync + 'static + use<> {
        let server = self.clone();
        move || {
            let (near, far) = tokio::io::duplex(1 << 16);
            tokio::spawn(server.clone().serve(far));
            Ok(near)
        }
    }

    /// Says something else from now on, without a word to anybody.
    pub(crate) fn set(&self, key: &str, value: Value) {
        self.definition()[key] = value;
    }

    /// Tells the clients that the tools have changed.
    pub(crate) fn notify(&self) {
        let _ = self.0.changed.send(());
    }

    /// Returns the calls that reached it.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        let calls = self.0.calls.lock();
        calls.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn definition(&self) -> std::sync::MutexGuard<'_, Value> {
        self.0
            .definition
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn serve(self, stream: DuplexStream) {
        let (read, mut write) = tokio::io::split(stream);
        let mut lines = BufReader::new(read).lines();
        let mut changed = self.0.changed.subscribe();
        loop {
            let message = tokio::select! {
                line = lines.next_line() => match line {
                    Ok(Some(line)) => self.answer(&line),
                    _ => return,
                },
                _ = changed.recv() => {
                    Some(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
                }
            };
            let Some(message) = message else { continue };
            if write
                .write_all(format!("{message}\n").as_bytes())
                .await
                .is_err()
            {
                return;
            }
        }
    }

    fn answer(&self, line: &str) -> Option<Value> {
        let request: Value = serde_json::from_str(line).ok()?;
        let id = request.get("id")?;
        let method = request.get("method")?.as_str()?;
        let answer = match self.result(method, &request["params"]) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        };
        Some(answer)
    }

    fn result(&self, method: &str, params: &Value) -> Result<Value, (i32, String)> {
        let says = self.definition().clone();
        let list = |key: &str| says.get(key).cloned().unwrap_or_else(|| json!([]));
        match method {
            "initialize" => Ok(self.initialize_result(&says, params)),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(json!({ "tools": list("tools") })),
            "tools/call" => {
                let tool = params["name"].as_str().unwrap_or_default();
                let calls = self.0.calls.lock();
                let mut calls = calls.unwrap_or_else(PoisonError::into_inner);
                calls.push((tool.to_owned(), params["arguments"].clone()));
                let text = || json!({ "content": [{ "type": "text", "text": "done" }] });
                Ok(says["results"].get(tool).cloned().unwrap_or_else(text))
            }
            "resources/list" => Ok(json!({ "resources": list("resources") })),
            "resources/templates/list" => Ok(json!({ "resourceTemplates": list("templates") })),
            "resources/read" => {
                let uri = params["uri"].as_str().unwrap_or_default();
                let text = says["files"]
                    .get(uri)
                    .ok_or((-32002, format!("there is no {uri}")))?;
                Ok(
                    json!({ "contents": [{ "uri": uri, "mimeType": "text/markdown", "text": text }] }),
                )
            }
            "prompts/list" => Ok(json!({ "prompts": list("prompts") })),
            "prompts/get" => Ok(json!({ "messages": [
                { "role": "user", "content": { "type": "text", "text": format!("Please {}.", params["arguments"]["what"]) } },
                { "role": "assistant", "content": { "type": "text", "text": "At once." } },
            ] })),
            "skills/list" => Ok(json!({ "skills": list("skills") })),
            other => Err((-32601, format!("there is no {other}"))),
        }
    }

    fn initialize_result(&self, says: &Value, params: &Value) -> Value {
        let mut capabilities = json!({ "tools": { "listChanged": true } });
        for (key, capability) in [
            ("resources", "resources"),
            ("files", "resources"),
            ("prompts", "prompts"),
        ] {
            if says.get(key).is_some() {
                capabilities[capability] = json!({});
            }
        }
        if says.get("skills").is_some() {
            capabilities["extensions"] = json!({ "io.modelcontextprotocol/skills": {} });
        }
        let mut greeting = json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": capabilities,
            "serverInfo": { "name": "offer", "version": "1" },
        });
        if let Some(instructions) = says.get("instructions") {
            greeting["instructions"] = instructions.clone();
        }
        greeting
    }
}

/// Describes a tool that takes a text.
pub(crate) fn tool(name: &str, description: &str, annotations: Value) -> Value {
    json!({
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": { "text": { "type": "string" } },
        },
        "annotations": annotations,
    })
}
