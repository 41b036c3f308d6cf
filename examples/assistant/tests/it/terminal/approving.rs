//! Questions: what is shown of a call, and what an answer does.

use serde_json::json;

use crate::terminal::chatting::folder_contains;
use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events, wait_event};

const RUN: [&str; 3] = ["run", "Do it.", "--no-session"];
/// The prompt of a question.
const PROMPT: &str = "\n  >";

fn note_fixture() -> PtyFixture {
    let text = "# Notes\n\nBuy bread.\nCall Ann.\nCall Bob.\n";
    let arguments = json!({ "path": "notes.md", "text": text });
    PtyFixture::new().with_recording(&[
        [
            text_events("I'll write it down."),
            call_events("c1", "write_note", &arguments),
        ]
        .concat(),
        [text_events("Noted."), stop_events()].concat(),
    ])
}

#[test]
fn a_change_is_asked_about_with_its_diff() {
    let place = note_fixture();
    let mut terminal = place.start_workshop(&RUN);
    insta::assert_snapshot!(terminal.wait_for(PROMPT), @r#"
        > Do it.

        I'll write it down.

        ? Allow write_note?
            notes.md  +2 -1
            @@ -1,4 +1,5 @@
             # Notes

            -Buy milk.
            +Buy bread.
             Call Ann.
            +Call Bob.
          Reason: it changes `notes.md`
          [y] yes, once  [e] edit the arguments
          [a] always in this session: write_note
          [p] always in this project  [u] always in all projects
          [n] no  [never] no, never in this session
          or type what to do instead
          >
        "#);
    // One letter that means nothing is a slip of the finger.
    terminal.type_line("k");
    terminal.wait_for_question("  Answer y");
    terminal.type_line("y");
    let (screen, code) = terminal.wait_for_exit();
    let (_, after) = screen.split_once("  Answer").expect("the answer");
    insta::assert_snapshot!(format!("{after}\nexit {code}"), @r#"
         y, e, a, p, u, n or never, or type what to do instead.
          > y

        ✓ write_note path: notes.md · text: # Notes …
            notes.md has 5 lines

        Noted.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        exit 0
        "#);
}

#[test]
fn a_long_change_is_shown_whole_on_request() {
    let text: String = (1..=40).map(|number| format!("Line {number}.\n")).collect();
    let arguments = json!({ "path": "notes.md", "text": text });
    let place = PtyFixture::new().with_recording(&[
        call_events("c1", "write_note", &arguments),
        [text_events("Noted."), stop_events()].concat(),
    ]);
    let mut terminal = place.start_workshop_in(&RUN, &[], (100, 80));
    let screen = terminal.wait_for_question("more lines, press [d] to show all");
    assert!(!screen.contains("+Line 40."), "{screen}");
    terminal.type_line("d");
    terminal.wait_for_question("+Line 40.");
    terminal.type_line("yes");
    assert_eq!(terminal.wait_for_exit().1, 0);
}

#[test]
fn a_narrow_window_asks_too() {
    let place = note_fixture();
    let mut terminal = place.start_workshop_in(&RUN, &[], (26, 40));
    insta::assert_snapshot!(terminal.wait_for(PROMPT), @r#"
        > Do it.

        I'll write it down.

        ? Allow write_note?
            notes.md  +2 -1
            @@ -1,4 +1,5 @@
             # Notes

            -Buy milk.
            +Buy bread.
             Call Ann.
            +Call Bob.
          Reason: it changes `notes.md`
          [y] yes, once  [e] edit the arguments
          [a] always in this session: write_note
          [p] always in this project  [u] always
              in all projects
          [n] no  [never] no, never in this
              session
          or type what to do instead
          >
        "#);
    terminal.type_line("n");
    terminal.wait_for_exit();
}

/// Makes a program that replaces a text in the file that it gets.
fn editor(place: &PtyFixture, from: &str, to: &str) -> String {
    let path = place.path("edit.sh");
    let script = format!("#!/bin/sh\nsed -i 's/{from}/{to}/' \"$1\"\n");
    std::fs::write(&path, script).expect("a file");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("a file");
    path.display().to_string()
}

#[test]
fn the_arguments_are_changed_in_an_editor() {
    let place = note_fixture();
    let editor = editor(&place, "bread", "rolls");
    let mut terminal = place.start_workshop_in(&RUN, &[("EDITOR", &editor)], (60, 80));
    terminal.wait_for_question("+Buy bread.");
    terminal.type_line("e");
    terminal.wait_for_question("+Buy rolls.");
    terminal.type_line("y");
    let (screen, code) = terminal.wait_for_exit();
    let (_, after) = screen.rsplit_once("> y").expect("the answer");
    insta::assert_snapshot!(format!("{after}\nexit {code}"), @r##"

        ✓ write_note path: notes.md · text: # Notes …
            notes.md has 5 lines
            The user changed the arguments of this call. It was made with: {"path":"not…

        Noted.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        exit 0
        "##);
}

#[test]
fn the_arguments_are_changed_on_a_line() {
    let arguments = json!({ "path": "notes.md", "text": "x" });
    let place = PtyFixture::new().with_recording(&[
        call_events("c1", "write_note", &arguments),
        [text_events("Noted."), stop_events()].concat(),
    ]);
    let mut terminal = place.start_workshop_in(&RUN, &[], (60, 80));
    terminal.wait_for_question("Allow write_note?");
    terminal.type_line("e");
    terminal.wait_for(r#"arguments: {"path":"notes.md","text":"x"}"#);
    // It is no JSON object any more, and the question is asked again.
    terminal.press("}\r");
    terminal.wait_for_question("the arguments are not a JSON object");
    terminal.type_line("e");
    terminal.wait_until("the line", |screen| {
        screen.matches("arguments: {").count() == 2
    });
    terminal.press("\u{7f}\u{7f}y\"}\r");
    terminal.wait_until("the second call", |screen| {
        screen.matches("Allow write_note?").count() == 3 && screen.ends_with("\n  >")
    });
    terminal.type_line("n");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0);
    assert!(screen.contains("+xy"), "{screen}");
    assert!(screen.contains("Tool call rejected by user"), "{screen}");
    let told = "The user changed the arguments of this call. It was made with: {";
    assert!(screen.contains(told), "{screen}");
}

#[test]
fn a_refusal_and_what_to_do_instead() {
    let place = note_fixture();
    let mut terminal = place.start_workshop(&RUN);
    terminal.wait_for(PROMPT);
    terminal.type_line("put it into todo.md");
    let (screen, code) = terminal.wait_for_exit();
    let (_, after) = screen.split_once(PROMPT).expect("the answer");
    insta::assert_snapshot!(format!("{after}\nexit {code}"), @r#"
         put it into todo.md

        ✗ write_note path: notes.md · text: # Notes …
            Tool call rejected by user: put it into todo.md

        Noted.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        exit 0
        "#);
}

#[test]
fn a_command_is_asked_about_part_by_part() {
    if crate::isolation::skip("terminal::approving::a_command_is_asked_about_part_by_part") {
        return;
    }
    let command = "ls -la && cargo fetch && git commit -m x && git push";
    let mut call = vec![wait_event("speaks")];
    call.extend(text_events("One moment."));
    call.push(wait_event("asks"));
    call.extend(call_events("c1", "bash", &json!({ "command": command })));
    let place = PtyFixture::new()
        .with_recording(&[call, [text_events("As you like."), stop_events()].concat()]);
    let allowed = [&RUN[..], &["--allow", "bash(cargo fetch:*)"]].concat();
    let mut terminal = place.start_workshop(&allowed);
    terminal.wait_for("waiting for the model");
    // Typed before there was a question: no answer to it.
    terminal.type_line("y");
    place.open_gate("speaks");
    terminal.wait_for("One moment.");
    place.open_gate("asks");
    insta::assert_snapshot!(terminal.wait_for(PROMPT), @"
    > Do it.

    One moment.

    ? Allow bash?
        ls -la && cargo fetch && git commit -m x && git push
        Commits to push:
        the commits cannot be listed: not a git repository
      Parts:
        read-only  ls -la
        allowed    cargo fetch
        ask        git commit -m x
        ask        git push
      Reason: it may change something, and may reach the outside world (medium risk)
      [y] yes, once  [e] edit the arguments
      [a] always in this session, with all of these rules, or one of them:
      [a1] bash(git commit:*)
      [a2] bash(git push:*)
      [p] always in this project  [u] always in all projects
      [n] no  [never] no, never in this session
      or type what to do instead
      >
    ");
    terminal.type_line("never2");
    terminal.wait_for_question("go back");
    terminal.type_line("y");
    let (screen, _) = terminal.wait_for_exit();
    let (_, after) = screen.split_once(PROMPT).expect("the answer");
    insta::assert_snapshot!(after, @r#"
         never2
          Calls that match these rules are denied, in this session:
            bash(git push:*)
          Remove them with /permissions remove RULE in a chat.
          [y] yes  [n] no, go back
          > y

        ✗ bash ls -la && cargo fetch && git commit -m x && git push
            Tool call rejected by user

        As you like.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        "#);
}

#[test]
fn an_answer_for_the_session_is_not_asked_again() {
    let note = |id: &str| call_events(id, "write_note", &json!({ "path": id, "text": "x\n" }));
    let place = PtyFixture::new().with_recording(&[
        note("c1"),
        note("c2"),
        [text_events("Both."), stop_events()].concat(),
    ]);
    let mut terminal = place.start_workshop_in(&RUN, &[], (60, 80));
    terminal.wait_for(PROMPT);
    terminal.type_line("a");
    // The rule is shown before it holds; who thinks better of it is asked again.
    terminal.wait_for_question("go back");
    terminal.type_line("n");
    terminal.type_line("a");
    terminal.wait_for_question("go back");
    terminal.type_line("ok");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0);
    assert_eq!(screen.matches("Allow write_note?").count(), 1, "{screen}");
    assert!(screen.contains("✓ write_note path: c2"), "{screen}");
}

#[test]
fn an_answer_for_the_project_or_the_user_is_kept() {
    for (answer, folder) in [("p", "project"), ("u", "home")] {
        let place = note_fixture();
        let mut terminal = place.start_workshop_in(&RUN, &[], (60, 80));
        terminal.wait_for_question("Allow write_note?");
        terminal.type_line(answer);
        terminal.wait_for_question("go back");
        terminal.type_line("y");
        assert_eq!(terminal.wait_for_exit().1, 0);
        assert!(folder_contains(&place.path(folder), "write_note"));
        let (screen, code) = place.start_workshop_in(&RUN, &[], (60, 80)).wait_for_exit();
        assert_eq!(code, 0, "{screen}");
        assert!(!screen.contains("Allow write_note?"), "{screen}");
    }
}

#[test]
fn a_question_waits_as_long_as_the_settings_say() {
    let place = note_fixture();
    std::fs::write(place.path("project/helve.toml"), "approval.timeout = 1\n").expect("a file");
    let terminal = place.start_workshop(&RUN);
    let (screen, _) = terminal.wait_for_exit();
    let (_, after) = screen.split_once(PROMPT).expect("the question");
    insta::assert_snapshot!(after, @r#"
    ✗ write_note path: notes.md · text: # Notes …
        Tool call rejected by user: no answer within 1 second

    Noted.

    — finished · 1,234 in (800 cached) · 56 out · TIME
    "#);
}

#[test]
fn a_question_without_a_timeout_waits() {
    let place = note_fixture();
    std::fs::write(
        place.path("project/helve.toml"),
        "approval.timeout = \"none\"\n",
    )
    .expect("a file");
    let mut terminal = place.start_workshop(&RUN);
    terminal.wait_for(PROMPT);
    terminal.type_line("y");
    let (screen, code) = terminal.wait_for_exit();
    assert!(screen.contains("notes.md has 5 lines"), "{screen}");
    assert_eq!(code, 0);
}
