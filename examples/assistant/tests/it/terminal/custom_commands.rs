//! Commands of files: how they are held, accepted, listed, completed and sent.

use serde_json::json;

use crate::terminal::chatting::folder_contains;
use crate::terminal::pty::{PtyFixture, PtySession, call_events, stop_events, text_events};

fn replies(texts: &[&str]) -> PtyFixture {
    let replies: Vec<_> = texts
        .iter()
        .map(|text| [text_events(text), stop_events()].concat())
        .collect();
    PtyFixture::new().with_recording(&replies)
}

fn chat(place: &PtyFixture, columns: u16) -> PtySession {
    let terminal = place.start_workshop_in(&["chat"], &[], (60, columns));
    terminal.wait_for_prompt();
    terminal
}

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

const REVIEW: &str = "---\ndescription: Review a file: all of it\nargument-hint: FILE [FOCUS]\n\
                      allowed-tools: Read, Bash(git diff:*)\n---\nReview $1 for $2, see @README.md and @/etc/hostname.\n";

#[test]
fn a_command_of_the_project_is_accepted_at_its_first_use() {
    let place = replies(&["Reviewed.", "Again.", "Mine."]);
    place.write("project/.claude/commands/review.md", REVIEW);
    place.write("home/.agents/commands/hello.md", "Say hello.");
    let mut terminal = chat(&place, 100);
    terminal.type_line("/review main.rs 'all bugs'");
    let screen = terminal.wait_for_question("Accept it until it changes?");
    let (_, shown) = screen.split_once("bugs'").expect("the line");
    insta::assert_snapshot!(shown, @r#"

    the command of `PLACE/project/.claude/commands/review.md`
    + command `review` (new)
        ---
        description: Review a file: all of it
        argument-hint: FILE [FOCUS]
        allowed-tools: Read, Bash(git diff:*)
        ---
        Review $1 for $2, see @README.md and @/etc/hostname.
    ? The project defines this command. Accept it until it changes?
      [y] yes  [n] no
      >
    "#);
    say(
        &mut terminal,
        "n",
        "the command was not accepted, and did not run",
    );
    terminal.type_line("/review main.rs 'all bugs'");
    terminal.wait_until("the second question", |screen| {
        screen.matches("Accept it until").count() == 2 && screen.ends_with("\n  >")
    });
    let screen = say(&mut terminal, "y", "Reviewed.");
    assert!(
        screen.contains("`@/etc/hostname` is sent as text: it is outside"),
        "{screen}"
    );
    assert!(
        screen
            .replace('\n', " ")
            .contains("`allowed-tools`: this program has no tool for `Read`"),
        "{screen}"
    );
    // It is not asked again until the file changes.
    say(&mut terminal, "/project:review lib.rs style", "Again.");
    place.write(
        "project/.claude/commands/review.md",
        &format!("{REVIEW}Now.\n"),
    );
    terminal.type_line("/review x y");
    terminal.wait_for_question("The command has changed.");
    terminal.wait_for("+Now.");
    say(&mut terminal, "n", "did not run\n");
    // The commands of the user need no acceptance.
    say(&mut terminal, "/hello to Ann", "Mine.");
    quit(terminal);
    let state = place.path("state");
    for text in [
        "Review main.rs for all bugs, see @README.md",
        "All of them.\\n</attached_file>",
        "Review lib.rs for style",
        "Say hello.\\n\\nARGUMENTS: to Ann",
    ] {
        assert!(folder_contains(&state, text), "{text}");
    }
}

#[test]
fn commands_are_listed_apart_and_completed() {
    let place = replies(&["Hi."]);
    place.write("project/.claude/commands/web/deploy-the-site.md", REVIEW);
    place.write("project/.agents/commands/help.md", "Help me.");
    place.write("project/.agents/commands/empty.md", "");
    place.write(
        "home/.claude/commands/hello.md",
        "---\nmodel:\n---\nSay hello.",
    );
    let mut terminal = chat(&place, 40);
    let screen = say(&mut terminal, "/help", "Press Ctrl-C twice");
    let (_, shown) = screen.split_once("Ctrl-D)").expect("the last command");
    let (shown, notes) = shown.split_once('`').expect("the notes");
    let notes = notes.replace('\n', " ");
    assert!(
        notes.contains("defines no command: it has no prompt"),
        "{notes}"
    );
    assert!(notes.contains("line 2: `model` has no value"), "{notes}");
    insta::assert_snapshot!(shown, @"

    Commands of the project and of your own:
      /project:help  Help me. (project, not
                     accepted)
      /deploy-the-site FILE [FOCUS]
                     Review a file: all of
                     it (project:web, not
                     accepted)
      /hello         Say hello. (user)
    ");
    terminal.press("/hel\t\t");
    terminal.wait_for("hello");
    terminal.press("lo\r");
    terminal.wait_for("Hi.");
    terminal.wait_for_prompt();
    quit(terminal);
}

#[test]
fn a_command_line_of_a_command_runs_in_the_sandbox() {
    if crate::isolation::skip(
        "terminal::custom_commands::a_command_line_of_a_command_runs_in_the_sandbox",
    ) {
        return;
    }
    let place = replies(&["Seen.", "Not sent."]);
    let text = "Look: !`echo $((6 * 7)); cat README.md`\nAnd: $ARGUMENTS";
    place.write("home/.claude/commands/look.md", text);
    place.write("home/.claude/commands/write.md", "!`touch made`");
    place.write(
        "home/.claude/commands/limited.md",
        "---\nallowed-tools: build\n---\n!`ls`",
    );
    let mut terminal = chat(&place, 100);
    say(&mut terminal, "/look !`touch injected`", "Seen.");
    terminal.type_line("/write");
    terminal.wait_for_question("touch made");
    say(
        &mut terminal,
        "n",
        "nothing was sent: Tool call rejected by user",
    );
    say(
        &mut terminal,
        "/limited",
        "its `allowed-tools` does not name `bash`",
    );
    quit(terminal);
    assert!(!place.path("project/made").exists());
    assert!(!place.path("project/injected").exists());
    let state = place.path("state");
    assert!(folder_contains(&state, "42\\n# Notes"));
    assert!(folder_contains(&state, "And: !`touch injected`"));
}

#[test]
fn the_tools_of_a_turn_are_limited() {
    let note = call_events("c1", "write_note", &json!({ "path": "a", "text": "b" }));
    let end = [text_events("No tool."), stop_events()].concat();
    let place = PtyFixture::new().with_recording(&[note, end]);
    place.write(
        "home/.claude/commands/look.md",
        "---\nallowed-tools: build\n---\nLook.",
    );
    let mut terminal = chat(&place, 100);
    let screen = say(&mut terminal, "/look", "No tool.");
    assert!(screen.contains("✗ write_note"), "{screen}");
    quit(terminal);
}

#[test]
fn the_calls_of_a_turn_are_limited_to_a_scope() {
    if crate::isolation::skip("terminal::custom_commands::the_calls_of_a_turn") {
        return;
    }
    let touch =
        |name: &str| call_events("c1", "bash", &json!({ "command": format!("touch {name}") }));
    let end = |text: &str| [text_events(text), stop_events()].concat();
    let replies = [
        touch("first"),
        end("Denied."),
        touch("second"),
        end("Touched."),
    ];
    let place = PtyFixture::new().with_recording(&replies);
    let text = "---\nallowed-tools: Bash(git:*)\n---\nLook.";
    place.write("home/.claude/commands/look.md", text);
    let arguments = ["chat", "--mode", "bypass"];
    let mut terminal = place.start_workshop_in(&arguments, &[], (60, 100));
    terminal.wait_for_prompt();
    say(&mut terminal, "/look", "Denied.");
    // The limit is that of one turn.
    say(&mut terminal, "Go on.", "Touched.");
    quit(terminal);
    let state = place.path("state");
    assert!(folder_contains(&state, "only as `bash(git:*)`"));
    assert!(!place.path("project/first").exists());
    assert!(place.path("project/second").exists());
}

#[test]
fn a_run_sends_commands_and_refuses_those_that_are_held() {
    let place = replies(&["Reviewed."]);
    place.write("project/.claude/commands/review.md", "Review $1.");
    let run = ["run", "/review x", "--no-session", "--json"];
    let (screen, code) = place
        .start_workshop_in(&run, &[], (40, 100))
        .wait_for_exit();
    assert_eq!(code, 1);
    insta::assert_snapshot!(screen, @"
    error: the command of `PLACE/project/.claude/commands/review.md` did not run: you have not accepted it
    help: run `workshop permissions trust` to review and accept the file
    ");
    let trust = ["permissions", "trust", "--yes"];
    let (screen, code) = place
        .start_workshop_in(&trust, &[], (40, 100))
        .wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("+ command `review` (new)"), "{screen}");
    let run = ["run", "/review x", "--no-session"];
    let (screen, code) = place
        .start_workshop_in(&run, &[], (40, 100))
        .wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("> Review x."), "{screen}");
    // What names no command is sent as it is.
    let place = replies(&["A file."]);
    let run = ["run", "/etc/passwd is what?", "--no-session"];
    let (screen, _) = place
        .start_workshop_in(&run, &[], (40, 100))
        .wait_for_exit();
    assert!(screen.contains("> /etc/passwd is what?"), "{screen}");
}
