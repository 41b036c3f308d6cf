//! A little MCP server over standard input and output, written by hand so that it can do what a test wants.

use std::io::{BufRead as _, Lines, StdinLock, Write as _};
use std::path::Path;

use serde_json::{Value, json};

/// The first argument that makes this program the server.
pub(crate) const ROLE: &str = "serve-for-a-test";

/// The file of the state folder that describes the tool `echo`.
pub(crate) const DESCRIPTION: &str = "description.txt";

/// The file of the state folder that adds two tools, `look` and `leave`, which do with files whatever they are told to.
pub(crate) const FILE_TOOLS: &str = "hands";

/// Serves until standard input ends.
pub(crate) fn serve(state: &Path) {
    let mut server = TestMcpServer {
        input: std::io::stdin().lock().lines(),
        state: state.to_owned(),
    };
    // Who looks for it knows that the program was started.
    std::fs::write(state.join("started"), "").expect("a file");
    while let Some(message) = server.read() {
        let id = &message["id"];
        match message["method"].as_str() {
            Some(method) if !id.is_null() => {
                let answer = server.answer(method, &message["params"]);
                let mut reply = json!({ "jsonrpc": "2.0", "id": id });
                match answer {
                    Some(result) => reply["result"] = result,
                    None => {
                        reply["error"] = json!({ "code": -32601, "message": "Method not found" })
                    }
                }
                write(&reply);
            }
            _ => {}
        }
    }
}

struct TestMcpServer {
    input: Lines<StdinLock<'static>>,
    state: std::path::PathBuf,
}

impl TestMcpServer {
    fn read(&mut self) -> Option<Value> {
        let line = self.input.next()?.ok()?;
        serde_json::from_str(&line).ok()
    }

    fn answer(&mut self, method: &str, params: &Value) -> Option<Value> {
        Some(match method {
            "initialize" => json!({
                "protocolVersion": "2025-06-18",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "notes", "version": "1.2.3" },
                "instructions": "Read before you write.",
            }),
            "ping" => json!({}),
            "tools/list" => json!({ "tools": self.tools() }),
            "tools/call" => self.call(params["name"].as_str()?, &params["arguments"]),
            _ => return None,
        })
    }

    fn tools(&self) -> Value {
        let described = std::fs::read_to_string(self.state.join(DESCRIPTION));
        let described = described.unwrap_or_else(|_| "Says it again.".to_owned());
        let text = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
        let nothing = json!({ "type": "object" });
        let mut tools = json!([
            { "name": "echo", "description": described, "inputSchema": text, "annotations": { "readOnlyHint": true } },
            { "name": "environment", "description": "Names the variables.", "inputSchema": nothing },
            { "name": "ask", "description": "Asks the user.", "inputSchema": nothing },
            { "name": "visit", "description": "Sends the user somewhere.", "inputSchema": nothing },
            { "name": "think", "description": "Asks the model.", "inputSchema": nothing },
        ]);
        if self.state.join(FILE_TOOLS).exists() {
            let path = json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
            let more = [("look", "Reads a file."), ("leave", "Writes a file.")];
            let more = more.map(
                |(name, about)| json!({ "name": name, "description": about, "inputSchema": path }),
            );
            tools.as_array_mut().expect("a list").extend(more);
        }
        tools
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let text = match tool {
            "echo" => arguments["text"].as_str().unwrap_or_default().to_owned(),
            "environment" => {
                let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
                let mut names: Vec<String> = names.collect();
                names.sort();
                names.join(" ")
            }
            "look" => result_text(std::fs::read_to_string(path(arguments))),
            "leave" => {
                result_text(std::fs::write(path(arguments), "left here").map(|()| "done".to_owned()))
            }
            "ask" => self.request(
                "elicitation/create",
                &json!({ "message": "What shall the branch be called?", "requestedSchema": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string", "description": "Its name", "maxLength": 5 },
                        "base": { "type": "string", "enum": ["main", "next"], "default": "main" },
                        "push": { "type": "boolean", "title": "Push it" },
                    },
                    "required": ["name"],
                } }),
            ),
            "visit" => self.request(
                "elicitation/create",
                &json!({ "mode": "url", "message": "Log in there.", "elicitationId": "e1", "url": "https://login.example/x?y=1" }),
            ),
            _ => self.request(
                "sampling/createMessage",
                &json!({ "maxTokens": 50, "messages": [
                    { "role": "user", "content": { "type": "text", "text": "Say a word." } },
                ] }),
            ),
        };
        json!({ "content": [{ "type": "text", "text": text }] })
    }

    /// Asks the client for something in the middle of a call, and returns what it answered.
    fn request(&mut self, method: &str, params: &Value) -> String {
        write(&json!({ "jsonrpc": "2.0", "id": "s1", "method": method, "params": params }));
        loop {
            let Some(message) = self.read() else {
                return "the client is gone".to_owned();
            };
            if message["id"] == "s1" {
                let answer = message.get("result").or(message.get("error"));
                return answer.map_or_else(String::new, ToString::to_string);
            }
        }
    }
}

fn path(arguments: &Value) -> &str {
    arguments["path"].as_str().unwrap_or_default()
}

fn result_text(done: std::io::Result<String>) -> String {
    done.unwrap_or_else(|error| format!("failed: {}", error.kind()))
}

fn write(message: &Value) {
    let mut output = std::io::stdout().lock();
    // A client that has gone away needs no answer.
    let _ = writeln!(output, "{message}");
    let _ = output.flush();
}
