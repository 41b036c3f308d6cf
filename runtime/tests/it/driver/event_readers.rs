//! Any number of readers of one stream, each at its own speed, in bounded memory.

use futures_util::StreamExt;
use helve::ToolContext;
use helve::agent::turn::EndReason;
use helve::agent::{Agent, AgentEvent, Backlog, EventKind, EventReader, Events};
use helve::model::{ModelEvent, ScriptedModel, StopReason};
use helve::transcript::{Content, Message, Origin, RawJson};
use proptest::prelude::*;

fn event(kind: EventKind) -> AgentEvent {
    AgentEvent::new(Origin::new("main", "t1"), kind)
}

fn said(text: &str) -> AgentEvent {
    event(EventKind::MessageDelta { text: text.into() })
}

fn wrote(call: &str, text: &str) -> AgentEvent {
    event(EventKind::ToolCallDelta {
        call: call.into(),
        arguments: text.into(),
    })
}

fn result(text: &str) -> AgentEvent {
    event(EventKind::ToolResult {
        call: "c".into(),
        name: "t".into(),
        content: Content::text(text),
        is_error: false,
        exit: None,
        cached: false,
    })
}

fn asked(call: &str) -> AgentEvent {
    event(EventKind::ApprovalRequested {
        call: call.into(),
        name: "t".into(),
        arguments: RawJson::from("{}"),
        reason: "because".into(),
        safety: false,
        suggestions: Vec::new(),
        preview: None,
    })
}

fn ended() -> AgentEvent {
    event(EventKind::End {
        reason: EndReason::Finished,
        error: None,
    })
}

/// Writes what a reader has, shortly.
fn rest(reader: &mut EventReader) -> Vec<String> {
    std::iter::from_fn(|| reader.try_read())
        .map(|event| short(&event))
        .collect()
}

fn short(event: &AgentEvent) -> String {
    match &event.kind {
        EventKind::MessageDelta { text } => format!("say {text}"),
        EventKind::ToolCallDelta { call, arguments } => format!("{call} {arguments}"),
        EventKind::ToolResult { content, .. } => {
            format!("result {}", content[0].as_text().unwrap_or_default())
        }
        EventKind::ApprovalRequested { call, .. } => format!("ask {call}"),
        EventKind::Lagged { missed } => format!("missed {missed}"),
        EventKind::End { .. } => "end".to_owned(),
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn a_reader_that_keeps_up_sees_every_event() {
    let events = Events::new();
    let mut reader = events.reader();
    for text in ["a", "b"] {
        events.emit(said(text));
        assert_eq!(reader.next().await, Some(said(text)));
    }
    events.emit(ended());
    drop(events);
    assert_eq!(reader.next().await, Some(ended()));
    assert_eq!(reader.next().await, None);
}

#[test]
fn deltas_that_follow_one_another_are_one_to_a_slow_reader() {
    let events = Events::new();
    let mut reader = events.reader();
    for event in [
        said("Hel"),
        said("lo"),
        wrote("c1", "{\"a\""),
        wrote("c1", ":1}"),
        wrote("c2", "{"),
        said(" you"),
        asked("c1"),
        said("."),
    ] {
        events.emit(event);
    }
    assert_eq!(
        rest(&mut reader),
        [
            "say Hello",
            "c1 {\"a\":1}",
            "c2 {",
            "say  you",
            "ask c1",
            "say ."
        ]
    );
}

#[test]
fn the_oldest_go_and_what_is_missing_is_told_where_it_is_missing() {
    let events = Events::new();
    let mut reader = events.reader_with(Backlog::new(3, usize::MAX));
    for event in [
        asked("c1"),
        result("1"),
        result("2"),
        asked("c2"),
        result("3"),
        result("4"),
        ended(),
        result("5"),
    ] {
        events.emit(event);
    }
    assert_eq!(
        rest(&mut reader),
        [
            "ask c1", "missed 2", "ask c2", "result 3", "result 4", "end", "result 5"
        ]
    );
}

#[test]
fn one_event_that_is_too_great_is_held_alone() {
    let events = Events::new();
    let mut reader = events.reader_with(Backlog::new(9, 1_000));
    events.emit(result("small"));
    events.emit(result(&"x".repeat(5_000)));
    assert_eq!(reader.backlog_events(), 2); // what is missing counts
    events.emit(result("next"));
    assert_eq!(rest(&mut reader), ["missed 2", "result next"]);
}

#[test]
fn whoever_never_reads_costs_no_more_and_no_more() {
    let events = Events::new();
    let reader = events.reader_with(Backlog::new(100, 100_000));
    for round in 0..10_000 {
        events.emit(asked(&round.to_string()));
        events.emit(said("something"));
    }
    assert!(reader.backlog_events() <= 202, "{reader:?}");
    assert!(
        reader.backlog_bytes() <= 200_000,
        "{}",
        reader.backlog_bytes()
    );
}

#[test]
fn a_reader_that_is_gone_costs_nothing_and_one_that_comes_late_reads_on_from_there() {
    let events = Events::new();
    drop(events.reader());
    events.emit(said("early"));
    assert_eq!(format!("{events:?}"), "Events { readers: 0 }");
    let mut late = events.reader();
    events.emit(said("late"));
    events.close();
    events.emit(said("after the end"));
    assert_eq!(late.wait(), Some(said("late")));
    assert_eq!(late.wait(), None);
    assert_eq!(events.reader().wait(), None);
}

#[test]
fn a_thread_that_waits_is_woken() {
    let events = Events::new();
    let mut reader = events.reader();
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        while let Some(event) = reader.wait() {
            text.push_str(&short(&event).replace("say ", ""));
        }
        text
    });
    let mut told = String::new();
    for number in 0..1_000 {
        let piece = number.to_string();
        told.push_str(&piece);
        events.emit(said(&piece));
    }
    drop(events);
    assert_eq!(reading.join().unwrap(), told);
}

