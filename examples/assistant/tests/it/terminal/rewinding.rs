//! `/rewind` and `/undo` in a chat: the files and the conversation go back.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::terminal::pty::{PtyFixture, PtySession, call_events, stop_events, text_events};

/// All that is below a folder: kinds, permissions, contents.
fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let stat = fs::symlink_metadata(&path).expect("it is there");
            let mode = stat.permissions().mode();
            let text = if stat.is_dir() {
                pending.push(path.clone());
                format!("{mode:o}")
            } else if stat.is_symlink() {
                format!("to {}", fs::read_link(&path).expect("a link").display())
            } else {
                format!("{mode:o} {:?}", fs::read(&path).expect("a file"))
            };
            found.insert(path, text);
        }
    }
    found
}

/// A reply of calls, one after the other, and the final words.
fn turn(calls: &[(&str, Value)], said: &str) -> Vec<Vec<Value>> {
    let calls = calls.iter().enumerate();
    let replies =
        calls.map(|(index, (name, arguments))| call_events(&format!("c{index}"), name, arguments));
    let end = [text_events(said), stop_events()].concat();
    replies.chain([end]).collect()
}

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({ "path": path, "content": content }))
}

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    let arguments = json!({ "path": path, "old_string": old, "new_string": new });
    ("edit_file", arguments)
}

fn run(command: &str) -> (&'static str, Value) {
    ("bash", json!({ "command": command }))
}

fn start(place: &PtyFixture, more: &[&str]) -> PtySession {
    let recording = place.path("replies.jsonl").display().to_string();
    let arguments = ["chat", "--replay", &recording, "--mode", "bypass"];
    let arguments = [&arguments[..], more].concat();
    let binary = env!("CARGO_BIN_EXE_assistant");
    let own = [
        ("HOME", place.path("home").display().to_string()),
        ("HELVE_STATE", place.path("state").display().to_string()),
    ];
    let own = own.each_ref().map(|(name, value)| (*name, value.as_str()));
    let terminal =
        PtySession::in_folder(&place.path("project"), binary, &arguments, &own, (50, 100));
    terminal.wait_for_prompt();
    terminal
}

/// Types a line, and waits for a text and the next prompt.
fn say(terminal: &mut PtySession, line: &str, text: &str) -> String {
    terminal.type_line(line);
    terminal.wait_for(text);
    terminal.wait_for_prompt()
}

/// Types a line, and waits for the question that follows.
fn ask(terminal: &mut PtySession, line: &str, question: &str) -> String {
    terminal.type_line(line);
    terminal.wait_until(question, |screen| {
        screen
            .lines()
            .last()
            .is_some_and(|line| line.contains(question))
    })
}

fn quit(mut terminal: PtySession) {
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
}

/// A project with some files, of which one can be executed and one has the line breaks of Windows.
fn project(replies: &[Vec<Value>]) -> PtyFixture {
    let place = PtyFixture::new().with_recording(replies);
    fs::create_dir(place.path("project/docs")).expect("a folder");
    fs::write(
        place.path("project/docs/plan.md"),
        "one\r\ntwo\r\nthree\r\n",
    )
    .expect("a file");
    fs::write(place.path("project/run.sh"), "#!/bin/sh\necho one\n").expect("a file");
    fs::write(place.path("project/data.bin"), [0, 255, 10, 13]).expect("a file");
    let mode = fs::Permissions::from_mode(0o751);
    fs::set_permissions(place.path("project/run.sh"), mode).expect("a mode");
    place
}

fn ten_edits_and_a_command() -> Vec<(&'static str, Value)> {
    let patch = "*** Begin Patch\n*** Update File: docs/plan.md\n*** Move to: plan/final.md\n@@\n one\n-zwei\n+2\n \
                 three\n*** Add File: added.txt\n+added\n*** End Patch";
    vec![
        edit("docs/plan.md", "two", "zwei"),
        edit("run.sh", "echo one", "echo two"),
        edit("run.sh", "echo two", "echo three"),
        write("new.txt", "new\n"),
        edit("new.txt", "new", "newer"),
        write("src/deep/er.rs", "fn main() {}\n"),
        edit("src/deep/er.rs", "main", "mains"),
        ("apply_patch", json!({ "patch": patch })),
        edit("README.md", "All of them.", "None of them."),
        edit("added.txt", "added", "changed"),
        run(
            "echo by a command >> new.txt; chmod 600 run.sh; rm data.bin README.md; mkdir -p out/x; \
             echo built > out/x/y; ln -s out/x latest",
        ),
    ]
}

