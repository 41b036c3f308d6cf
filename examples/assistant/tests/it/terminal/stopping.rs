//! Ctrl-C, and going on with what was cut off.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events, wait_event};

const CTRL_C: &str = "\u{3}";

#[test]
fn ctrl_c_stops_the_turn() {
    let mut events = text_events("This is going to take ");
    events.push(wait_event("never"));
    let place = PtyFixture::new().with_recording(&[events]);
    let mut terminal = place.start_workshop(&["run", "Go.", "--no-session"]);
    terminal.wait_for("going to take");
    terminal.press(CTRL_C);
    let (screen, code) = terminal.wait_for_exit();
    insta::assert_snapshot!(format!("{screen}\nexit {code}"), @r#"
        > Go.

        interrupting; press Ctrl-C again to exit immediately
        This is going to take

        — interrupted · TIME
        exit 130
        "#);
}

#[test]
fn ctrl_c_stops_a_turn_that_asks() {
    let place = PtyFixture::new().with_recording(&[
        call_events("c1", "write_note", &json!({ "path": "a", "text": "b" })),
        stop_events(),
    ]);
    let mut terminal = place.start_workshop(&["run", "Go.", "--no-session"]);
    terminal.wait_for("\n  >");
    terminal.press(CTRL_C);
    let (screen, code) = terminal.wait_for_exit();
    assert!(screen.contains("— interrupted"), "{screen}");
    assert_eq!(code, 130);
}

#[test]
fn a_tool_that_does_not_listen_is_left_behind() {
    let place = PtyFixture::new().with_recording(&[call_events("c1", "sleep", &json!({}))]);
    let mut terminal = place.start_workshop(&["run", "Go.", "--no-session"]);
    terminal.wait_for("→ sleep");
    let pressed = Instant::now();
    terminal.press(CTRL_C);
    let (screen, code) = terminal.wait_for_exit();
    assert!(screen.contains("— interrupted"), "{screen}");
    assert_eq!(code, 130);
    assert!(pressed.elapsed() < Duration::from_secs(10), "{screen}");
}

#[test]
fn ctrl_c_in_a_chat_stops_the_turn_alone() {
    let place = PtyFixture::new().with_recording(&[call_events("c1", "build", &json!({}))]);
    let mut terminal = place.start_workshop(&["chat", "--no-session"]);
    terminal.wait_for_prompt();
    terminal.type_line("Build.");
    terminal.wait_for("Compiling");
    terminal.press(CTRL_C);
    terminal.wait_for("— interrupted");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    assert_eq!(terminal.wait_for_exit().1, 0);
}

#[test]
fn a_question_that_was_put_off_is_put_again() {
    let place = PtyFixture::new().with_recording(&[
        call_events(
            "c1",
            "write_note",
            &json!({ "path": "a.md", "text": "b\n" }),
        ),
        [text_events("Written."), stop_events()].concat(),
    ]);
    let terminal = place.start_workshop(&["run", "Write it.", "--defer"]);
    let (screen, code) = terminal.wait_for_exit();
    assert!(screen.contains("then resume: "), "{screen}");
    assert_eq!(code, 3);
    let place = place.with_recording(&[[text_events("Written."), stop_events()].concat()]);
    let mut terminal = place.start_workshop(&["resume"]);
    terminal.wait_for("\n  >");
    terminal.type_line("y");
    let (screen, code) = terminal.wait_for_exit();
    let (_, after) = screen.split_once("\n  >").expect("the answer");
    insta::assert_snapshot!(format!("{after}\nexit {code}"), @r#"
         y

        ✓ write_note path: a.md · text: b
            a.md has 1 lines

        Written.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        exit 0
        "#);
}
