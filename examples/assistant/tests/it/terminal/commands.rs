//! The commands of a chat, files that a message names, and commands of the user.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::terminal::chatting::folder_contains;
use crate::terminal::pty::{PtyFixture, PtySession, call_events, stop_events, text_events};

fn fixture(texts: &[&str]) -> PtyFixture {
    let replies: Vec<_> = texts
        .iter()
        .map(|text| [text_events(text), stop_events()].concat())
        .collect();
    PtyFixture::new().with_recording(&replies)
}

fn chat(place: &PtyFixture, variables: &[(&str, &str)]) -> PtySession {
    let terminal = place.start_workshop_in(&["chat"], variables, (50, 100));
    terminal.wait_for_prompt();
    terminal
}

/// Types a line, and waits for a text and the next prompt.
fn say(terminal: &mut PtySession, line: &str, text: &str) -> String {
    terminal.type_line(line);
    terminal.wait_for(text);
    terminal.wait_for_prompt()
}

fn quit(mut terminal: PtySession) {
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn the_context_is_shown_and_summarized() {
    let long = "A long reply about many things. ".repeat(100);
    let place = fixture(&[&long, "The user greeted.", "As summarized."]);
    let mut terminal = chat(&place, &[]);
    say(&mut terminal, "/compact", "there is nothing to summarize");
    say(&mut terminal, "Hello.", "finished");
    let screen = say(
        &mut terminal,
        "/context",
        "the size of the context is unknown",
    );
    for row in [
        "system prompt",
        "6 tools",
        "0 skills",
        "2 messages",
        "results of tools",
        "total",
    ] {
        let shown = screen.lines().any(|line| {
            line.trim_start().starts_with(row)
                && line.contains("about ")
                && line.ends_with(" tokens")
        });
        assert!(shown, "{row}:\n{screen}");
    }
    say(
        &mut terminal,
        "/compact the greeting",
        "summarized before the next reply",
    );
    let screen = say(&mut terminal, "Go on.", "As summarized.");
    assert!(
        screen.contains("— the conversation was summarized"),
        "{screen}"
    );
    quit(terminal);
    assert!(folder_contains(&place.path("state"), "The user greeted."));
}

#[test]
fn the_model_is_changed_by_name() {
    let place = fixture(&[]);
    let mut terminal = chat(&place, &[]);
    say(&mut terminal, "/model", "the model has no name");
    say(&mut terminal, "/model nonsense", "error: ");
    say(&mut terminal, "/model ollama/llama3", "\nollama/llama3");
    say(&mut terminal, "/mcp", "no MCP servers; add one with");
    say(
        &mut terminal,
        "/background",
        "no commands run in the background",
    );
    quit(terminal);
}

#[test]
fn another_session_is_chosen_from_a_list() {
    let place = fixture(&["One.", "Two."]);
    let mut terminal = chat(&place, &[]);
    say(&mut terminal, "first", "One.");
    say(&mut terminal, "/clear", "starts a new session");
    say(&mut terminal, "second", "Two.");
    terminal.type_line("/resume");
    let screen = terminal.wait_for("Which session? [1-2]");
    let row = |number: &str, title: &str| {
        screen
            .lines()
            .any(|line| line.trim_start().starts_with(number) && line.ends_with(title))
    };
    assert!(row("1 ", "second") && row("2 ", "first"), "{screen}");
    say(&mut terminal, "2", "continuing first (1 turn)");
    say(&mut terminal, "/resume nowhere", "error: ");
    let screen = say(
        &mut terminal,
        "/search two",
        "continue a session with /resume ID",
    );
    let is_place = |line: &str| line.contains("t1  assistant") && line.ends_with("second");
    assert!(
        screen.lines().any(|line| is_place(line.trim_end())),
        "{screen}"
    );
    quit(terminal);
}

#[test]
fn a_conversation_is_exported_and_copied() {
    let place = fixture(&["A fine answer."]);
    let mut terminal = chat(&place, &[]);
    say(&mut terminal, "/export", "there is nothing to export");
    say(&mut terminal, "/copy", "there is no reply to copy");
    say(&mut terminal, "Tell me.", "A fine answer.");
    say(
        &mut terminal,
        "/export talk.md",
        "the conversation is in talk.md",
    );
    let text = std::fs::read_to_string(place.path("project/talk.md")).expect("a file");
    assert!(text.contains("A fine answer."), "{text}");
    say(
        &mut terminal,
        "/export talk.md",
        "failed to write `talk.md`",
    );
    say(
        &mut terminal,
        "/export talk.html",
        "the conversation is in talk.html",
    );
    let page = std::fs::read_to_string(place.path("project/talk.html")).expect("a file");
    assert!(page.contains("<p>A fine answer.</p>"), "{page}");
    say(&mut terminal, "/copy", "14 characters were sent");
    // The base64 of the reply, for the clipboard of the terminal.
    assert!(terminal.wrote("\u{1b}]52;c;QSBmaW5lIGFuc3dlci4=\u{7}"));
    quit(terminal);
}

#[test]
fn a_message_is_written_in_an_editor() {
    let place = fixture(&["Understood."]);
    let editor = place.path("edit.sh");
    std::fs::write(&editor, "#!/bin/sh\necho 'From the editor.' > \"$1\"\n").expect("a file");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&editor, executable).expect("a file");
    let editor = editor.display().to_string();
    let mut terminal = chat(&place, &[("EDITOR", &editor)]);
    terminal.type_line("/editor");
    terminal.wait_until("the message", |screen| {
        screen.ends_with("default › From the editor.")
    });
    say(&mut terminal, "", "Understood.");
    quit(terminal);
}