#[test]
fn ten_edits_and_a_command_are_taken_back_byte_by_byte() {
    if crate::isolation::skip("terminal::rewinding::ten_edits_and_a_command") {
        return;
    }
    let first = turn(&[write("kept.txt", "of the first message\n")], "Kept.");
    let second = turn(&ten_edits_and_a_command(), "All done.");
    let place = project(&[first, second].concat());
    let start_tree = tree(&place.path("project"));
    let mut terminal = start(&place, &[]);
    say(&mut terminal, "Keep it.", "finished");
    let middle_tree = tree(&place.path("project"));
    terminal.type_line("Change it all.");
    terminal.wait_for("All done.");
    terminal.wait_for_prompt();
    let end_tree = tree(&place.path("project"));
    assert!(
        end_tree.contains_key(&place.path("project/latest")),
        "{}",
        terminal.screen()
    );
    assert!(
        end_tree.contains_key(&place.path("project/plan/final.md")),
        "{}",
        terminal.screen()
    );

    terminal.type_line("/clear");
    terminal.wait_for("the next message starts a new session");
    terminal.wait_for_prompt();
    say(&mut terminal, "/rewind", "there is nothing to rewind");
    quit(terminal);

    // Another process goes back.
    let mut terminal = start(&place, &["--continue"]);
    let screen = ask(&mut terminal, "/rewind", "Back to before which message?");
    assert!(screen.contains("  1  Change it all. · "), "{screen}");
    assert!(screen.contains("  2  Keep it. · "), "{screen}");
    ask(&mut terminal, "1", "What goes back?");
    let screen = ask(&mut terminal, "both", "and go back in the conversation?");
    assert!(
        screen.contains("changed while `echo by a command"),
        "{screen}"
    );
    assert!(!screen.contains("another program"), "{screen}");
    say(&mut terminal, "y", "rewound to before: Change it all.");
    assert_eq!(tree(&place.path("project")), middle_tree);

    // The rewind is taken back, and then everything is.
    ask(&mut terminal, "/undo", "and go back in the conversation?");
    say(&mut terminal, "y", "undone: the last rewind");
    assert_eq!(tree(&place.path("project")), end_tree);
    ask(&mut terminal, "/rewind 2 files", "Restore ");
    say(&mut terminal, "y", "the files are as before: Keep it.");
    assert_eq!(tree(&place.path("project")), start_tree);
    ask(&mut terminal, "/undo", "Restore ");
    say(&mut terminal, "y", "undone: the last rewind");
    assert_eq!(tree(&place.path("project")), end_tree);
    quit(terminal);
}

#[test]
fn what_a_person_changed_since_is_asked_about() {
    let calls = [
        edit("README.md", "All", "None"),
        edit("run.sh", "one", "two"),
    ];
    let place = project(&turn(&calls, "Done."));
    let mut terminal = start(&place, &[]);
    say(&mut terminal, "Change it.", "finished");
    fs::write(place.path("project/README.md"), "by a person\n").expect("a file");
    let question = "1 of these was also changed by you or another program.";
    let screen = ask(&mut terminal, "/undo", question);
    assert!(screen.contains("also changed by you"), "{screen}");
    ask(
        &mut terminal,
        "n",
        "Restore 1 entry, and go back in the conversation?",
    );
    say(&mut terminal, "y", "undone: Change it.");
    let read = |path: &str| fs::read_to_string(place.path(path)).expect("a file");
    assert_eq!(read("project/README.md"), "by a person\n");
    assert_eq!(read("project/run.sh"), "#!/bin/sh\necho one\n");
    quit(terminal);
}

#[test]
fn nothing_goes_back_without_a_yes() {
    let change = turn(&[edit("run.sh", "one", "two")], "Done.");
    let place = project(&[turn(&[], "First."), turn(&[], "Second."), change].concat());
    let mut terminal = start(&place, &[]);
    say(&mut terminal, "Hello.", "First.");
    say(&mut terminal, "Hello again.", "Second.");
    say(&mut terminal, "Change it.", "Done.");
    let after = tree(&place.path("project"));
    let screen = ask(&mut terminal, "/rewind", "Back to before which message?");
    for (number, text) in [(1, "Change it."), (2, "Hello again."), (3, "Hello.")] {
        let row = format!("  {number}  {text} · 1 file changed since");
        assert!(screen.contains(&row), "{row}:\n{screen}");
    }
    say(&mut terminal, "", "no message was chosen");
    say(
        &mut terminal,
        "/rewind 1 everything",
        "choose conversation, files or both",
    );
    ask(&mut terminal, "/rewind 1 both", "Restore 1 entry");
    say(&mut terminal, "", "nothing was rewound");
    assert_eq!(tree(&place.path("project")), after);
    quit(terminal);
}

#[test]
fn without_a_history_the_conversation_goes_back_alone() {
    let place = project(&turn(&[edit("run.sh", "one", "two")], "Done."));
    let mut terminal = start(&place, &["--no-session"]);
    say(&mut terminal, "Change it.", "finished");
    say(
        &mut terminal,
        "/rewind 1 both",
        "the files of that message are not known",
    );
    say(
        &mut terminal,
        "/undo",
        "undone: Change it.; changes of files are not known",
    );
    quit(terminal);
}
