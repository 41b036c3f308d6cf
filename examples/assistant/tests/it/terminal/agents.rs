//! Agents in a chat: their list, and tasks that the user gives to one of them.

use crate::terminal::chatting::folder_contains;
use crate::terminal::pty::{PtyFixture, stop_events, text_events};

fn write(place: &PtyFixture, path: &str, text: &str) {
    let path = place.path(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

#[test]
fn agents_are_listed_and_given_tasks() {
    let replies = ["It works.", "Plain."].map(|text| [text_events(text), stop_events()].concat());
    let place = PtyFixture::new().with_recording(&replies);
    write(
        &place,
        "home/.claude/agents/tester.md",
        "---\nname: tester\ndescription: Runs the tests.\ntools: Read\n---\nYou test, and say what fails.\n",
    );
    write(
        &place,
        "project/.claude/agents/coder.md",
        "---\nname: coder\ndescription: Codes.\n---\nYou code.\n",
    );
    let mut terminal = place.start_workshop_in(&["chat"], &[], (60, 100));
    terminal.wait_for_prompt();
    terminal.type_line("/agents");
    terminal.wait_for("give a task to an agent with @NAME TASK");
    let screen = terminal.wait_for_prompt();
    assert!(
        screen.contains("tester  Runs the tests. (user)"),
        "{screen}"
    );
    assert!(
        screen.contains("held: you have not accepted it"),
        "{screen}"
    );
    terminal.type_line("@coder Write it");
    terminal.wait_for("the agent `coder` is not used: held");
    terminal.wait_for_prompt();
    terminal.type_line("@tester");
    terminal.wait_for("write the task after @tester");
    terminal.wait_for_prompt();
    terminal.type_line("@tester Try it");
    terminal.wait_for("It works.");
    terminal.wait_for_prompt();
    terminal.type_line("@nobody is a path");
    terminal.wait_for("Plain.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    let state = place.path("state");
    for text in [
        "\"agent\":\"tester\"",
        "Try it",
        "\"agent\":\"main\"",
        "@nobody is a path",
    ] {
        assert!(folder_contains(&state, text), "{text}");
    }
}
