//! `run` and `serve` hand the same settings to the tools as `call` does.

use serde_json::json;

use super::weather_fixture;
use crate::config::fixture::ConfigFixture;

/// A user with settings, and a recorded model that calls both packs.
fn recorded_fixture() -> ConfigFixture {
    let call = |id: &str, tool: &str, arguments: &str| {
        [
            json!({ "type": "tool_call_start", "id": id, "name": tool }),
            json!({ "type": "tool_call_delta", "id": id, "arguments": arguments }),
        ]
    };
    let usage = json!({ "type": "usage", "input_tokens": 100, "output_tokens": 10 });
    let mut events = Vec::new();
    events.extend(call("call_1", "forecast", "{}"));
    events.extend(call("call_2", "send_mail", r#"{"text":"Hello."}"#));
    events.extend([
        usage.clone(),
        json!({ "type": "stop", "reason": "tool_use" }),
    ]);
    let done = json!([{ "type": "text_delta", "text": "Done." }, usage, { "type": "stop", "reason": "end_turn" }]);
    let recording = [
        json!({ "helve_recording": 1 }),
        json!({ "events": events }),
        json!({ "events": done }),
    ];
    let recording: String = recording.iter().map(|line| format!("{line}\n")).collect();
    weather_fixture()
        .with_user_settings("[weather]\nunit = \"fahrenheit\"\n")
        .with_file("calls.jsonl", &recording)
}

#[test]
fn an_agent_calls_tools_with_settings() {
    let place = recorded_fixture();
    let recording = place.path("calls.jsonl");
    let mut command = place.command(&["run", "Hello.", "--no-session", "--replay"]);
    insta::assert_snapshot!(place.output_of(command.arg(&recording), b""), @r#"
    exit 0
    --- stdout
    > Hello.

    → forecast {}
    → send_mail {"text":"Hello."}
    ✓ forecast
        3 days in Fahrenheit of https://weather.example within 2.5 s, with a key of 0 bytes, stations [], aliases {}

    ✗ send_mail
        `send_mail` is not configured: set `mail.server` and `mail.password` in `~/.config/helve/helve.toml`

    Done.

    — finished
    --- stderr
    tokens: 200 in · 20 out
    "#);
}

#[test]
fn a_client_calls_tools_with_settings() {
    let place = recorded_fixture();
    let request = |id: i32, method: &str, params: serde_json::Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let call = |id: i32, tool: &str, arguments: serde_json::Value| {
        request(
            id,
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    };
    let client = json!({ "name": "client", "version": "1" });
    let initialize =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let input = [
        request(0, "initialize", initialize),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        call(1, "forecast", json!({})),
        call(2, "send_mail", json!({ "text": "Hello." })),
    ];
    let input: String = input.iter().map(|line| format!("{line}\n")).collect();
    let seen = place.output_of(&mut place.command(&["serve", "--stdio"]), input.as_bytes());
    let answers = seen.lines().filter_map(|line| {
        let answer: serde_json::Value = serde_json::from_str(line).ok()?;
        let text = answer["result"]["content"][0]["text"].as_str()?.to_owned();
        Some((answer["id"].as_i64()?, text))
    });
    let mut answers: Vec<_> = answers.collect();
    answers.sort();
    insta::assert_debug_snapshot!(answers, @r#"
    [
        (
            1,
            "3 days in Fahrenheit of https://weather.example within 2.5 s, with a key of 0 bytes, stations [], aliases {}",
        ),
        (
            2,
            "`send_mail` is not configured: set `mail.server` and `mail.password` in `~/.config/helve/helve.toml`",
        ),
    ]
    "#);
}
