//! What a turn looks like while it goes on, and when it is over.

use std::time::Duration;

use super::*;
use crate::screen::Size;
use helve_core::sandbox::Exit;
use helve_core::tool::{ProgressStream, ProgressUpdate};
use helve_core::transcript::{CallKey, Content, ContentBlock, NoteSource, Origin};

/// A terminal that is fed events.
struct Fixture {
    view: View,
    begun: Instant,
    frame: ScreenFrame,
    finished: Vec<Line>,
}

impl Fixture {
    fn new(columns: usize) -> Self {
        let begun = Instant::now();
        Self {
            view: View::with_colors(RenderOptions::default(), Colors::None),
            begun,
            frame: ScreenFrame {
                now: begun,
                size: Size { columns, rows: 24 },
            },
            finished: Vec::new(),
        }
    }

    fn set_time(&mut self, milliseconds: u64) -> &mut Self {
        self.frame.now = self.begun + Duration::from_millis(milliseconds);
        self
    }

    fn send_event(&mut self, kind: EventKind) -> &mut Self {
        let event = AgentEvent::new(Origin::new("main", "t1"), kind);
        self.handle(&event)
    }

    fn handle(&mut self, event: &AgentEvent) -> &mut Self {
        let finished = self.view.handle_event(event, self.frame);
        self.finished.extend(finished);
        self
    }

    fn send_message(&mut self, text: &str) -> &mut Self {
        self.send_event(EventKind::MessageDelta { text: text.into() })
    }

    fn call(&mut self, id: &str, name: &str, arguments: &str) -> &mut Self {
        self.send_event(EventKind::ToolCall {
            call: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        })
    }

    fn result(&mut self, id: &str, name: &str, text: &str, is_error: bool) -> &mut Self {
        self.send_event(EventKind::ToolResult {
            call: id.into(),
            name: name.into(),
            content: Content::text(text),
            is_error,
            exit: None,
            cached: false,
        })
    }

    fn progress(&mut self, id: &str, update: ProgressUpdate) -> &mut Self {
        let call = id.into();
        self.send_event(EventKind::ToolProgress { call, update })
    }

    /// What stands on the terminal; the live lines below a line of their own.
    fn render(&self) -> String {
        let mut lines: Vec<String> = self.finished.iter().map(Line::text).collect();
        let live = self.view.live_lines(self.frame);
        if !live.is_empty() {
            lines.push("~~~".to_owned());
            lines.extend(live.iter().map(Line::text));
        }
        lines.join("\n")
    }
}

