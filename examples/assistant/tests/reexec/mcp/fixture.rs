//! A project, the home folder beside it, a server, and the binary that works there.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::mcp::server::{DESCRIPTION, ROLE};

/// What is said where servers take their time, as they do on a machine that has much to do.
const WAITING: &str = "waiting for MCP servers\n";

/// A project in a repository, a home folder, and what the server keeps.
pub(crate) struct McpFixture(tempfile::TempDir);

impl McpFixture {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        for folder in ["project/.git", "home", "server"] {
            std::fs::create_dir_all(place.path(folder)).expect("a folder");
        }
        place
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    pub(crate) fn with_file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        let folder = path.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        self
    }

    /// Writes the settings of the user.
    pub(crate) fn with_user_settings(self, text: &str) -> Self {
        self.with_file("home/.config/helve/helve.toml", text)
    }

    /// Names the server `notes` in the user's settings, with more said of it.
    pub(crate) fn with_notes(self, more: &str) -> Self {
        let [program, role, state] = self.server_command();
        let text = format!(
            "[mcp.servers.notes]\ncommand = {program:?}\nargs = [{role:?}, {state:?}]\n{more}"
        );
        self.with_user_settings(&text)
    }

    /// Approves the server `notes`.
    pub(crate) fn with_approved_server(self) -> Self {
        let seen = self.run(&["mcp", "approve", "notes", "--yes"]);
        assert!(seen.contains("approved `notes`"), "{seen}");
        self
    }

    /// Has the server describe its tool otherwise.
    pub(crate) fn set_description(&self, description: &str) {
        let file = self.path("server").join(DESCRIPTION);
        std::fs::write(file, description).expect("a file");
    }

    /// Reports whether the server was ever started.
    pub(crate) fn was_started(&self) -> bool {
        self.path("server/started").exists()
    }

    /// The program of the server, and its arguments.
    pub(crate) fn server_command(&self) -> [String; 3] {
        let program = std::env::current_exe().expect("this program");
        let state = self.path("server");
        [
            program.display().to_string(),
            ROLE.to_owned(),
            state.display().to_string(),
        ]
    }

    /// The binary, in the project, with folders of its own for all that it keeps.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assistant"));
        command
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TEAM_SECRET", "of the user")
            .stdin(Stdio::null())
            .args(arguments);
        command
    }

    /// Runs the binary and writes down all that a person would see.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the binary starts");
        let mut seen = format!("exit {}\n", output.status.code().expect("an exit code"));
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes).replace(WAITING, "");
            if !text.is_empty() {
                seen.push_str(&format!("--- {name}\n{text}"));
            }
        }
        self.redact(&seen)
    }

    /// Lets the agent make these calls, one after the other, and writes down what a person would see.
    pub(crate) fn run_agent(&self, flags: &[&str], calls: &[(&str, Value)]) -> String {
        let file = self.path("says.jsonl");
        std::fs::write(&file, recording(calls)).expect("a file");
        let file = file.display().to_string();
        let arguments = ["run", "go", "--no-session", "--replay", &file];
        self.run(&[&arguments, flags].concat())
    }

    /// Takes out of a text what differs from run to run.
    pub(crate) fn redact(&self, text: &str) -> String {
        let real = self.0.path().canonicalize().expect("the place is there");
        let text = text.replace(&real.display().to_string(), "PLACE");
        let text = text.replace(&self.0.path().display().to_string(), "PLACE");
        let text = text.replace(WAITING, "");
        text.replace(&self.server_command()[0], "SERVER")
    }
}

/// Writes down what a model says that makes these calls.
pub(crate) fn recording(calls: &[(&str, Value)]) -> String {
    let mut lines = vec![json!({ "helve_recording": 1, "prompt": "go" })];
    for (at, (name, arguments)) in calls.iter().enumerate() {
        let id = format!("call_{at}");
        lines.push(json!({ "events": [
            { "type": "tool_call_start", "id": id, "name": name },
            { "type": "tool_call_delta", "id": id, "arguments": arguments.to_string() },
            { "type": "stop", "reason": "tool_use" },
        ] }));
    }
    lines.push(json!({ "events": [
        { "type": "text_delta", "text": "Done." },
        { "type": "stop", "reason": "end_turn" },
    ] }));
    lines.iter().map(|line| format!("{line}\n")).collect()
}
