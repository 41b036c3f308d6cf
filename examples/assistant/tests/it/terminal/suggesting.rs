//! Suggestions after a turn: chosen by number, with Tab, and as an event.

use serde_json::json;

use crate::terminal::chatting::folder_contains;
use crate::terminal::pty::{PtyFixture, stop_events, text_events};

fn suggesting() -> PtyFixture {
    let suggestions = json!({ "suggestions": ["Run the tests.", "Commit it.", "One more."] });
    let replies = ["It compiles.", &*suggestions.to_string(), "They pass."];
    let replies = replies.map(|text| [text_events(text), stop_events()].concat());
    let place = PtyFixture::new().with_recording(&[
        replies[0].clone(),
        replies[1].clone(),
        replies[2].clone(),
        replies[1].clone(),
    ]);
    place.with_file("home/.config/helve/helve.toml", "chat.suggest = 2\n")
}

#[test]
fn a_number_sends_a_suggestion() {
    let place = suggesting();
    let mut terminal = place.start_assistant_in(&["chat"], (40, 80));
    terminal.wait_for_prompt();
    terminal.type_line("Does it compile?");
    terminal.wait_for("1 › Run the tests.");
    let screen = terminal.wait_for_prompt();
    assert!(screen.contains("2 › Commit it."), "{screen}");
    assert!(!screen.contains("One more."), "{screen}");
    terminal.type_line("2");
    terminal.wait_for("They pass.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    let state = place.path("state");
    assert!(
        folder_contains(&state, r#""text":"Commit it.""#),
        "{screen}"
    );
    assert!(!folder_contains(&state, "Run the tests."), "{screen}");
}

#[test]
fn tab_goes_through_the_suggestions() {
    let place = suggesting();
    let mut terminal = place.start_assistant_in(&["chat"], (40, 80));
    terminal.wait_for_prompt();
    terminal.type_line("Does it compile?");
    terminal.wait_for("2 › Commit it.");
    terminal.wait_for_prompt();
    terminal.press("\t");
    terminal.wait_until("the first one", |screen| {
        screen.ends_with("› Run the tests.")
    });
    terminal.press("\t");
    terminal.wait_until("the second one", |screen| {
        screen.ends_with("default › Commit it.")
    });
    terminal.press("\r");
    terminal.wait_for("They pass.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    assert!(
        folder_contains(&place.path("state"), r#""text":"Commit it.""#),
        "{screen}"
    );
}

#[test]
fn a_run_suggests_only_where_it_is_asked() {
    for (arguments, suggests) in [
        (&["run", "Does it compile?", "--json"][..], false),
        (
            &["run", "Does it compile?", "--json", "--suggest", "1"],
            true,
        ),
    ] {
        let place = suggesting();
        let terminal = place.start_assistant_in(arguments, (40, 300));
        let (screen, code) = terminal.wait_for_exit();
        assert_eq!(code, 0, "{screen}");
        assert_eq!(
            screen.contains(r#""type":"suggested""#),
            suggests,
            "{screen}"
        );
        assert!(!screen.contains("Commit it."), "{screen}");
    }
}
