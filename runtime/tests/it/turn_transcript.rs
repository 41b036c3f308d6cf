//! What a turn leaves behind, however it is cut short, is something that every provider accepts.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::turn_script::*;
use helve_runtime::agent::turn::{Bounds, EndReason, Record, Turn};
use helve_runtime::model::{Assembler, ModelEvent, Reply, StopReason};
use helve_runtime::permission::Verdict;
use helve_runtime::transcript::{AssistantMessage, Message, MessagePart, Usage};

/// Writes a conversation down, a word a part.
fn shape(messages: &[Message]) -> String {
    let part = |part: &MessagePart| match part {
        MessagePart::Text { text } => format!("`{text}`"),
        MessagePart::Thinking { signature, .. } if signature.is_some() => "proved thinking".into(),
        MessagePart::Thinking { .. } => "thinking".into(),
        MessagePart::ToolCall(call) => format!("call {}", call.name),
        other => format!("{other:?}"),
    };
    let message = |message: &Message| match message {
        Message::User { .. } => "user".to_owned(),
        Message::Assistant(reply) => {
            let parts: Vec<_> = reply.content.iter().map(part).collect();
            format!("assistant: {}", parts.join(", "))
        }
        Message::Tool { content } => {
            let ids: Vec<_> = content.iter().map(|result| &*result.call_id).collect();
            format!("results: {}", ids.join(", "))
        }
        other => format!("{other:?}"),
    };
    let lines: Vec<_> = messages.iter().map(message).collect();
    lines.join("\n")
}

/// Interrupts a reply after some of its events.
fn interrupted(events: &[ModelEvent]) -> String {
    let mut assembler = Assembler::new();
    for event in events {
        assembler.push(event.clone()).unwrap();
    }
    let (mut turn, mut messages) = (
        Turn::new(origin(), Bounds::new(5)),
        vec![Message::user("go")],
    );
    let done = Record::model_done(1, assembler.cancel());
    for record in [started(1), Record::Interrupt, done] {
        turn.apply_to(&record, &mut messages).unwrap();
    }
    assert_eq!(turn.end(), Some(EndReason::Interrupted));
    shape(&messages)
}

fn events() -> Vec<ModelEvent> {
    let call = |id: &str| ModelEvent::ToolCallStart {
        id: id.into(),
        name: id.into(),
    };
    let delta = |id: &str, arguments: &str| ModelEvent::ToolCallDelta {
        id: id.into(),
        arguments: arguments.into(),
    };
    vec![
        ModelEvent::ThinkingDelta { text: "hm".into() },
        ModelEvent::TextDelta { text: "\n".into() },
        ModelEvent::TextDelta { text: "So".into() },
        call("a"),
        delta("a", "{}"),
        call("b"),
        delta("b", "{\"x\":"),
    ]
}

#[test]
fn a_reply_that_is_cut_off_leaves_only_what_is_whole() {
    let events = events();
    let closing = "assistant: `(The turn ended here: interrupted.)`";
    let nothing = format!("user\n{closing}");
    assert_eq!(interrupted(&events[..0]), nothing);
    assert_eq!(
        interrupted(&events[..1]),
        nothing,
        "thinking without its proof"
    );
    assert_eq!(interrupted(&events[..2]), nothing, "a blank text");
    let text = "user\nassistant: `\nSo`";
    assert_eq!(interrupted(&events[..3]), text);
    assert_eq!(interrupted(&events[..4]), text, "a call without arguments");
    let called = format!("{text}, call a\nresults: a\n{closing}");
    assert_eq!(interrupted(&events[..5]), called);
    assert_eq!(interrupted(&events), called, "half a call");
}

#[test]
fn a_reply_that_reached_its_limit_keeps_the_half_call_and_says_so() {
    let mut assembler = Assembler::new();
    let reason = StopReason::MaxTokens;
    for event in [events(), vec![ModelEvent::Stop { reason }]].concat() {
        assembler.push(event).unwrap();
    }
    let (mut turn, mut messages) = (
        Turn::new(origin(), Bounds::new(5)),
        vec![Message::user("go")],
    );
    let done = Record::model_done(1, assembler.finish().unwrap());
    for record in [started(1), done, planned(0, Verdict::deny("no"), true)] {
        turn.apply_to(&record, &mut messages).unwrap();
    }
    assert!(text(&turn, 1).contains("were truncated after 5 characters"));
    let expected = "user\nassistant: thinking, `\nSo`, call a, call b\nresults: a, b";
    assert_eq!(shape(&messages), expected);
    assert_eq!(turn.end(), None);
}