#[test]
fn a_turn_as_it_goes_on() {
    let mut fixture = Fixture::new(60);
    fixture.send_event(EventKind::TurnStarted).set_time(1_200);
    insta::assert_snapshot!(fixture.render(), @r#"
        ~~~
        ⠹ waiting for the model  1.2 s  Ctrl-C to interrupt
        "#);
    fixture
        .send_message("I'll look at ")
        .set_time(1_500)
        .send_message("the files");
    insta::assert_snapshot!(fixture.render(), @r#"
        ~~~
        I'll look at the files

        ⠴ writing  1.5 s  Ctrl-C to interrupt
        "#);
    fixture
        .send_message(".")
        .call("c1", "read_file", r#"{"path":"README.md"}"#);
    fixture.call(
        "c2",
        "bash",
        r#"{"command":"cargo test --workspace --all-features --no-fail-fast"}"#,
    );
    let output = "   Compiling helve\n   Compiling a\rBuilding 3/7\n";
    let output = ProgressUpdate::text(ProgressStream::Stdout, output);
    fixture.set_time(5_000).progress("c2", output);
    insta::assert_snapshot!(fixture.render(), @r#"
        I'll look at the files.
        ~~~

        → read_file README.md  3.5 s
        → bash cargo test --workspace --all-features --no-f…  3.5 s
            Building 3/7

        ⠋ working  5 s  Ctrl-C to interrupt
        "#);
    fixture.result("c1", "read_file", "1\n2\n3\n4\n5\n6\n", false);
    fixture.progress("c2", ProgressUpdate::step(3.0, 7.0));
    insta::assert_snapshot!(fixture.render(), @r#"
        I'll look at the files.

        ✓ read_file README.md
            1
            2
            3
            4
            … 2 more lines
        ~~~
        → bash cargo test --workspace --all-features --no-f…  3.5 s
            ━━━━━━━━────────────  42 % Building 3/7

        ⠋ working  5 s  Ctrl-C to interrupt
        "#);
    fixture
        .result("c2", "bash", "no such command", true)
        .send_message("Done.");
    let usage = Usage::new(1_234, 56);
    fixture.send_event(EventKind::Usage {
        usage,
        cost: Cost::from_micros(12_300),
        time_to_first_token_ms: None,
    });
    fixture.set_time(64_000).send_event(EventKind::End {
        reason: EndReason::Finished,
        error: None,
    });
    insta::assert_snapshot!(fixture.render(), @r#"
        I'll look at the files.

        ✓ read_file README.md
            1
            2
            3
            4
            … 2 more lines
        ✗ bash cargo test --workspace --all-features --no-fail-fast
            no such command

        Done.

        — finished · 1,234 in · 56 out · $0.0123 · 1 min 04 s
        "#);
}

#[test]
fn a_command_that_failed_is_shown_as_a_failure_without_what_is_for_the_model() {
    let mut fixture = Fixture::new(60);
    fixture.call("c1", "bash", r#"{"command":"make"}"#);
    let output = "<untrusted source=\"unknown\" tool=\"bash\">\n(no output)\n</untrusted>";
    let note = "[exit code 2, after 0.1 s]";
    fixture.send_event(EventKind::ToolResult {
        call: "c1".into(),
        name: "bash".into(),
        content: Content::from(vec![ContentBlock::text(output), ContentBlock::text(note)]),
        is_error: false,
        exit: Some(Exit::Code(2)),
        cached: false,
    });
    insta::assert_snapshot!(fixture.render(), @r"
        ✗ bash make  exit code 2
            (no output)
            [exit code 2, after 0.1 s]
        ~~~

        ⠋ waiting for the model  Ctrl-C to interrupt
        ");
    fixture.call(
        "c2",
        "bash",
        r#"{"command":"cat a-file-with-a-name-that-is-longer-than-the-line-is-wide"}"#,
    );
    fixture.send_event(EventKind::ToolResult {
        call: "c2".into(),
        name: "bash".into(),
        content: Content::text("killed"),
        is_error: false,
        exit: Some(Exit::Signal(9)),
        cached: false,
    });
    let shown = fixture.render();
    let line = shown.lines().find(|line| line.contains("cat a-file"));
    insta::assert_snapshot!(line.expect("the call"), @"✗ bash cat a-file-with-a-name-that-is-lo…  ended by signal 9");
}

#[test]
fn thinking_is_a_line_or_two() {
    let mut fixture = Fixture::new(40);
    let think = |fixture: &mut Fixture, text: &str| {
        fixture.send_event(EventKind::ReasoningDelta { text: text.into() });
    };
    think(
        &mut fixture,
        "First I should look at what there is, and then ",
    );
    think(
        &mut fixture,
        "\n\ndecide what to do about all of it at once.",
    );
    insta::assert_snapshot!(fixture.set_time(2_000).render(), @r#"
        ~~~
        ∙ is, and then decide what to do about
        ∙ all of it at once.

        ⠋ thinking  2 s  Ctrl-C to interrupt
        "#);
    fixture.set_time(3_000).send_message("So:");
    insta::assert_snapshot!(fixture.render(), @r#"
        ∙ thought for 3 s (91 characters)
        ~~~

        So:

        ⠋ writing  3 s  Ctrl-C to interrupt
        "#);
}

#[test]
fn a_reply_that_is_asked_for_again_is_forgotten() {
    let mut fixture = Fixture::new(60);
    fixture.send_message("Half a");
    fixture.send_event(EventKind::ToolCallStarted {
        call: "c1".into(),
        name: "write_file".into(),
    });
    fixture.send_event(EventKind::ToolCallDelta {
        call: "c1".into(),
        arguments: r#"{"path":"#.into(),
    });
    insta::assert_snapshot!(fixture.render(), @r#"
        Half a
        ~~~

        → write_file  8 characters

        ⠋ working  Ctrl-C to interrupt
        "#);
    let retry = Retry::new(2, Duration::from_secs(2), "the stream broke off");
    fixture
        .send_event(EventKind::Retry(retry))
        .send_message("Whole.\n\nAnd");
    let retry = Retry::new(3, Duration::from_secs(4), "overloaded");
    fixture.send_event(EventKind::Retry(retry));
    insta::assert_snapshot!(fixture.render(), @r#"
        Half a

        ! the stream broke off: retrying in 2 s (2nd attempt); the
        partial reply above is discarded

        Whole.

        ! overloaded: retrying in 4 s (3rd attempt); the partial
        reply above is discarded
        ~~~

        ⠋ waiting for the model  Ctrl-C to interrupt
        "#);
}

#[test]
fn what_a_delegate_does_is_shown_below_its_call() {
    let mut fixture = Fixture::new(60);
    let main = Origin::new("main", "t1");
    let key = CallKey::new(1, 0);
    let kind = EventKind::ToolCall {
        call: "c1".into(),
        name: "task".into(),
        arguments: r#"{"prompt":"Look"}"#.into(),
    };
    let event = AgentEvent::new(main.clone(), kind).with_call(main.call_address(key));
    fixture.handle(&event);
    let kind = EventKind::ToolCall {
        call: "c1".into(),
        name: "grep".into(),
        arguments: r#"{"pattern":"x"}"#.into(),
    };
    let event = AgentEvent::new(main.delegate(key, "helper"), kind);
    fixture.handle(&event);
    insta::assert_snapshot!(fixture.render(), @r#"
        ~~~
        → task Look
            helper: → grep x

        ⠋ working  Ctrl-C to interrupt
        "#);
}

#[test]
fn two_tasks_side_by_side_are_told_apart_by_their_names_and_addresses() {
    let mut fixture = Fixture::new(60);
    let main = Origin::new("main", "t1");
    for (index, side) in ["left", "right"].into_iter().enumerate() {
        let key = CallKey::new(1, u32::try_from(index).unwrap());
        let call = || format!("c{index}").into();
        let address = || main.call_address(key);
        let kind = EventKind::ToolCall {
            call: call(),
            name: "task".into(),
            arguments: format!(r#"{{"agent":"{side}","prompt":"Look {side}"}}"#).into(),
        };
        fixture.handle(&AgentEvent::new(main.clone(), kind).with_call(address()));
        let kind = EventKind::DelegateStarted {
            call: call(),
            agent: side.into(),
            label: Some(format!("{side} side")),
        };
        fixture.handle(&AgentEvent::new(main.clone(), kind).with_call(address()));
        let kind = EventKind::ToolCall {
            call: "c1".into(),
            name: "grep".into(),
            arguments: r#"{"pattern":"x"}"#.into(),
        };
        // An agent that works for the agent is shown below the same call.
        let below = main.delegate(key, side);
        let origin = match side {
            "left" => below,
            _ => below.delegate(CallKey::new(2, 0), "helper"),
        };
        fixture.handle(&AgentEvent::new(origin, kind));
    }
    insta::assert_snapshot!(fixture.render(), @r#"
        ~~~
        → task left side (left t1/1.0): Look left
            left: → grep x
        → task right side (right t1/1.1): Look right
            helper: → grep x

        ⠋ working  Ctrl-C to interrupt
        "#);
}

#[test]
fn nothing_that_is_said_steers_the_terminal() {
    let mut fixture = Fixture::new(40);
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}2J\u{202e}";
    fixture.send_message(&format!(
        "{evil}\n\n```{evil}\n{evil}\n```\n| {evil} |\n|--|\n"
    ));
    fixture.call("c1", evil, &format!(r#"{{"a":"{evil}"}}"#));
    fixture.progress("c1", ProgressUpdate::message(evil));
    fixture
        .render()
        .chars()
        .for_each(|c| assert!(!c.is_control() || c == '\n', "{c:?}"));
    fixture.result("c1", evil, evil, true);
    fixture.send_event(EventKind::Warning {
        message: evil.into(),
    });
    for review in [
        Review::again(evil),
        Review::replace(evil),
        Review::block(evil),
    ] {
        fixture.send_event(EventKind::Reviewed {
            round: 1,
            by: evil.into(),
            review,
        });
    }
    fixture.send_event(EventKind::Note {
        source: NoteSource::Hook,
        name: evil.into(),
        id: "n1".into(),
        text: evil.into(),
    });
    fixture.send_event(EventKind::End {
        reason: EndReason::Fatal,
        error: Some(evil.into()),
    });
    fixture
        .render()
        .chars()
        .for_each(|c| assert!(!c.is_control() || c == '\n', "{c:?}"));
    assert!(!fixture.render().contains('\u{202e}'));
}

#[test]
fn notes_and_reviews_are_shown() {
    let mut fixture = Fixture::new(60);
    fixture.send_message("It is 7.");
    let reviewed = |review| EventKind::Reviewed {
        round: 1,
        by: "mask".into(),
        review,
    };
    let note = |source, name: &str, text: &str| EventKind::Note {
        source,
        name: name.into(),
        id: "n1".into(),
        text: text.into(),
    };
    fixture.send_event(reviewed(Review::again("Say please.")));
    fixture.send_event(reviewed(Review::replace("It is #.")));
    fixture.send_event(reviewed(Review::Pass));
    fixture.send_event(note(NoteSource::User, "", "In French."));
    fixture.send_event(note(NoteSource::Hook, "lint", "Two warnings."));
    let recalled = "Records.\n\n## user/tea (today)\nGreen\u{1b}[2J.";
    fixture.send_event(note(NoteSource::Memory, "", recalled));
    let shown = fixture.finished.iter().map(Line::text);
    let shown: Vec<String> = shown.filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(
        shown,
        [
            "It is 7.",
            "— the guard mask demands another reply: Say please.",
            "— the guard mask replaced the reply",
            "It is #.",
            "» In French.",
            "— note from hook lint: Two warnings.",
            "— note from memory: Records.",
            "    ## user/tea (today)",
            "    Green\u{fffd}[2J.",
        ]
    );
}