#[test]
fn uncommitted_changes_are_shown() {
    let place = fixture(&[]);
    let mut terminal = chat(&place, &[]);
    say(
        &mut terminal,
        "/diff",
        "the working folder is not in a Git repository",
    );
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"])
            .args(arguments)
            .current_dir(place.path("project"))
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    say(&mut terminal, "/diff", "there are no uncommitted changes");
    std::fs::write(place.path("project/README.md"), "# Notes\n\nSome.\n").expect("a file");
    let screen = say(&mut terminal, "/diff", "+Some.");
    assert!(screen.contains("-All of them."), "{screen}");
    quit(terminal);
}

#[test]
fn files_and_commands_of_the_user_reach_the_model() {
    let place = fixture(&["I see both."]);
    let mut terminal = chat(&place, &[]);
    say(
        &mut terminal,
        "!echo out; echo err >&2; exit 3",
        "exit status: 3",
    );
    let screen = terminal.screen();
    assert!(screen.contains("\nout\nerr\n"), "{screen}");
    terminal.press("Read @READ\t");
    terminal.wait_for("@README.md");
    let screen = say(&mut terminal, "", "I see both.");
    assert!(screen.contains("attached README.md"), "{screen}");
    quit(terminal);
    let state = place.path("state");
    assert!(folder_contains(
        &state,
        "The user ran this command outside of the sandbox"
    ));
    assert!(folder_contains(&state, "out\\nerr\\n\\n[exit status: 3]"));
    assert!(folder_contains(
        &state,
        "# Notes\\n\\nAll of them.\\n</attached_file>"
    ));
}

#[test]
fn a_program_that_a_command_leaves_running_is_not_awaited() {
    let place = fixture(&[]);
    let mut terminal = chat(&place, &[]);
    // The program ends with the test, since its gate is then gone.
    let command = "!while test -e README.md; do sleep 0.05; done & echo started $((1 + 1))";
    say(&mut terminal, command, "started 2");
    std::fs::remove_file(place.path("project/README.md")).expect("a file");
    quit(terminal);
}

#[test]
fn the_end_of_a_background_command_is_told() {
    if crate::isolation::skip("terminal::commands::the_end_of_a_background_command_is_told") {
        return;
    }
    let command = "while ! test -e done; do sleep 0.1; done";
    let arguments = json!({ "command": command, "background": true });
    let place = PtyFixture::new().with_recording(&[
        call_events("c1", "bash", &arguments),
        [text_events("Started."), stop_events()].concat(),
        [text_events("I know."), stop_events()].concat(),
    ]);
    let mut terminal = chat(&place, &[]);
    say(&mut terminal, "Wait for it.", "Started.");
    say(&mut terminal, "/background", "the agent reads their output");
    std::fs::write(place.path("project/done"), "").expect("a file");
    // The notice comes before the next prompt after the command has ended.
    let told = (7000..7500).find_map(|number: u32| {
        // The shell computes what is waited for, so that it is not the line that was typed.
        let command = format!("!echo $(({number} + 1000))");
        let screen = say(&mut terminal, &command, &(number + 1000).to_string());
        screen.contains("has ended (exit code 0)").then_some(screen)
    });
    let screen = told.expect("the end is told");
    assert!(screen.contains("background command `bash-1`"), "{screen}");
    terminal.wait_for_prompt();
    say(&mut terminal, "Well?", "I know.");
    quit(terminal);
    let told = "[The command in the background `bash-1` has ended (exit code 0)";
    assert!(folder_contains(&place.path("state"), told));
}
