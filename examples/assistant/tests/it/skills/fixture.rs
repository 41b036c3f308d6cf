//! A project, the home folder beside it, and the binary that works there with a model that says what it is told to.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A project, and a home folder beside it.
pub(crate) struct SkillsFixture(tempfile::TempDir);

impl SkillsFixture {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        for folder in ["project", "home"] {
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

    /// The binary, in the project, with folders of its own for all that it keeps.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assistant"));
        command
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("HELVE_STATE", self.path("state"))
            .stdin(Stdio::null())
            .args(arguments);
        command
    }

    /// Runs the binary and writes down all that a person would see.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the binary starts");
        let mut seen = format!("exit {}\n", output.status.code().expect("an exit code"));
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                let text = String::from_utf8_lossy(bytes);
                seen.push_str(&format!("--- {name}\n{text}"));
            }
        }
        self.redact(&seen)
    }

    /// Lets the agent make these calls, one after the other, and returns what the model was told of each.
    pub(crate) fn run_calls(&self, flags: &[&str], calls: &[(&str, Value)]) -> Vec<String> {
        let file = self.path("says.jsonl");
        std::fs::write(&file, recording(calls)).expect("a file");
        let file = file.display().to_string();
        let arguments = ["run", "go", "--json", "--replay", &file];
        let output = self.command(&[&arguments, flags].concat()).output();
        let output = output.expect("the binary starts");
        let told = String::from_utf8_lossy(&output.stdout);
        let events = told
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("every line is JSON"));
        let results = events.filter(|event| event["type"] == "tool_result");
        let results: Vec<String> = results
            .map(|event| self.redact(&event_text(&event)))
            .collect();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(results.len(), calls.len(), "{told}\n{errors}");
        results
    }

    fn redact(&self, text: &str) -> String {
        let real = self.0.path().canonicalize().expect("the place is there");
        let text = text.replace(&real.display().to_string(), "PLACE");
        text.replace(&self.0.path().display().to_string(), "PLACE")
    }
}

/// Writes down what a model says that makes these calls.
fn recording(calls: &[(&str, Value)]) -> String {
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

/// Gathers the texts of an event, wherever in it they are.
fn event_text(event: &Value) -> String {
    let mut texts = Vec::new();
    collect_texts(event, &mut texts);
    texts.join("\n")
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "text" || name == "message" => {
                        texts.push(text.clone())
                    }
                    value => collect_texts(value, texts),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        _ => {}
    }
}

/// Writes a skill with a reference and a script.
pub(crate) fn with_skill(place: SkillsFixture, folder: &str, name: &str) -> SkillsFixture {
    let at = Path::new(folder).join(name).display().to_string();
    place
        .with_file(
            &format!("{at}/SKILL.md"),
            &format!("---\nname: {name}\ndescription: Does {name}, when somebody asks for {name}.\n---\n\nThe words of {name}.\n"),
        )
        .with_file(&format!("{at}/references/more.md"), &format!("More about {name}.\n"))
        .with_file(
            &format!("{at}/scripts/show.sh"),
            "#!/bin/sh\necho \"the script of $(basename \"$SKILL_DIR\" | cut -d- -f1) says $1\"; cat; touch \"$SKILL_DIR/x\" 2>/dev/null && echo can be written; ls >&2; exit 3\n",
        )
}
