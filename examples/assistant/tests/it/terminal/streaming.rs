//! A reply while it comes, progress, narrow windows, no colours.

use serde_json::json;

use crate::terminal::pty::{PtyFixture, call_events, stop_events, text_events, wait_event};

const RUN: [&str; 3] = ["run", "Show me.", "--no-session"];

/// A reply with some of everything, that waits in the middle of its code.
fn reply_fixture() -> PtyFixture {
    let mut events = text_events(
        "## A plan\n\nFirst **look** at `main.rs`, since that is where it begins and everything else follows.\n\n\
         1. Read\n2. Think\n\n```rust\nfn main() {\n    let x = \"a\"; // cal",
    );
    events.push(wait_event("go"));
    events.extend(text_events("ls\n}\n```\n\nDone."));
    events.extend(stop_events());
    PtyFixture::new().with_recording(&[events])
}

#[test]
fn a_reply_is_shown_while_it_comes() {
    let place = reply_fixture();
    let terminal = place.start_workshop(&RUN);
    let screen = terminal.wait_for_drawn("// cal");
    insta::assert_snapshot!(screen, @r#"
        > Show me.

        ## A plan

        First look at main.rs, since that is where it begins and everything else
        follows.

        1. Read
        2. Think

            fn main() {
                let x = "a"; // cal

        * writing  Ctrl-C to interrupt
        "#);
    place.open_gate("go");
    let (screen, code) = terminal.wait_for_exit();
    insta::assert_snapshot!(format!("{screen}\nexit {code}"), @r#"
        > Show me.

        ## A plan

        First look at main.rs, since that is where it begins and everything else
        follows.

        1. Read
        2. Think

            fn main() {
                let x = "a"; // calls
            }

        Done.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        exit 0
        "#);
}

#[test]
fn a_narrow_window() {
    let place = reply_fixture();
    let terminal = place.start_workshop_in(&RUN, &[], (24, 40));
    insta::assert_snapshot!(terminal.wait_for_drawn("// cal"), @r#"
        > Show me.

        ## A plan

        First look at main.rs, since that is
        where it begins and everything else
        follows.

        1. Read
        2. Think

            fn main() {
                let x = "a"; // cal

        * writing  Ctrl-C to interrupt
        "#);
    place.open_gate("go");
    insta::assert_snapshot!(terminal.wait_for_exit().0, @r#"
        > Show me.

        ## A plan

        First look at main.rs, since that is
        where it begins and everything else
        follows.

        1. Read
        2. Think

            fn main() {
                let x = "a"; // calls
            }

        Done.

        — finished · 1,234 in (800 cached) · 56
        out · TIME
        "#);
}

#[test]
fn a_window_that_gets_narrower_keeps_what_is_finished() {
    let place = reply_fixture();
    let mut terminal = place.start_workshop(&RUN);
    terminal.wait_for_drawn("// cal");
    terminal.resize(24, 50);
    terminal.wait_until("a drawing in the new width", |screen| {
        screen.matches("Ctrl-C to interrupt").count() == 1
    });
    place.open_gate("go");
    let (screen, _) = terminal.wait_for_exit();
    assert_eq!(screen.matches("A plan").count(), 1, "{screen}");
    assert!(
        screen.contains("Done.") && !screen.contains("Ctrl-C"),
        "{screen}"
    );
}

#[test]
fn colours_are_there_unless_somebody_wants_none() {
    let place = reply_fixture();
    place.open_gate("go");
    let terminal = place.start_workshop(&RUN);
    terminal.wait_for("finished");
    for style in ["\u{1b}[1mA plan", "\u{1b}[36mmain.rs", "\u{1b}[35mfn"] {
        assert!(terminal.wrote(style), "{style:?}");
    }
    assert!(terminal.wrote_style());
    let terminal = place.start_workshop_in(&RUN, &[("NO_COLOR", "1")], (24, 80));
    let screen = terminal.wait_for("out · TIME");
    assert!(!terminal.wrote_style());
    insta::assert_snapshot!(screen, @r#"
        > Show me.

        ## A plan

        First **look** at `main.rs`, since that is where it begins and everything else
        follows.

        1. Read
        2. Think

            fn main() {
                let x = "a"; // calls
            }

        Done.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        "#);
    let terminal = place.start_workshop_in(&RUN, &[("TERM", "dumb")], (24, 80));
    terminal.wait_for("finished");
    assert!(!terminal.wrote("\u{1b}"));
}

#[test]
fn a_call_shows_how_it_is_getting_on() {
    let place = PtyFixture::new().with_recording(&[
        [
            text_events("I'll build it."),
            call_events("c1", "build", &json!({})),
        ]
        .concat(),
        [text_events("It is built."), stop_events()].concat(),
    ]);
    let terminal = place.start_workshop(&RUN);
    insta::assert_snapshot!(terminal.wait_for_drawn("Compiling"), @r#"
        > Show me.

        I'll build it.

        → build
            ━━━━━━━━────────────  42 % Compiling the workshop

        * working  Ctrl-C to interrupt
        "#);
    place.open_gate("built");
    insta::assert_snapshot!(terminal.wait_for_exit().0, @r#"
        > Show me.

        I'll build it.

        ✓ build
            built 7 of 7

        It is built.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        "#);
}

#[test]
fn thinking_is_shown_in_short() {
    let mut events = vec![json!({ "type": "thinking_delta", "text": "Let me see what there is." })];
    events.push(wait_event("go"));
    events.extend([text_events("Nothing."), stop_events()].concat());
    let place = PtyFixture::new().with_recording(&[events]);
    let terminal = place.start_workshop(&RUN);
    insta::assert_snapshot!(terminal.wait_for_drawn("Let me see"), @r#"
        > Show me.

        ∙ Let me see what there is.

        * thinking  Ctrl-C to interrupt
        "#);
    place.open_gate("go");
    insta::assert_snapshot!(terminal.wait_for_exit().0, @r#"
        > Show me.

        ∙ thought for TIME (25 characters)

        Nothing.

        — finished · 1,234 in (800 cached) · 56 out · TIME
        "#);
}
