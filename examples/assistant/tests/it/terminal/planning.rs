//! Plan mode at the terminal: nothing changes until the plan is approved.

use std::fs;

use serde_json::json;

use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events};

/// A model that writes a note, presents a plan, and writes the note.
fn fixture() -> PtyFixture {
    let note = json!({ "path": "notes.md", "text": "# Notes\n\nBuy bread.\n" });
    let plan = json!({ "plan": "1. Write `notes.md`.\n2. Read it again." });
    PtyFixture::new().with_recording(&[
        [
            text_events("I write."),
            call_events("c1", "write_note", &note),
        ]
        .concat(),
        [
            text_events("Not yet."),
            call_events("c2", "present_plan", &plan),
        ]
        .concat(),
        [text_events("Now."), call_events("c3", "write_note", &note)].concat(),
        [text_events("Noted."), stop_events()].concat(),
    ])
}

#[test]
fn a_plan_is_approved_before_anything_changes() {
    let place = fixture();
    let mut terminal = place.start_workshop(&["chat"]);
    terminal.wait_for_prompt();
    terminal.type_line("/mode plan");
    terminal.wait_for("plan ›");
    terminal.type_line("Write it down.");
    insta::assert_snapshot!(terminal.wait_for_question("Carry out this plan?"), @r#"
        assistant 0.1.0 · /help lists commands
        default › /mode plan
        plan › Write it down.

        I write.

        ✗ write_note path: notes.md · text: # Notes …
            Tool call denied: it changes `notes.md`, and the mode `plan` does not prompt

        Not yet.

        ? Carry out this plan?
            1. Write `notes.md`.
            2. Read it again.
          Reason: the plan ends plan mode, in which nothing is changed
          [y] yes, and ask before changes
          [a] yes, and edit files of the workspace without asking
          [e] edit the plan  [n] no, keep planning
          or type what to do instead
          >
        "#);
    terminal.type_line("k");
    terminal.wait_for("Answer y, a, e or n");
    terminal.type_line("y");
    terminal.wait_for("Allow write_note?");
    terminal.wait_for_question("[n] no");
    terminal.type_line("y");
    terminal.wait_for("Noted.");
    terminal.wait_for("default ›");
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    let plans = place.path("state/assistant/plans");
    let stored: Vec<_> = fs::read_dir(plans).expect("a folder of plans").collect();
    assert_eq!(stored.len(), 1);
}
