//! Limits that end a prompt, and ask the user to go on.

use serde_json::json;

use crate::terminal::chatting::folder_contains;
use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events};

/// A model that calls a tool twice, and then says that it is done, with settings.
fn working(settings: &str) -> PtyFixture {
    let place = PtyFixture::new().with_recording(&[
        call_events("c1", "todo_list", &json!({})),
        call_events("c2", "todo_list", &json!({})),
        [text_events("Done at last."), stop_events()].concat(),
    ]);
    place.with_file("home/.config/helve/helve.toml", settings)
}

#[test]
fn a_chat_asks_to_go_on_at_the_bound_on_model_calls() {
    let place = working("max_turns = 1\nlimits.ask = true\n");
    let mut terminal = place.start_assistant_in(&["chat"], (60, 100));
    terminal.wait_for_prompt();
    terminal.type_line("Look.");
    terminal.wait_for_question("the bound on model calls was reached. Go on?");
    terminal.type_line("y");
    terminal.wait_until("the second question", |screen| {
        screen.matches("Go on?").count() == 2 && screen.ends_with("\n  >")
    });
    terminal.type_line("n");
    terminal.wait_for_prompt();
    terminal.type_line("Go on, then.");
    terminal.wait_for("Done at last.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn other_bounds_ask_too_and_the_answer_may_change_the_course() {
    let place = working("limits.tool_calls = 1\nlimits.ask = true\n");
    let mut terminal = place.start_assistant_in(&["chat"], (60, 100));
    terminal.wait_for_prompt();
    terminal.type_line("Look.");
    terminal.wait_for_question("the bound on tool calls was reached. Go on?");
    terminal.type_line("Leave the tasks alone.");
    terminal.wait_for("Done at last.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    let said = r#""text":"Leave the tasks alone.""#;
    assert!(folder_contains(&place.path("state"), said), "{screen}");
}

#[test]
fn a_run_at_a_terminal_asks_with_and_without_a_session() {
    for session in [&[][..], &["--no-session"]] {
        let place = working("limits.ask = true\nmax_turns = 2\n");
        let arguments = [&["run", "Look."], session].concat();
        let mut terminal = place.start_assistant_in(&arguments, (50, 100));
        terminal.wait_for_question("the bound on model calls was reached. Go on?");
        terminal.type_line("y");
        terminal.wait_for("Done at last.");
        let (screen, code) = terminal.wait_for_exit();
        assert_eq!(code, 0, "{screen}");
        assert!(screen.contains("> Go on."), "{screen}");
    }
}

#[test]
fn a_run_that_does_not_go_on_fails() {
    let place = working("limits.ask = true\nmax_turns = 1\n");
    let mut terminal = place.start_assistant_in(&["run", "Look."], (50, 100));
    terminal.wait_for_question("the bound on model calls was reached. Go on?");
    terminal.type_line("n");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 1, "{screen}");
}
