//! Keys at the prompt of a chat and during its turns.

use serde_json::json;

use crate::terminal::pty::{
    PtyFixture, PtySession, call_events, stop_events, text_events, wait_event,
};

const ESC: &str = "\u{1b}";
const SHIFT_TAB: &str = "\u{1b}[Z";
const ALT_ENTER: &str = "\u{1b}\r";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const CTRL_J: &str = "\n";
const CTRL_U: &str = "\u{15}";

/// A reply that waits for the gate `go` after its first words.
fn waiting_reply() -> Vec<serde_json::Value> {
    let mut events = text_events("Working on it. ");
    events.push(wait_event("go"));
    events.extend(text_events("Done."));
    [events, stop_events()].concat()
}

fn said(text: &str) -> Vec<serde_json::Value> {
    [text_events(text), stop_events()].concat()
}

fn quit(mut terminal: PtySession) -> String {
    terminal.wait_for_prompt();
    terminal.press(CTRL_D);
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    screen
}

#[test]
fn what_is_typed_during_a_turn_is_queued_and_kept() {
    for columns in [40, 100] {
        let place = PtyFixture::new().with_recording(&[waiting_reply(), said("And the second.")]);
        let mut terminal = place.start_workshop_in(&["chat", "--no-session"], &[], (24, columns));
        terminal.wait_for_prompt();
        terminal.type_line("First.");
        terminal.wait_for("Working on it.");
        terminal.type_line("Second.");
        terminal.wait_for("queued: Second.");
        terminal.press("hal");
        terminal.press("x\u{7f}f");
        let screen = terminal.wait_until("the input", |screen| {
            screen.ends_with("queued: Second.\ndefault › half")
        });
        assert!(screen.contains("* writing  Esc to interrupt"), "{screen}");
        place.open_gate("go");
        terminal.wait_for("And the second.");
        let screen = terminal.wait_until("the rest of the input", |screen| {
            screen.ends_with("\ndefault › half")
        });
        let shown = screen.matches("default › Second.").count();
        assert_eq!(shown, 1, "{screen}");
        terminal.press(CTRL_U);
        quit(terminal);
    }
}

#[test]
fn what_is_said_with_tab_reaches_the_model_at_work() {
    let calls = call_events("c1", "build", &json!({}));
    let place = PtyFixture::new().with_recording(&[calls, waiting_reply(), said("D'accord.")]);
    let mut terminal = place.start_workshop(&["chat", "--no-session"]);
    terminal.wait_for_prompt();
    terminal.type_line("Build.");
    terminal.wait_for("Compiling");
    // In the middle of a tool: it comes with the result.
    terminal.press("In French.");
    terminal.wait_for("default › In French.");
    terminal.press("\t");
    terminal.wait_for("sent: In French.");
    place.open_gate("built");
    let screen = terminal.wait_for("Working on it.");
    assert!(screen.contains("» In French."), "{screen}");
    assert!(!screen.contains("sent:"), "{screen}");
    // While the model writes its last reply: the turn goes on.
    terminal.press("And sing.");
    terminal.wait_for("default › And sing.");
    terminal.press("\t");
    terminal.wait_for("sent: And sing.");
    place.open_gate("go");
    let screen = terminal.wait_for("D'accord.");
    assert!(screen.contains("Done."), "{screen}");
    assert!(screen.contains("» And sing."), "{screen}");
    quit(terminal);
}

#[test]
fn typed_messages_of_several_lines_stay_one() {
    let place = PtyFixture::new().with_recording(&[waiting_reply(), said("I see three.")]);
    let mut terminal = place.start_workshop(&["chat", "--no-session"]);
    terminal.wait_for_prompt();
    terminal.type_line("First.");
    terminal.wait_for("Working on it.");
    terminal.press(&format!("a{ALT_ENTER}b{CTRL_J}c"));
    terminal.wait_until("the lines", |screen| screen.ends_with("default › a\nb\nc"));
    terminal.type_line("");
    terminal.wait_for("queued: a …");
    // The up key takes the message back.
    terminal.press("\u{1b}[A");
    terminal.wait_until("the lines", |screen| screen.ends_with("default › a\nb\nc"));
    terminal.type_line("");
    place.open_gate("go");
    terminal.wait_for("I see three.");
    quit(terminal);
}

