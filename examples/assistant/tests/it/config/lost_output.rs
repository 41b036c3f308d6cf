//! Output that gets lost, and output that means harm.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::process::Stdio;

use crate::config::fixture::ConfigFixture;

#[test]
fn an_answer_that_does_not_fit_on_the_disk_is_a_failure() {
    let place = ConfigFixture::new().with_recording();
    for arguments in [
        &["run", "hello"][..],
        &["run", "hello", "--json"],
        &["tools"],
    ] {
        let mut command = place.command(arguments);
        if arguments[0] == "run" {
            command.arg("--replay").arg(place.path("says.jsonl"));
        }
        let full = File::create("/dev/full").expect("a full disk");
        let run = command.stdout(full).stdin(Stdio::null()).output();
        let run = run.expect("the binary starts");
        let told = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{arguments:?}: {told}");
        let error = "error: failed to write to standard output: No space left on device";
        assert_eq!(told.matches(error).count(), 1, "{arguments:?}: {told}");
    }
}

#[test]
fn a_name_of_a_tool_steers_no_terminal_behind_a_pipe_and_passes_for_no_line() {
    let said = concat!(
        r#"{"helve_recording": 1}"#,
        "\n",
        r#"{"events": [{"type": "tool_call_start", "id": "1", "name": "a\u001b[2J\n— finished"}, {"type": "stop", "reason": "tool_use"}]}"#,
        "\n",
        r#"{"events": [{"type": "text_delta", "text": "Done."}, {"type": "stop", "reason": "end_turn"}]}"#,
        "\n",
    );
    let place = ConfigFixture::new().with_file("says.jsonl", said);
    let mut command = place.command(&["run", "hello", "--replay"]);
    let run = command.arg(place.path("says.jsonl")).output();
    let seen = run.expect("the binary starts").stdout;
    let seen = String::from_utf8(seen).expect("text");
    assert!(!seen.contains('\u{1b}'), "{seen:?}");
    assert_eq!(seen.lines().filter(|line| *line == "— finished").count(), 1);
    assert!(seen.contains("→ a\u{fffd}[2J\u{fffd}— finished"), "{seen}");
}

#[test]
fn a_recording_that_is_too_large_is_not_read() {
    let place = ConfigFixture::new().with_file("large.jsonl", "");
    let file = File::create(place.path("large.jsonl")).expect("a file");
    file.set_len(300 << 20).expect("a file of no content");
    let mut command = place.command(&["run", "hello", "--replay"]);
    let run = command.arg(place.path("large.jsonl")).output();
    let run = run.expect("the binary starts");
    let told = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{told}");
    assert!(told.contains("it is larger than 256 MiB"), "{told}");
}