#[test]
fn proved_thinking_survives_a_cut_and_alone_is_no_message() {
    let proved = || MessagePart::Thinking {
        text: "hm".into(),
        signature: Some("proof".into()),
    };
    let says = MessagePart::Text { text: "So".into() };
    for (content, expected) in [
        (
            vec![proved(), says],
            "user\nassistant: proved thinking, `So`",
        ),
        (
            vec![proved()],
            "user\nassistant: `(The turn ended here: interrupted.)`",
        ),
    ] {
        let (mut turn, mut messages) = (
            Turn::new(origin(), Bounds::new(5)),
            vec![Message::user("go")],
        );
        let reply = Reply {
            message: AssistantMessage::new(content),
            stop: StopReason::Cancelled,
            usage: Usage::default(),
        };
        for record in [started(1), Record::model_done(1, reply)] {
            turn.apply_to(&record, &mut messages).unwrap();
        }
        assert_eq!(shape(&messages), expected);
    }
}

#[test]
fn a_reply_that_the_provider_paused_goes_on_in_the_same_message() {
    let (mut turn, mut messages) = (
        Turn::new(origin(), Bounds::new(5)),
        vec![Message::user("go")],
    );
    let says = |text: &str, stop| {
        let text = MessagePart::Text { text: text.into() };
        let message = AssistantMessage::new(vec![text]);
        let usage = Usage::default();
        Reply {
            message,
            stop,
            usage,
        }
    };
    let paused = Record::model_done(1, says("I look", StopReason::PauseTurn));
    for record in [started(1), paused] {
        turn.apply_to(&record, &mut messages).unwrap();
    }
    assert_eq!(turn.end(), None, "the model is called again");
    let over = Record::model_done(2, says("found it", StopReason::EndTurn));
    for record in [started(2), over] {
        turn.apply_to(&record, &mut messages).unwrap();
    }
    assert_eq!(shape(&messages), "user\nassistant: `I look`, `found it`");
    assert_eq!(turn.end(), Some(EndReason::Finished));
}

/// Interrupts a turn after each of its records, and has what runs report.
#[test]
fn an_interrupt_fits_after_any_record() {
    let records = [
        started(1),
        Record::model_done(1, reply(&["a", "b", "c"], StopReason::ToolUse)),
        planned(0, Verdict::Allow, false),
        planned(1, ask(), false),
        planned(2, Verdict::Allow, true),
        asked(&[1]),
        run(&[0]),
        finished(0),
        answered(1, helve_runtime::permission::Decision::allow_once()),
        run(&[1]),
        finished(1),
        run(&[2]),
        finished(2),
        started(2),
    ];
    for cut in 0..=records.len() {
        let (mut turn, mut messages) = (
            Turn::new(origin(), Bounds::new(5)),
            vec![Message::user("go")],
        );
        for record in records[..cut].iter().chain([&Record::Interrupt]) {
            turn.apply_to(record, &mut messages).unwrap();
        }
        let running: Vec<_> = (0..3)
            .filter(|index| {
                let state = turn.state(key(*index));
                state.is_some_and(|state| state.name() == "running")
            })
            .collect();
        for index in running {
            turn.apply_to(&finished(index), &mut messages).unwrap();
        }
        if turn.end().is_none() {
            let nothing = reply(&[], StopReason::Cancelled);
            let done = Record::model_done(turn.round() + 1, nothing);
            turn.apply_to(&done, &mut messages).unwrap();
        }
        let closing = "assistant: `(The turn ended here: interrupted.)`";
        let called = "assistant: call a, call b, call c\nresults: id-a, id-b, id-c\n";
        let called = if cut < 2 { "" } else { called };
        assert_eq!(
            shape(&messages),
            format!("user\n{called}{closing}"),
            "after {cut}"
        );
    }
}
