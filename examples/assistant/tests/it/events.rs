//! What `run --json` writes is what `events --schema` says.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs the assistant in a folder of its own, and returns what it printed.
fn run(home: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assistant"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("XDG_")
            || name.to_string_lossy().starts_with("HELVE_")
        {
            command.env_remove(name);
        }
    }
    let command = command.args(arguments).env("HOME", home).current_dir(home);
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_line_of_a_run_fits_the_schema() {
    let home = tempfile::tempdir().expect("a folder");
    let schema: Value =
        serde_json::from_str(&run(home.path(), &["events", "--schema"])).expect("JSON");
    let judge = jsonschema::validator_for(&schema).expect("a schema");
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/demo.jsonl");
    let written = run(home.path(), &["run", "go", "--json", "--replay", recording]);
    let mut kinds = Vec::new();
    for line in written.lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let errors: Vec<String> = judge
            .iter_errors(&event)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{line}: {errors:?}");
        kinds.push(event["type"].as_str().expect("a type").to_owned());
    }
    assert_eq!(kinds.first().map(String::as_str), Some("header"));
    assert_eq!(kinds.last().map(String::as_str), Some("end"));
    for kind in [
        "user_message",
        "reply",
        "message_delta",
        "tool_call_started",
        "tool_call_delta",
        "tool_call",
        "tool_result",
        "usage",
    ] {
        assert!(kinds.iter().any(|seen| seen == kind), "{kind}: {kinds:?}");
    }
}

#[test]
fn the_events_of_a_session_are_those_of_its_run() {
    let home = tempfile::tempdir().expect("a folder");
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/demo.jsonl");
    let written = run(home.path(), &["run", "go", "--json", "--replay", recording]);
    let header: Value =
        serde_json::from_str(written.lines().next().expect("a header")).expect("JSON");
    let session = header["session"].as_str().expect("a session");
    let recorded =
        |line: &&str| line.contains("\"type\":\"header\"") || line.contains("\"at\":\"20");
    let live: Vec<&str> = written.lines().filter(recorded).collect();
    let read = run(home.path(), &["sessions", "events", session]);
    assert_eq!(read.lines().collect::<Vec<_>>(), live);
    // Any number is a place to continue.
    let seq = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["seq"].as_u64();
    for (index, line) in live.iter().enumerate() {
        let Some(after) = seq(line) else {
            continue;
        };
        let rest = run(
            home.path(),
            &["sessions", "events", session, "--after", &after.to_string()],
        );
        let rest: Vec<_> = rest.lines().skip(1).collect();
        assert_eq!(rest, live[index + 1..], "after {after}");
    }
    assert!(
        live.last()
            .is_some_and(|line| line.contains("\"type\":\"end\"")),
        "{live:?}"
    );
}

#[test]
fn the_kinds_of_events_are_described() {
    let home = tempfile::tempdir().expect("a folder");
    let described = run(home.path(), &["events"]);
    assert!(described.contains("\ntool_progress: "), "{described}");
    assert!(described.contains("\nheader: "), "{described}");
}

#[test]
fn what_a_model_says_steers_no_terminal_behind_a_pipe() {
    let home = tempfile::tempdir().expect("a folder");
    let recording = home.path().join("replies.jsonl");
    let events = serde_json::json!({ "events": [
        { "type": "text_delta", "text": "one \u{1b}]0;title\u{7}two\u{1b}[2J \u{202e}three\n" },
        { "type": "usage", "input_tokens": 1, "output_tokens": 1 },
        { "type": "stop", "reason": "end_turn" },
    ] });
    let text = format!("{{\"helve_recording\":1}}\n{events}\n");
    std::fs::write(&recording, text).expect("a file");
    let recording = recording.to_str().expect("text");
    let printed = run(home.path(), &["run", "go", "--replay", recording]);
    assert!(
        printed.contains("\none \u{fffd}]0;title\u{fffd}two\u{fffd}[2J \u{fffd}three\n"),
        "{printed:?}"
    );
    // Programs get the exact text.
    let exact = run(home.path(), &["run", "go", "--json", "--replay", recording]);
    assert!(exact.contains(r"one \u001b]0;title\u0007two"), "{exact}");
}
