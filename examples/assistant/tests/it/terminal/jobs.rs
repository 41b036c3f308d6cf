//! `/jobs`: the background jobs of a session.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events};

/// Waits until the job is over, as another process sees it.
fn wait_for_end(place: &PtyFixture) {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let listed = Command::new(env!("CARGO_BIN_EXE_assistant"))
            .args(["jobs", "list"])
            .env("HOME", place.path("home"))
            .env("HELVE_STATE", place.path("state"))
            .current_dir(place.path("project"))
            .output()
            .expect("it starts");
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        if listed.contains("  done  ") {
            return;
        }
        assert!(Instant::now() < deadline, "it does not end: {listed}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn jobs_are_listed_with_their_states() {
    let task = json!({ "agent": "poet", "prompt": "Rain.", "label": "rain", "background": true });
    // The agent and its job reply in any order.
    let reply = || [text_events("It is on its way."), stop_events()].concat();
    let place =
        PtyFixture::new().with_recording(&[call_events("c1", "task", &task), reply(), reply()]);
    let poet = "---\nname: poet\ndescription: Writes poems.\n---\nYou write poems.\n";
    place.write("home/.claude/agents/poet.md", poet);
    let mut terminal = place.start_workshop_in(&["chat"], &[], (60, 100));
    terminal.wait_for_prompt();
    terminal.type_line("/jobs");
    terminal.wait_for("no jobs; the agent starts them with `task`");
    terminal.wait_for_prompt();
    terminal.type_line("A poem, please.");
    terminal.wait_for("It is on its way.");
    terminal.wait_for_prompt();
    wait_for_end(&place);
    terminal.type_line("/jobs");
    let screen = terminal.wait_for("  done  ");
    assert!(screen.contains("  rain"), "{screen}");
    terminal.wait_for("is done.");
    terminal.wait_for_prompt();
    terminal.type_line("/jobs stop nothing");
    terminal.wait_for("job `nothing` not found");
    terminal.wait_for_prompt();
    terminal.type_line("/jobs stop all");
    terminal.wait_for("stopped: 0");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
}
