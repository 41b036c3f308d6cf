//! A state folder with sessions in it, and the binary that reads it.

use std::path::{Path, PathBuf};
use std::process::Command;

use helve::agent::session::FORMAT;
use helve::transcript::journal::{Durability, JournalFile, Timestamp};
use serde_json::{Value, json};

/// A state folder with two sessions in it: one that waits, and one that is done.
pub(crate) struct SessionsFixture(tempfile::TempDir);

impl SessionsFixture {
    pub(crate) fn new() -> Self {
        let state = Self::empty();
        state.write("waits", &waiting_session());
        state.write("done", &finished_session());
        state
    }

    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn sessions(&self) -> PathBuf {
        self.0.path().join("assistant/sessions")
    }

    /// Writes a session, an entry a second.
    fn write(&self, id: &str, entries: &[Value]) {
        std::fs::create_dir_all(self.sessions()).expect("a folder");
        let path = self.sessions().join(format!("{id}.jsonl"));
        let mut file = JournalFile::create(&path, FORMAT).expect("a new journal");
        let second = |number: u64| Timestamp::from_millis(1_795_339_800_000 + number * 1_000);
        let entries = (0..).map(second).zip(entries);
        file.append(entries, Durability::Buffered)
            .expect("it is written");
    }

    /// Runs the binary and writes down all that a person would see.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_assistant"))
            .current_dir(self.0.path())
            .env_clear()
            .env("HOME", self.0.path())
            .env("HELVE_STATE", self.0.path())
            .arg("sessions")
            .args(arguments)
            .output()
            .expect("the binary starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut seen = format!("exit {}\n", output.status.code().expect("an exit code"));
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                seen.push_str(&format!("--- {name}\n{}", text(bytes)));
            }
        }
        seen.replace(&self.0.path().display().to_string(), "STATE")
    }

    /// Runs the binary and returns what it printed, where it succeeded.
    pub(crate) fn stdout_of(&self, arguments: &[&str]) -> String {
        let seen = self.run(arguments);
        let printed = seen.strip_prefix("exit 0\n--- stdout\n");
        printed
            .unwrap_or_else(|| panic!("{seen}"))
            .trim()
            .to_owned()
    }
}

fn record(record: Value) -> Value {
    let mut entry = json!({ "type": "record", "agent": "main", "turn": "t1" });
    entry["record"] = record;
    entry
}

/// A question, two calls of it: one that has to be approved, and one that somebody else runs.
fn waiting_session() -> Vec<Value> {
    let call = |id: &str, name: &str, arguments: Value| json!({ "type": "tool_call", "id": id, "name": name, "arguments": arguments.to_string() });
    let content = [
        json!({ "type": "text", "text": "I will commit it, and ask for the weather." }),
        call("c1", "bash", json!({ "command": "git commit -m 'größer'" })),
        call("c2", "get_weather", json!({ "city": "Paris" })),
    ];
    let ask = json!({ "type": "ask", "reason": "it changes the repository", "suggestions": ["bash(git commit:*)"] });
    let external = json!({ "type": "external" });
    let allow = json!({ "type": "allow" });
    vec![
        json!({ "type": "created", "session": "waits", "app": "assistant", "folder": "/work/größe" }),
        json!({
            "type": "turn_started", "agent": "main", "turn": "t1", "bounds": { "model_calls": 50, "parallel": 10 },
            "prompt": [{ "role": "user", "content": [{ "type": "text", "text": "Commit this.\n# And then?" }] }],
        }),
        record(json!({ "type": "model_started", "round": 1, "purpose": "reply" })),
        record(
            json!({ "type": "model_done", "round": 1, "message": { "content": content }, "stop": "tool_use" }),
        ),
        record(
            json!({ "type": "planned", "call": "1.0", "plan": { "verdict": ask, "exclusive": false, "idempotent": false } }),
        ),
        record(json!({
            "type": "planned", "call": "1.1",
            "plan": { "verdict": allow, "exclusive": false, "idempotent": false, "execution": external },
        })),
        record(json!({ "type": "asked", "calls": ["1.0"] })),
        record(json!({ "type": "submitted", "calls": ["1.1"] })),
    ]
}

/// The same, and how it went on.
fn finished_session() -> Vec<Value> {
    let mut entries = waiting_session();
    entries[0] = json!({ "type": "created", "session": "done", "app": "assistant" });
    let rules = ["bash(git commit:*)"];
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let says = json!({ "content": text("It is committed, and it is raining.") });
    entries.extend([
        record(json!({ "type": "answered", "call": "1.0", "decision": { "type": "allow_always", "rules": rules, "message": "go on" } })),
        record(json!({ "type": "started", "calls": ["1.0"] })),
        record(json!({ "type": "finished", "call": "1.0", "outcome": { "content": text("[main 1a2b3c4] größer\n```\n1 file\n") } })),
        record(json!({ "type": "finished", "call": "1.1", "outcome": { "content": text("no such city"), "is_error": true } })),
        record(json!({ "type": "finished", "call": "1.1", "outcome": { "content": text("too late") } })),
        record(json!({ "type": "model_started", "round": 2, "purpose": "reply" })),
        record(json!({ "type": "model_done", "round": 2, "message": says, "stop": "end_turn" })),
        json!({ "type": "state", "name": "notes", "value": 1 }),
        json!({
            "type": "turn_ended", "agent": "main", "turn": "t1", "reason": "finished",
            "totals": { "model_calls": 2, "tool_calls": 2, "usage": { "input_tokens": 0, "output_tokens": 0 }, "cost_micro_usd": 0 },
        }),
    ]);
    entries
}
