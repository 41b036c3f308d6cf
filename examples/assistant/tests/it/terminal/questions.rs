//! Questions of the agent: a form in the terminal, with choices, text, and ways not to answer.

use serde_json::{Value, json};

use crate::terminal::chatting::folder_contains;
use crate::terminal::pty::{PtyFixture, PtySession, call_events, stop_events, text_events};

/// A model that asks questions, and then says that it knows.
pub(super) fn asking(questions: &Value) -> PtyFixture {
    let arguments = json!({ "questions": questions });
    PtyFixture::new().with_recording(&[
        call_events("c1", "ask_user", &arguments),
        [text_events("I see."), stop_events()].concat(),
    ])
}

fn database() -> Value {
    json!({ "id": "database", "text": "Which database?", "kind": "one", "options": ["SQLite", "Postgres"] })
}

fn parts() -> Value {
    json!({
        "id": "parts", "text": "Which parts?", "kind": "many", "other": false,
        "options": ["Parser", "Printer", "Tests"],
    })
}

fn name() -> Value {
    json!({ "id": "name", "text": "What is it called?", "kind": "text" })
}

fn run(place: &PtyFixture) -> PtySession {
    place.start_assistant_in(&["run", "Ask."], (50, 100))
}

/// Waits for a list of choices with the cursor on one of them.
fn wait_for_list(terminal: &PtySession, current: &str) -> String {
    let row = format!("  › {current}");
    terminal.wait_until(current, |screen| {
        screen.contains(&row) && screen.ends_with("decline")
    })
}

/// Waits for the end; returns the screen after the question, and checks what the session has as the result.
fn end(terminal: PtySession, place: &PtyFixture, result: &str) -> String {
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("I see."), "{screen}");
    let state = place.path("state");
    let escaped = result.replace('"', "\\\"");
    assert!(
        folder_contains(&state, &escaped) || folder_contains(&state, result),
        "{screen}"
    );
    screen
}

#[test]
fn one_is_chosen_with_the_arrows() {
    let place = asking(&json!([database()]));
    let mut terminal = run(&place);
    insta::assert_snapshot!(wait_for_list(&terminal, "1 SQLite"), @r"
    > Ask.


    ? Which database?
      › 1 SQLite
        2 Postgres
        Other:
      ↑↓ move · Enter answer · Esc skip · Ctrl-D decline
    ");
    terminal.press("\u{1b}[B");
    wait_for_list(&terminal, "2 Postgres");
    terminal.press("\r");
    let screen = end(
        terminal,
        &place,
        r#"{"status":"answered","answers":{"database":["Postgres"]}"#,
    );
    assert!(
        screen.contains("? Which database?\n  > Postgres\n"),
        "{screen}"
    );
}

#[test]
fn many_are_marked_and_a_text_is_typed() {
    let place = asking(&json!([parts(), database(), name()]));
    let mut terminal = run(&place);
    let screen = wait_for_list(&terminal, "[ ] 1 Parser");
    assert!(screen.contains("? The agent has 3 questions."), "{screen}");
    terminal.press("1");
    wait_for_list(&terminal, "[x] 1 Parser");
    terminal.press("\u{1b}[B\u{1b}[B");
    wait_for_list(&terminal, "[ ] 3 Tests");
    terminal.press(" ");
    wait_for_list(&terminal, "[x] 3 Tests");
    terminal.press("\r");
    wait_for_list(&terminal, "1 SQLite");
    // What is no number is an answer of one's own.
    terminal.press("DuckDB");
    wait_for_list(&terminal, "Other: DuckDB");
    terminal.press("\r");
    terminal.wait_for_question("What is it called?");
    terminal.type_line("Ada's notes");
    let screen = end(
        terminal,
        &place,
        r#"{"status":"answered","answers":{"database":["DuckDB"],"name":["Ada's notes"],"parts":["Parser","Tests"]}"#,
    );
    assert!(screen.contains("  > Parser, Tests\n"), "{screen}");
    assert!(screen.contains("  > DuckDB\n"), "{screen}");
}

#[test]
fn questions_are_skipped_and_declined() {
    let place = asking(&json!([database(), name()]));
    let mut terminal = run(&place);
    wait_for_list(&terminal, "1 SQLite");
    terminal.press("\u{1b}");
    terminal.wait_for_question("What is it called?");
    terminal.type_line("");
    end(terminal, &place, r#""skipped":["database","name"]"#);

    let place = asking(&json!([database(), name()]));
    let mut terminal = run(&place);
    wait_for_list(&terminal, "1 SQLite");
    terminal.press("\u{4}");
    let screen = end(terminal, &place, r#"{"status":"declined""#);
    assert!(screen.contains("  > (declined)\n"), "{screen}");
    assert!(!screen.contains("What is it called?"), "{screen}");
}

#[test]
fn ctrl_c_interrupts_the_turn() {
    let place = asking(&json!([database()]));
    let mut terminal = run(&place);
    wait_for_list(&terminal, "1 SQLite");
    terminal.press("\u{3}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 130, "{screen}");
    assert!(!screen.contains("I see."), "{screen}");
}

#[test]
fn a_terminal_without_escapes_takes_numbers() {
    let place = asking(&json!([database(), parts()]));
    let replies = place.path("replies.jsonl").display().to_string();
    let arguments = ["run", "Ask.", "--replay", &replies];
    let mut terminal = place.start_dumb(&arguments);
    terminal.wait_for_question("Which database?");
    terminal.type_line("2");
    terminal.wait_for_question("Which parts?");
    terminal.type_line("1, 3");
    end(
        terminal,
        &place,
        r#"{"status":"answered","answers":{"database":["Postgres"],"parts":["Parser","Tests"]}"#,
    );
}

#[test]
fn in_time_or_the_defaults_are_used() {
    let mut question = database();
    question["default"] = json!(["SQLite"]);
    let place = asking(&json!([question, name()]));
    let settings = place.path("home/.config/helve");
    std::fs::create_dir_all(&settings).expect("a folder");
    std::fs::write(settings.join("helve.toml"), "[ask_user]\ntimeout = 1\n").expect("a file");
    let terminal = run(&place);
    wait_for_list(&terminal, "1 SQLite");
    end(
        terminal,
        &place,
        r#"{"status":"timed_out","answers":{"database":["SQLite"]},"skipped":["name"]"#,
    );
}
