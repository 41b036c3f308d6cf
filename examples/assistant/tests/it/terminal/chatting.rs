//! `chat`: the line editor, its commands, and going on with a conversation.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events};

fn replies_fixture(texts: &[&str]) -> PtyFixture {
    let replies: Vec<_> = texts
        .iter()
        .map(|text| [text_events(text), stop_events()].concat())
        .collect();
    PtyFixture::new().with_recording(&replies)
}

#[test]
fn a_conversation() {
    let place = replies_fixture(&["Hello. What is *your* name?", "Nice to meet you, **Ann**."]);
    let mut terminal = place.start_workshop(&["chat"]);
    terminal.wait_for_prompt();
    terminal.type_line("Hi.");
    terminal.wait_for("finished");
    terminal.wait_for_prompt();
    terminal.type_line("My name \\");
    terminal.type_line("is Ann.");
    terminal.wait_for("meet you");
    terminal.wait_for_prompt();
    terminal.type_line("/cost");
    terminal.wait_for("2,468 in");
    terminal.wait_for_prompt();
    terminal.press("\u{3}");
    terminal.wait_for("press Ctrl-D or type /quit to quit");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    insta::assert_snapshot!(format!("{screen}\nexit {code}"), @r#"
        assistant 0.1.0 · /help lists commands
        default › Hi.

        Hello. What is your name?

        — finished · 1,234 in (800 cached) · 56 out · TIME

        default › My name \
        is Ann.

        Nice to meet you, Ann.

        — finished · 1,234 in (800 cached) · 56 out · TIME

        default › /cost
        2,468 in (1,600 cached) · 112 out
        default ›
        press Ctrl-D or type /quit to quit
        default ›
        continue this session with `workshop chat --session SESSION`
        exit 0
        "#);
}

#[test]
fn commands_are_completed_and_explained() {
    let place = replies_fixture(&[]);
    let mut terminal = place.start_workshop(&["chat"]);
    terminal.wait_for_prompt();
    terminal.press("/he\t");
    terminal.wait_for("/help");
    terminal.type_line("");
    terminal.wait_for("Press Ctrl-C twice");
    terminal.wait_for_prompt();
    terminal.type_line("/mode explore");
    terminal.wait_for("explore ›");
    terminal.wait_for_prompt();
    terminal.type_line("/modes");
    terminal.wait_for("did you mean /mode?");
    terminal.wait_for_prompt();
    terminal.type_line("/tools");
    terminal.wait_for("write_note");
    insta::assert_snapshot!(terminal.wait_for_prompt(), @r#"
      /init             Have the agent write the AGENTS.md of the project
      /cost             Show the tokens and cost of this chat
      /thinking         Toggle the full reasoning of the model
      /quit             Quit (or press Ctrl-D)
    @PATH attaches a file, and Tab completes the path. !COMMAND runs a command of
    your own, outside of the sandbox; the model sees its output with the next
    message.
    Alt-Enter, Ctrl-J or a backslash at the end of a line continue the message on
    the next line. Shift-Tab changes the permission mode. Esc or Ctrl-C interrupts a
    turn; what you type meanwhile is kept: Enter queues it as the next message, and
    Tab says it to the model at work. Press Ctrl-C twice to quit.
    default › /mode explore
    explore › /modes
    unknown command /modes; did you mean /mode?
    start the line with a space to send it to the model
    explore › /tools
      bash         Runs a command line in bash and returns what it writes.
      bash_kill    Ends a command of `bash`, with all that it started.
      bash_output  Returns what a command of `bash` has written since it was last
                   looked at, and how it stands.
      build        Builds something, until the gate `built` is open.
      sleep        Does not listen to anybody for a minute.
      write_note   Writes a note.
    explore ›
    "#);
    terminal.type_line("/quit");
    assert_eq!(terminal.wait_for_exit().1, 0);
}

#[test]
fn a_never_is_shown_before_it_holds_and_can_be_taken_back() {
    let note = |id: &str| call_events(id, "write_note", &json!({ "path": id, "text": "x\n" }));
    let said = |text| [text_events(text), stop_events()].concat();
    let place = PtyFixture::new().with_recording(&[
        note("c1"),
        said("As you like."),
        note("c2"),
        said("Written."),
    ]);
    let mut terminal = place.start_workshop_in(&["chat"], &[], (60, 80));
    terminal.wait_for_prompt();
    terminal.type_line("Note it.");
    terminal.wait_for_question("Allow write_note?");
    terminal.type_line("never");
    let screen = terminal.wait_for_question("go back");
    let (_, shown) = screen.split_once("> never").expect("the answer");
    insta::assert_snapshot!(shown, @r#"

      Calls that match these rules are denied, in this session:
        write_note
      Remove them with /permissions remove RULE in a chat.
      [y] yes  [n] no, go back
      >
    "#);
    terminal.type_line("yes");
    terminal.wait_for("As you like.");
    terminal.wait_for_prompt();
    terminal.type_line("/permissions");
    terminal.wait_for("write_note  denied");
    terminal.wait_for_prompt();
    terminal.type_line("/permissions remove 'write_note'");
    terminal.wait_for("the rule was removed");
    terminal.wait_for_prompt();
    terminal.type_line("Note it now.");
    terminal.wait_until("the second question", |screen| {
        screen.matches("Allow write_note?").count() == 2
    });
    terminal.type_line("ok");
    terminal.wait_for("Written.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, _) = terminal.wait_for_exit();
    assert!(screen.contains("✓ write_note path: c2"), "{screen}");
}

#[test]
fn what_was_typed_comes_back() {
    let place = replies_fixture(&["One.", "Two."]);
    let mut terminal = place.start_workshop(&["chat"]);
    terminal.wait_for_prompt();
    terminal.type_line("count for me");
    terminal.wait_for("finished");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    terminal.wait_for_exit();
    let history = place.path("state/assistant/history");
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&history).expect("a file"));
    assert_eq!(mode & 0o777, 0o600);
    let mut terminal = place.start_workshop(&["chat"]);
    terminal.wait_for_prompt();
    terminal.press("\u{1b}[A");
    terminal.wait_for("› count for me");
    terminal.type_line("");
    terminal.wait_for("finished");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    terminal.wait_for_exit();
}

#[test]
fn the_last_exchange_can_be_taken_back() {
    let place = replies_fixture(&["One.", "Two.", "Three."]);
    let mut terminal = place.start_workshop(&["chat"]);
    for (index, (said, answer)) in [("first", "One."), ("second", "Two.")].iter().enumerate() {
        terminal.wait_for_prompt();
        terminal.type_line(said);
        terminal.wait_for(answer);
        terminal.wait_until("the end", |screen| {
            screen.matches("finished").count() == index + 1
        });
    }
    terminal.wait_for_prompt();
    terminal.type_line("/undo");
    terminal.wait_for("undone: second");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    terminal.wait_for_exit();
    // What goes on is the copy, which has one turn.
    let mut terminal = place.start_workshop(&["chat", "--continue"]);
    terminal.wait_for("continuing first (1 turn)");
    terminal.wait_for_prompt();
    terminal.type_line("/sessions");
    let screen = terminal.wait_for("continue a session with");
    terminal.wait_for_prompt();
    assert_eq!(screen.matches("  first").count(), 2, "{screen}");
    terminal.press("\u{4}");
    terminal.wait_for_exit();
}

#[test]
fn what_a_crash_cut_off_is_offered_to_go_on_with() {
    let place = PtyFixture::new().with_recording(&[call_events("c1", "build", &json!({}))]);
    let mut terminal = place.start_workshop(&["chat"]);
    terminal.wait_for_prompt();
    terminal.type_line("Build it.");
    terminal.wait_for("Compiling");
    terminal.kill();
    let place = place.with_recording(&[[text_events("It was cut off."), stop_events()].concat()]);
    place.open_gate("built");
    let mut terminal = place.start_workshop(&["chat", "--continue"]);
    insta::assert_snapshot!(terminal.wait_for("[Y/n]"), @r#"
        assistant 0.1.0 · /help lists commands
        continuing Build it. (1 turn)
        the last turn is not finished; interrupted calls: build
        Resume the turn? [Y/n]
        "#);
    terminal.type_line("");
    terminal.wait_for("finished");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, _) = terminal.wait_for_exit();
    let (_, after) = screen.split_once("[Y/n]").expect("the answer");
    insta::assert_snapshot!(after, @r#"

        ✓ build
            built 7 of 7

        It was cut off.

        — finished · 1,234 in (800 cached) · 56 out · TIME

        default ›
        continue this session with `workshop chat --session SESSION`
        "#);
}

#[test]
fn without_a_terminal_there_is_no_chat() {
    let place = replies_fixture(&[]);
    let output = Command::new(env!("CARGO_BIN_EXE_assistant"))
        .args(["chat"])
        .current_dir(place.path("project"))
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r#"
    error: `chat` needs a terminal on standard input and output
    help: use `assistant run PROMPT`, or `assistant run -` to read the prompt from a pipe
    "#);
}

#[test]
fn without_a_model_there_is_advice() {
    let place = replies_fixture(&[]);
    let (screen, code) = place.start_assistant(&["chat"]).wait_for_exit();
    assert!(
        screen.starts_with("error: no model is selected"),
        "{screen}"
    );
    assert_eq!(code, 2);
}

#[test]
fn a_skill_that_has_just_been_written_is_listed_and_started() {
    let place = replies_fixture(&["I will fill it."]);
    let mut terminal = place.start_workshop(&["chat"]);
    terminal.wait_for_prompt();
    let text = "---\nname: pdf\ndescription: Fills forms.\n---\n\nFill the form $ARGUMENTS.\n";
    place.write("project/.agents/skills/pdf/SKILL.md", text);
    terminal.type_line("/skills");
    terminal.wait_for("Fills forms.");
    terminal.wait_for_prompt();
    terminal.type_line("/pdf a.pdf now");
    terminal.wait_for("I will fill it.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (_, code) = terminal.wait_for_exit();
    assert_eq!(code, 0);
    assert!(folder_contains(
        &place.path("state"),
        "Fill the form a.pdf now."
    ));
}

/// Looks for a text in the files below a folder.
pub(crate) fn folder_contains(folder: &std::path::Path, text: &str) -> bool {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.flatten().any(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => folder_contains(&path, text),
            false => std::fs::read(&path)
                .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text)),
        }
    })
}

#[test]
fn a_chat_starts_with_the_prompt_of_the_command_line() {
    let place = replies_fixture(&["Hello.", "Bye."]);
    let mut terminal = place.start_workshop(&["chat", "Good morning."]);
    terminal.wait_for("finished");
    terminal.wait_for_prompt();
    terminal.type_line("Good night.");
    terminal.wait_for("Bye.");
    terminal.wait_for_prompt();
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    let place_of = |text: &str| {
        screen
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {screen}"))
    };
    assert!(place_of("Hello.") < place_of("Good night."), "{screen}");
}
