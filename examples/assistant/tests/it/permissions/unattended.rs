//! A loop of edits and tests that nobody watches.

use std::fmt::Write as _;
use std::process::Command;

use crate::permissions::fixture::PermissionsFixture;

/// Writes a recording of a model that makes these calls, one a reply, and then is done.
fn recording(calls: &[(&str, serde_json::Value)]) -> String {
    let mut text = String::from("{\"helve_recording\": 1}\n");
    let usage = serde_json::json!({ "type": "usage", "input_tokens": 100, "output_tokens": 10 });
    for (at, (tool, arguments)) in calls.iter().enumerate() {
        let id = format!("call_{at}");
        let events = serde_json::json!([
            { "type": "tool_call_start", "id": id, "name": tool },
            { "type": "tool_call_delta", "id": id, "arguments": arguments.to_string() },
            usage,
            { "type": "stop", "reason": "tool_use" },
        ]);
        let _ = writeln!(text, "{}", serde_json::json!({ "events": events }));
    }
    let events = serde_json::json!([
        { "type": "text_delta", "text": "Done." },
        usage,
        { "type": "stop", "reason": "end_turn" },
    ]);
    let _ = writeln!(text, "{}", serde_json::json!({ "events": events }));
    text
}

/// Returns the folder of the compiler and of cargo, where there is one: the proxies of rustup are in a home that is not
/// shown.
fn toolchain() -> Option<String> {
    let rustc = Command::new("rustc").args(["--print", "sysroot"]).output();
    let folder = rustc.ok().filter(|rustc| rustc.status.success())?.stdout;
    Some(String::from_utf8(folder).ok()?.trim().to_owned())
}

#[test]
fn ten_rounds_of_edit_and_test_ask_nothing() {
    if crate::isolation::skip("permissions::unattended::ten_rounds_of_edit_and_test_ask_nothing") {
        return;
    }
    let calls: Vec<_> = (0..10)
        .flat_map(|round| {
            let content = format!(
                "pub const ROUND: usize = {round};\n#[test]\nfn counts() {{ assert!(ROUND < 10) }}\n"
            );
            [
                (
                    "write_file",
                    serde_json::json!({ "path": "src/lib.rs", "content": content }),
                ),
                ("read_file", serde_json::json!({ "path": "src/lib.rs" })),
                (
                    "bash",
                    // What cargo says itself would stand between the lines of the tests.
                    serde_json::json!({ "command": "cargo test --offline --quiet" }),
                ),
            ]
        })
        .collect();
    let place = PermissionsFixture::new()
        .with_file(
            "project/Cargo.toml",
            "[package]\nname = \"loop\"\nversion = \"0.0.0\"\nedition = \"2024\"\n",
        )
        .with_file("loop.jsonl", &recording(&calls));
    let toolchain = toolchain();
    let place = match &toolchain {
        Some(folder) => place.with_file(
            "config/helve/helve.toml",
            &format!("[sandbox]\nreadable = [{folder:?}]\n"),
        ),
        None => place,
    };
    let mut command = place.command();
    if let Some(folder) = &toolchain {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{folder}/bin:{path}"));
    }
    command.args([
        "run",
        "--json",
        "--mode",
        "accept_edits",
        "--allow",
        "bash(cargo test:*)",
        "--replay",
    ]);
    let seen = place.output_of(
        command.arg(place.path("loop.jsonl")).arg("Make it work."),
        "",
    );
    let events = seen
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let events: Vec<_> = events.collect();
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!(
        (of("approval_requested"), of("tool_result")),
        (0, 30),
        "{seen}"
    );
    // A bare machine has no cargo; what asks is the same there.
    let tested =
        |event: &&serde_json::Value| event.to_string().contains("test result: ok. 1 passed");
    let tested = events
        .iter()
        .filter(|event| event["type"] == "tool_result")
        .filter(tested)
        .count();
    assert_eq!(tested, if toolchain.is_some() { 10 } else { 0 }, "{seen}");
    assert!(
        !seen.contains("Tool call denied") && seen.contains("ROUND: usize = 9"),
        "{seen}"
    );
}
