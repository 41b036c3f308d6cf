//! `/search`: what was said in earlier sessions of the folder.

use crate::terminal::pty::{PtyFixture, stop_events, text_events};

#[test]
fn what_was_said_before_is_found() {
    let says = |text: &str| [text_events(text), stop_events()].concat();
    let place = PtyFixture::new().with_recording(&[says("Under the blue pot."), says("It rains.")]);
    let mut terminal = place.start_assistant_in(&["chat"], (60, 100));
    terminal.wait_for_prompt();
    terminal.type_line("Where is the spare key?");
    terminal.wait_for("Under the blue pot.");
    terminal.wait_for_prompt();
    terminal.type_line("/clear");
    terminal.wait_for("a new session");
    terminal.wait_for_prompt();
    terminal.type_line("Does it rain?");
    terminal.wait_for("It rains.");
    terminal.wait_for_prompt();
    for (line, end) in [
        ("/search", "usage: /search"),
        ("/search \"blue pot\"", "/resume ID"),
        ("/search umbrella", "no matches in this folder"),
    ] {
        terminal.type_line(line);
        terminal.wait_for(end);
        terminal.wait_for_prompt();
    }
    terminal.press("\u{4}");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    let (_, shown) = screen.split_once("› /search\n").expect("the first command");
    insta::assert_snapshot!(redact_times(shown), @r#"
    usage: /search WORDS, with phrases in quotation marks
    default › /search "blue pot"
    TIME TIME  SESSION  t1  assistant  Where is the spare key?
      Under the blue pot.
    continue a session with /resume ID
    default › /search umbrella
    no matches in this folder; `assistant sessions search` searches all
    default ›
    continue this session with `assistant chat --session SESSION`
    "#);
}

/// Writes a sign for the times, such as `2026-12-01 09:00`.
fn redact_times(screen: &str) -> String {
    let is_time = |word: &str| {
        word.len() >= 5 && word.chars().all(|c| c.is_ascii_digit() || "-:".contains(c))
    };
    let lines = screen.lines().map(|line| {
        let words = line
            .split(' ')
            .map(|word| if is_time(word) { "TIME" } else { word });
        words.collect::<Vec<_>>().join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}