#[test]
fn esc_interrupts_the_turn_and_gives_the_queue_back() {
    for key in [ESC, CTRL_C] {
        let place = PtyFixture::new().with_recording(&[call_events("c1", "build", &json!({}))]);
        let mut terminal = place.start_workshop(&["chat", "--no-session"]);
        terminal.wait_for_prompt();
        terminal.type_line("Build.");
        terminal.wait_for("Compiling");
        terminal.type_line("Then test.");
        terminal.wait_for("queued: Then test.");
        terminal.press(key);
        let screen = terminal.wait_until("the input", |screen| {
            screen.ends_with("default › Then test.")
        });
        assert!(screen.contains("— interrupted"), "{screen}");
        terminal.press(CTRL_U);
        quit(terminal);
    }
}

#[test]
fn a_question_does_not_take_what_was_typed_before() {
    let note = json!({ "path": "a.md", "text": "b\n" });
    let mut asks = text_events("One moment.");
    asks.push(wait_event("go"));
    asks.extend(call_events("c1", "write_note", &note));
    let place = PtyFixture::new().with_recording(&[asks, said("Written.")]);
    let mut terminal = place.start_workshop(&["chat", "--no-session"]);
    terminal.wait_for_prompt();
    terminal.type_line("Write it.");
    terminal.wait_for("One moment.");
    terminal.press("then");
    terminal.wait_for("default › then");
    place.open_gate("go");
    terminal.wait_for_question("Allow write_note?");
    terminal.type_line("y");
    terminal.wait_for("Written.");
    terminal.wait_until("the input", |screen| screen.ends_with("\ndefault › then"));
    terminal.press(CTRL_U);
    quit(terminal);
}

#[test]
fn lines_are_added_at_the_prompt() {
    let place = PtyFixture::new().with_recording(&[said("I see three.")]);
    let mut terminal = place.start_workshop(&["chat", "--no-session"]);
    terminal.wait_for_prompt();
    terminal.press(&format!("a{ALT_ENTER}b"));
    terminal.wait_until("two lines", |screen| screen.ends_with("default › a\nb"));
    terminal.press(&format!("{CTRL_J}c"));
    terminal.wait_until("three lines", |screen| {
        screen.ends_with("default › a\nb\nc")
    });
    terminal.type_line("");
    terminal.wait_for("I see three.");
    quit(terminal);
}

#[test]
fn shift_tab_changes_the_mode_in_place() {
    for (columns, variables) in [(40, &[][..]), (100, &[("NO_COLOR", "1")][..])] {
        let place = PtyFixture::new().with_recording(&[]);
        let mut terminal =
            place.start_workshop_in(&["chat", "--no-session"], variables, (24, columns));
        terminal.wait_for_prompt();
        let input = "a message of more than one row at 40 columns";
        terminal.press(input);
        terminal.wait_for("columns");
        for mode in ["accept_edits", "plan", "explore", "default"] {
            terminal.press(SHIFT_TAB);
            let screen = terminal.wait_until(mode, |screen| {
                let joined = screen.replace('\n', "");
                joined.ends_with(&format!("{mode} › {input}"))
            });
            assert_eq!(screen.matches('›').count(), 1, "{screen}");
        }
        let is_coloured = terminal.wrote("\u{1b}[36m");
        assert_eq!(is_coloured, variables.is_empty());
        terminal.press(CTRL_U);
        quit(terminal);
    }
}

#[test]
fn a_terminal_without_escapes_has_a_prompt_too() {
    for columns in [40, 100] {
        let place = PtyFixture::new().with_recording(&[waiting_reply(), said("And the second.")]);
        let variables = [("TERM", "dumb")];
        let mut terminal =
            place.start_workshop_in(&["chat", "--no-session"], &variables, (24, columns));
        terminal.wait_for_prompt();
        terminal.type_line("First.");
        terminal.wait_for("Working on it.");
        // The terminal keeps the line, and the next prompt reads it.
        terminal.type_line("Second.");
        place.open_gate("go");
        terminal.wait_for("And the second.");
        assert!(!terminal.wrote("\u{1b}"));
        quit(terminal);
    }
}
