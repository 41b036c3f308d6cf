//! `/todo`: the tasks of the session, in narrow and wide windows, and after a restart.

use serde_json::{Value, json};

use crate::terminal::pty::{PtyFixture, PtySession, call_events, stop_events, text_events};

fn fixture() -> PtyFixture {
    let create = |id: &str, subject: &str| {
        let task = json!({ "subject": subject, "description": "" });
        call_events(id, "todo_create", &task)
    };
    let update = |id: &str, arguments: Value| call_events(id, "todo_update", &arguments);
    PtyFixture::new().with_recording(&[
        create(
            "c1",
            "Read the parser and note where it gives up on a line that is too long",
        ),
        create("c2", "Write the tests"),
        create("c3", "Release"),
        update("c4", json!({ "task_id": "1", "status": "completed" })),
        update(
            "c5",
            json!({ "task_id": "2", "status": "in_progress", "owner": "main" }),
        ),
        update(
            "c6",
            json!({ "task_id": "3", "add_blocked_by": ["1", "2"] }),
        ),
        [text_events("Planned."), stop_events()].concat(),
        [text_events("Still planned."), stop_events()].concat(),
    ])
}

/// Types `/todo`, and returns what it shows.
fn todo(terminal: &mut PtySession, last: &str) -> String {
    terminal.type_line("/todo");
    terminal.wait_for(last);
    let screen = terminal.wait_for_prompt();
    let (_, shown) = screen.rsplit_once("› /todo\n").expect("the command");
    shown.to_owned()
}

fn quit(mut terminal: PtySession) {
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn the_tasks_are_shown_in_narrow_and_wide_windows_and_after_a_restart() {
    let place = fixture();
    let mut terminal = place.start_assistant_in(&["chat"], (60, 100));
    terminal.wait_for_prompt();
    insta::assert_snapshot!(todo(&mut terminal, "no tasks;"), @r"
    no tasks; the agent makes them with `todo_create`
    default ›
    ");
    terminal.type_line("Plan it.");
    terminal.wait_for("Planned.");
    terminal.wait_for_prompt();
    insta::assert_snapshot!(todo(&mut terminal, "1 of 3 completed"), @r"
      ✓ 1  Read the parser and note where it gives up on a line that is too long
      ▸ 2  Write the tests (main)
      · 3  Release — waits for 2
    1 of 3 completed
    default ›
    ");
    quit(terminal);
    let mut terminal = place.start_assistant_in(&["chat", "--continue"], (60, 40));
    terminal.wait_for_prompt();
    insta::assert_snapshot!(todo(&mut terminal, "1 of 3 completed"), @r"
      ✓ 1  Read the parser and note where it
           gives up on a line that is too
           long
      ▸ 2  Write the tests (main)
      · 3  Release — waits for 2
    1 of 3 completed
    default ›
    ");
    quit(terminal);
}

#[test]
fn the_tasks_go_back_with_the_conversation() {
    let place = fixture();
    let mut terminal = place.start_assistant_in(&["chat"], (60, 100));
    terminal.wait_for_prompt();
    terminal.type_line("Plan it.");
    terminal.wait_for("Planned.");
    terminal.wait_for_prompt();
    terminal.type_line("/undo");
    terminal.wait_for("undone: Plan it.");
    terminal.wait_for_prompt();
    insta::assert_snapshot!(todo(&mut terminal, "no tasks;"), @r"
    no tasks; the agent makes them with `todo_create`
    default ›
    ");
    quit(terminal);
}
