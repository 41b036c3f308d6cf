//! Questions: what is shown of a call, and what an answer does.

use serde_json::json;

use crate::terminal::pty::{Place, calls, ends, says, waits};

const RUN: [&str; 3] = ["run", "Do it.", "--no-session"];
/// The prompt of a question.
const ASKS: &str = "\n  >";

fn note() -> Place {
    let text = "# Notes\n\nBuy bread.\nCall Ann.\nCall Bob.\n";
    let arguments = json!({ "path": "notes.md", "text": text });
    Place::new().recording(&[
        [
            says("I'll write it down."),
            calls("c1", "write_note", &arguments),
        ]
        .concat(),
        [says("Noted."), ends()].concat(),
    ])
}

#[test]
fn a_change_is_asked_about_with_its_diff() {
    let place = note();
    let mut terminal = place.workshop(&RUN);
    insta::assert_snapshot!(terminal.wait_for(ASKS), @r#"
        > Do it.

        I'll write it down.

        ? May write_note run?
            notes.md  +2 -1
            @@ -1,4 +1,5 @@
             # Notes

            -Buy milk.
            +Buy bread.
             Call Ann.
            +Call Bob.
          Why it asks: it changes `notes.md`
          [y] yes, this once
          [a] always in this session: write_note
          [p] always in this project  [u] always for me
          [n] no  [never] no, and not again in this session
          or write what should be done instead
          >
        "#);
    // One letter that means nothing is a slip of the finger.
    terminal.enter("k");
    terminal.wait_for_question("Please answer");
    terminal.enter("y");
    let (screen, code) = terminal.end();
    let (_, after) = screen.split_once("Please answer").expect("the answer");
    insta::assert_snapshot!(format!("{after}\nexit {code}"), @r#"
         y, a, p, u, n or never, or say what to do instead.
          > y

        ✓ write_note path: notes.md · text: # Notes …
            notes.md has 5 lines

        Noted.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        exit 0
        "#);
}

#[test]
fn a_narrow_window_asks_too() {
    let place = note();
    let mut terminal = place.workshop_in(&RUN, &[], (26, 40));
    insta::assert_snapshot!(terminal.wait_for(ASKS), @r#"
        > Do it.

        I'll write it down.

        ? May write_note run?
            notes.md  +2 -1
            @@ -1,4 +1,5 @@
             # Notes

            -Buy milk.
            +Buy bread.
             Call Ann.
            +Call Bob.
          Why it asks: it changes `notes.md`
          [y] yes, this once
          [a] always in this session: write_note
          [p] always in this project  [u] always
              for me
          [n] no  [never] no, and not again in
              this session
          or write what should be done instead
          >
        "#);
    terminal.enter("n");
    terminal.end();
}

#[test]
fn a_refusal_and_what_to_do_instead() {
    let place = note();
    let mut terminal = place.workshop(&RUN);
    terminal.wait_for(ASKS);
    terminal.enter("put it into todo.md");
    let (screen, code) = terminal.end();
    let (_, after) = screen.split_once(ASKS).expect("the answer");
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
    if crate::isolation::is_left_out("terminal::approving::a_command_is_asked_about_part_by_part") {
        return;
    }
    let command = "ls -la && cargo fetch && git commit -m x && git push";
    let mut call = vec![waits("speaks")];
    call.extend(says("One moment."));
    call.push(waits("asks"));
    call.extend(calls("c1", "bash", &json!({ "command": command })));
    let place = Place::new().recording(&[call, [says("As you like."), ends()].concat()]);
    let allowed = [&RUN[..], &["--allow", "bash(cargo fetch:*)"]].concat();
    let mut terminal = place.workshop(&allowed);
    terminal.wait_for("waiting for the model");
    // Typed before there was a question: no answer to it.
    terminal.enter("y");
    place.open("speaks");
    terminal.wait_for("One moment.");
    place.open("asks");
    insta::assert_snapshot!(terminal.wait_for(ASKS), @r#"
        > Do it.

        One moment.

        ? May bash run?
            ls -la && cargo fetch && git commit -m x && git push
            Commits to push:
            the commits cannot be listed: there is no git repository
          Part by part:
            reads    ls -la
            allowed  cargo fetch
            asks     git commit -m x
            asks     git push
          Why it asks: it may change something, and may reach the outside world (medium
            risk)
          [y] yes, this once
          [a] always in this session, by all of these rules; or by one:
          [a1] bash(git commit:*)
          [a2] bash(git push:*)
          [p] always in this project  [u] always for me
          [n] no  [never] no, and not again in this session
          or write what should be done instead
          >
        "#);
    terminal.enter("never2");
    terminal.wait_for_question("back to the question");
    terminal.enter("y");
    let (screen, _) = terminal.end();
    let (_, after) = screen.split_once(ASKS).expect("the answer");
    insta::assert_snapshot!(after, @r#"
         never2
          These are denied without a question, in this session:
            bash(git push:*)
          /permissions remove RULE, in a chat, takes them back.
          [y] yes, that  [n] no, back to the question
          > y

        ✗ bash ls -la && cargo fetch && git commit -m x && git push
            Tool call rejected by user

        As you like.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        "#);
}

#[test]
fn an_answer_for_the_session_is_not_asked_again() {
    let note = |id: &str| calls(id, "write_note", &json!({ "path": id, "text": "x\n" }));
    let place = Place::new().recording(&[note("c1"), note("c2"), [says("Both."), ends()].concat()]);
    let mut terminal = place.workshop_in(&RUN, &[], (60, 80));
    terminal.wait_for(ASKS);
    terminal.enter("a");
    // The rule is shown before it holds; who thinks better of it is asked again.
    terminal.wait_for_question("back to the question");
    terminal.enter("n");
    terminal.enter("a");
    terminal.wait_for_question("back to the question");
    terminal.enter("ok");
    let (screen, code) = terminal.end();
    assert_eq!(code, 0);
    assert_eq!(screen.matches("May write_note run?").count(), 1, "{screen}");
    assert!(screen.contains("✓ write_note path: c2"), "{screen}");
}
