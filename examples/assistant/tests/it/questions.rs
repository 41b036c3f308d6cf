//! Questions of the agent where no terminal shows them: answered later, from another process, or by nobody.

use std::path::Path;
use std::process::Command;

use serde_json::json;

/// Writes a recording of a model that asks, and then says that it knows.
fn write_recording(folder: &Path) {
    let question = json!({
        "id": "database", "text": "Which database?", "kind": "one", "options": ["SQLite", "Postgres"],
    });
    let arguments = json!({ "questions": [question] }).to_string();
    let asks = json!({ "events": [
        { "type": "tool_call_start", "id": "c1", "name": "ask_user" },
        { "type": "tool_call_delta", "id": "c1", "arguments": arguments },
        { "type": "stop", "reason": "tool_use" },
    ] });
    let knows = json!({ "events": [
        { "type": "text_delta", "text": "I see." },
        { "type": "stop", "reason": "end_turn" },
    ] });
    let write = |name: &str, replies: &[&serde_json::Value]| {
        let replies: Vec<String> = replies.iter().map(ToString::to_string).collect();
        let text = format!("{{\"helve_recording\":1}}\n{}\n", replies.join("\n"));
        std::fs::write(folder.join(name), text).expect("a file");
    };
    write("both.jsonl", &[&asks, &knows]);
    write("rest.jsonl", &[&knows]);
}

/// Runs the binary without a terminal; returns its code and all that it printed.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_assistant"))
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("HELVE_STATE", folder.join("state"))
        .args(arguments)
        .output()
        .expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let printed = text(&output.stdout) + &text(&output.stderr);
    (output.status.code().expect("an exit code"), printed)
}

#[test]
fn an_answer_of_another_process_is_used_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_recording(folder);
    let (code, printed) = run(
        folder,
        &["run", "Ask.", "--defer", "--replay", "both.jsonl"],
    );
    assert_eq!(code, 3, "{printed}");
    let line = printed
        .lines()
        .find(|line| line.contains("sessions result"))
        .unwrap_or_else(|| panic!("{printed}"));
    let mut words = line.split_whitespace().skip_while(|word| *word != "result");
    let (session, call) = (
        words.nth(1).expect("a session"),
        words.next().expect("a call"),
    );
    let (code, shown) = run(folder, &["sessions", "show", session]);
    assert!(code == 0 && shown.contains("Which database?"), "{shown}");
    // What does not fit is refused when the turn goes on, and the call goes on waiting.
    let post = |result: &str| run(folder, &["sessions", "result", session, call, result]);
    assert_eq!(post(r#"{"status": "perhaps"}"#).0, 0);
    let resume = ["resume", session, "--defer", "--replay", "rest.jsonl"];
    let (code, printed) = run(folder, &resume);
    assert_eq!(code, 3, "{printed}");
    assert!(
        printed.contains("does not match the output schema"),
        "{printed}"
    );
    assert_eq!(
        post(r#"{"status": "answered", "answers": {"database": ["Postgres"]}}"#).0,
        0
    );
    let (code, printed) = run(folder, &resume);
    assert_eq!(code, 0, "{printed}");
    assert!(
        printed.contains("Postgres") && printed.contains("I see."),
        "{printed}"
    );
}

#[test]
fn nobody_is_there_without_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_recording(folder);
    for format in [&[][..], &["--json"], &["--mode", "bypass"]] {
        let arguments = [&["run", "Ask.", "--replay", "both.jsonl"], format].concat();
        let (code, printed) = run(folder, &arguments);
        assert_eq!(code, 0, "{printed}");
        assert!(printed.contains("nobody_there"), "{printed}");
        assert!(printed.contains("I see."), "{printed}");
    }
}

#[test]
fn a_deferred_question_finds_nobody_when_it_is_resumed_without_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_recording(folder);
    let (code, printed) = run(
        folder,
        &["run", "Ask.", "--defer", "--replay", "both.jsonl"],
    );
    assert_eq!(code, 3, "{printed}");
    let session = printed
        .lines()
        .find_map(|line| line.split("resume ").nth(1));
    let session = session.expect("a session").trim_matches('`');
    let (code, printed) = run(folder, &["resume", session, "--replay", "rest.jsonl"]);
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("nobody_there"), "{printed}");
}

#[test]
fn a_limit_ends_a_run_without_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_recording(folder);
    let settings = folder.join(".config/helve");
    std::fs::create_dir_all(&settings).expect("a folder");
    let text = "limits.ask = true\nmax_turns = 1\n";
    std::fs::write(settings.join("helve.toml"), text).expect("a file");
    let (code, printed) = run(folder, &["run", "Ask.", "--replay", "both.jsonl"]);
    assert_eq!(code, 1, "{printed}");
    assert!(!printed.contains("Go on?"), "{printed}");
    let reason = "the bound on model calls was reached";
    assert!(printed.contains(reason), "{printed}");
}
