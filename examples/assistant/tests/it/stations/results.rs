//! Results of commands that succeed and that fail, as people and programs see them.

use super::stations;
use crate::config::fixture::ConfigFixture;

#[test]
fn output_that_was_shown_as_it_arrived_is_not_repeated() {
    insta::assert_snapshot!(stations().run(&["call", "survey"]), @r"
    exit 0
    --- stdout
    one
    two
    three
    --- stderr
    calling `survey` (only reads, low risk) in PLACE/project
    ");
}

#[test]
fn a_call_whose_command_fails_fails() {
    if crate::isolation::skip("stations::results::a_call_whose_command_fails_fails") {
        return;
    }
    let place = stations();
    let call = |command: &str| redact_time(&place.run(&["call", "bash", "--command", command]));
    insta::assert_snapshot!(call("echo out; echo err >&2; exit 4"), @r"
    exit 1
    --- stdout
    out
    --- stderr
    calling `bash` (only reads, and may reach the outside world, low risk) in PLACE/project
    err
    [exit code 4, after TIME]
    error: `bash`: exit code 4
    ");
    insta::assert_snapshot!(call("printf out"), @r"
    exit 0
    --- stdout
    out
    --- stderr
    calling `bash` (only reads, and may reach the outside world, low risk) in PLACE/project
    [exit code 0, after TIME]
    ");
}

/// An app whose model runs a command that fails.
fn with_failing_command() -> ConfigFixture {
    let arguments = r#"{\"command\": \"echo out; exit 4\"}"#;
    let recording = format!(
        r#"{{"helve_recording": 1}}
{{"events": [{{"type": "tool_call_start", "id": "c1", "name": "bash"}}, {{"type": "tool_call_delta", "id": "c1", "arguments": "{arguments}"}}, {{"type": "stop", "reason": "tool_use"}}]}}
{{"events": [{{"type": "text_delta", "text": "It failed."}}, {{"type": "stop", "reason": "end_turn"}}]}}
"#
    );
    stations().with_file("replies.jsonl", &recording)
}

const RUN: [&str; 4] = ["run", "Go.", "--replay", "../replies.jsonl"];

#[test]
fn a_run_shows_the_exit_of_a_command_that_failed_first() {
    if crate::isolation::skip(
        "stations::results::a_run_shows_the_exit_of_a_command_that_failed_first",
    ) {
        return;
    }
    let place = with_failing_command();
    let seen = place.run(&RUN);
    let (_, shown) = seen.split_once("→ bash").expect("a call");
    let (shown, _) = shown.split_once("It failed.").expect("an end");
    insta::assert_snapshot!(redact_time(shown), @r#"
     {"command": "echo out; exit 4"}
    ✗ bash: exit code 4
        out
        [exit code 4, after TIME]
    "#);

    let seen = place.run(&[&RUN[..], &["--json"]].concat());
    let events = seen.lines().filter_map(|line| {
        let event: serde_json::Value = serde_json::from_str(line).ok()?;
        (event["type"] == "tool_result").then_some(event)
    });
    let results: Vec<serde_json::Value> = events.collect();
    assert_eq!(results.len(), 1, "{seen}");
    assert_eq!(results[0]["exit"], serde_json::json!({ "code": 4 }));
    // The model reads the output as text of others, and the note of helve as what it is.
    let texts = results[0]["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = texts.filter_map(|block| block["text"].as_str()).collect();
    insta::assert_snapshot!(redact_time(&texts.join("\n---\n")), @r#"
    <untrusted source="unknown" tool="bash">
    out

    </untrusted>
    ---
    [exit code 4, after TIME]
    "#);
}

/// Leaves out how long a command took.
fn redact_time(seen: &str) -> String {
    let Some((before, rest)) = seen.split_once(", after ") else {
        return seen.to_owned();
    };
    let (_, rest) = rest.split_once(']').expect("an end");
    format!("{before}, after TIME]{rest}")
}