#[tokio::test]
async fn a_reader_that_never_reads_holds_up_neither_the_turn_nor_the_others() {
    let pieces = || {
        (0..5_000).map(|number| ModelEvent::TextDelta {
            text: format!("{number} "),
        })
    };
    let stop = ModelEvent::Stop {
        reason: StopReason::EndTurn,
    };
    let model = ScriptedModel::new().reply_with(pieces().chain([stop]));
    let events = Events::new();
    let mut lazy = events.reader_with(Backlog::new(3, 20_000));
    let mut eager = events.reader();
    let reading = tokio::spawn(async move {
        let mut text = String::new();
        while let Some(event) = eager.read().await {
            if let EventKind::MessageDelta { text: more } = event.kind {
                text.push_str(&more);
            }
        }
        text
    });
    let agent = Agent::new("main", model);
    let report = agent
        .run(
            vec![Message::user("Count.")],
            &ToolContext::new(),
            events.sink(),
        )
        .await;
    drop(events);
    assert_eq!(reading.await.unwrap(), report.text());
    assert!(lazy.backlog_bytes() < 30_000);
    let last = rest(&mut lazy);
    assert!(last[0].starts_with("missed "), "{}", last[0]);
    assert_eq!(last.last().map(String::as_str), Some("end"));
}

/// What happens to a stream.
#[derive(Debug, Clone)]
enum Move {
    Say(String),
    Write(u8, String),
    Result(usize),
    Ask,
    Read(usize, usize),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => "[a-z]{0,6}".prop_map(Move::Say),
        3 => (0..3u8, "[0-9]{0,6}").prop_map(|(call, text)| Move::Write(call, text)),
        2 => (0..600usize).prop_map(Move::Result),
        1 => Just(Move::Ask),
        3 => (0..3usize, 0..6usize).prop_map(|(reader, count)| Move::Read(reader, count)),
    ];
    proptest::collection::vec(one, 0..200)
}

/// What one reader has seen.
#[derive(Default)]
struct Seen {
    text: String,
    /// The order of the events that are numbered: questions and results.
    numbers: Vec<usize>,
    asked: usize,
    missed: u64,
}

impl Seen {
    fn see(&mut self, event: &AgentEvent) {
        match &event.kind {
            EventKind::MessageDelta { text } => self.text.push_str(text),
            EventKind::ToolCallDelta { arguments, .. } => self.text.push_str(arguments),
            EventKind::ApprovalRequested { call, .. } => {
                self.numbers.push(call.parse().unwrap());
                self.asked += 1;
            }
            EventKind::ToolResult { call, .. } => self.numbers.push(call.parse().unwrap()),
            EventKind::Lagged { missed } => {
                assert!(*missed > 0);
                self.missed += missed;
            }
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    /// Whatever is told and whoever reads when: memory is bounded, the order is kept, and what is not there is counted.
    #[test]
    fn any_interleaving(moves in moves()) {
        let limits = [Backlog::default(), Backlog::new(4, usize::MAX), Backlog::new(usize::MAX, 3_000)];
        let events = Events::new();
        let mut readers = limits.map(|backlog| events.reader_with(backlog));
        let mut seen: [Seen; 3] = Default::default();
        let (mut text, mut numbered, mut questions) = (String::new(), 0_usize, 0_usize);
        for step in moves {
            match step {
                Move::Say(more) => {
                    text.push_str(&more);
                    events.emit(said(&more));
                }
                Move::Write(call, more) => {
                    text.push_str(&more);
                    events.emit(wrote(&call.to_string(), &more));
                }
                Move::Result(size) => {
                    let mut told = result(&"x".repeat(size));
                    if let EventKind::ToolResult { call, .. } = &mut told.kind {
                        *call = numbered.to_string().into();
                    }
                    numbered += 1;
                    events.emit(told);
                }
                Move::Ask => {
                    events.emit(asked(&numbered.to_string()));
                    numbered += 1;
                    questions += 1;
                }
                Move::Read(which, count) => {
                    for event in std::iter::from_fn(|| readers[which].try_read()).take(count) {
                        seen[which].see(&event);
                    }
                }
            }
            // A question is never dropped here: there are not so many that nobody can be reading.
            prop_assert!(readers[2].backlog_bytes() <= 3_000 * 2 + 1_000);
            prop_assert!(readers[1].backlog_events() <= 4 * 3 + 1);
        }
        drop(events);
        for (seen, reader) in seen.iter_mut().zip(&mut readers) {
            while let Some(event) = reader.wait() {
                seen.see(&event);
            }
            prop_assert!(seen.numbers.is_sorted());
            prop_assert!(seen.missed > 0 || seen.text == text);
            prop_assert!(seen.missed > 0 || seen.numbers.len() == numbered);
            prop_assert!(seen.missed > 0 || seen.asked == questions);
        }
        prop_assert_eq!(seen[0].missed, 0);
    }
}
