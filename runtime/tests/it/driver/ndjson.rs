//! Events as NDJSON: what is written is what the schema says, and a slow pipe blocks nothing else.

use std::io::{self, Write};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use helve::agent::turn::{EndReason, Review};
use helve::agent::{AgentEvent, EventHeader, EventKind, EventLine, Events, NdjsonWriter};
use helve::model::Retry;
use helve::permission::{Decision, Rule, RuleScope};
use helve::tool::{Preview, ProgressStream, ProgressUpdate};
use helve::transcript::{
    CallKey, Content, ContentBlock, Cost, NoteSource, Origin, RawJson, Totals, Usage,
};
use serde_json::{Value, json};

/// The events of notes and reviews.
fn note_kinds() -> [EventKind; 2] {
    let note = EventKind::Note {
        source: NoteSource::Hook,
        name: "lint".into(),
        id: "n1".into(),
        text: "Two warnings.".into(),
    };
    let reviewed = EventKind::Reviewed {
        round: 1,
        by: "polite".into(),
        review: Review::again("Say please."),
    };
    [note, reviewed]
}

/// An event of every kind, with all that it can have.
fn every_kind() -> Vec<EventKind> {
    own_kinds().into_iter().chain(note_kinds()).collect()
}

#[expect(clippy::too_many_lines, reason = "a list")]
fn own_kinds() -> Vec<EventKind> {
    let call = || "c1".into();
    let address = || Origin::new("main", "t1").call_address(CallKey::new(1, 0));
    let rule = Rule::calls("bash", "git commit:*");
    let arguments = || RawJson::from("{}");
    vec![
        EventKind::TurnStarted,
        EventKind::MessageDelta { text: "Hel".into() },
        EventKind::ReasoningDelta { text: "Hm.".into() },
        EventKind::Retry(
            Retry::new(2, std::time::Duration::from_secs(1), "overloaded")
                .with_fallback("openai/gpt"),
        ),
        EventKind::ToolCallStarted {
            call: call(),
            name: "t".into(),
        },
        EventKind::ToolCallDelta {
            call: call(),
            arguments: "{".into(),
        },
        EventKind::ToolCall {
            call: call(),
            name: "t".into(),
            arguments: arguments(),
        },
        EventKind::ToolProgress {
            call: call(),
            update: ProgressUpdate::step(1.0, 2.0),
        },
        EventKind::ToolProgress {
            call: call(),
            update: ProgressUpdate::text(ProgressStream::Stderr, "out"),
        },
        EventKind::ToolProgress {
            call: call(),
            update: ProgressUpdate::closed(),
        },
        EventKind::ToolResult {
            call: call(),
            name: "t".into(),
            content: Content::from(vec![
                ContentBlock::text("5"),
                ContentBlock::Image {
                    data: "aGk=".into(),
                    mime_type: "image/png".into(),
                },
                ContentBlock::ResourceLink {
                    uri: "file:///a".into(),
                    name: "a".into(),
                    mime_type: None,
                },
            ]),
            is_error: false,
            exit: Some(helve::sandbox::Exit::Code(4)),
            cached: false,
        },
        EventKind::ApprovalRequested {
            call: call(),
            name: "bash".into(),
            arguments: arguments(),
            reason: "it writes".into(),
            safety: true,
            suggestions: vec![rule.clone()],
            preview: Some(Preview::diff("a.txt", Some("1\n"), "2\n")),
        },
        EventKind::ApprovalDecided {
            call: call(),
            decision: Decision::AllowAlways {
                rules: vec![rule],
                scope: RuleScope::Project,
                message: Some("fine".into()),
            },
        },
        EventKind::ExternalRequested {
            call: call(),
            name: "t".into(),
            arguments: arguments(),
        },
        EventKind::Warning {
            message: "careful".into(),
        },
        EventKind::UserMessage {
            content: Content::text("größer"),
        },
        EventKind::Reply {
            round: 1,
            text: "It is 5.".into(),
            reasoning: "2 + 3".into(),
            usage: Usage::new(10, 5),
            cost: Cost::ZERO,
        },
        EventKind::Submitted {
            call: call(),
            name: "t".into(),
            arguments: arguments(),
        },
        EventKind::Asked {
            call: call(),
            name: "t".into(),
            arguments: arguments(),
            reason: "it writes".into(),
            safety: true,
            suggestions: Vec::new(),
        },
        EventKind::DelegateStarted {
            call: call(),
            agent: "helper".into(),
            label: Some("look".into()),
        },
        EventKind::DelegateEnded {
            call: call(),
            agent: "helper".into(),
            reason: EndReason::Finished,
            totals: Totals::default(),
        },
        EventKind::Suggested {
            prompts: vec!["Run the tests.".into()],
            usage: Usage::new(10, 5),
            cost: Cost::from_micros(42),
        },
        EventKind::Compacted,
        EventKind::Usage {
            usage: Usage::new(10, 5),
            cost: Cost::from_micros(42),
            time_to_first_token_ms: Some(7),
        },
        EventKind::Lagged { missed: 3 },
        EventKind::Waiting {
            approvals: vec![address()],
            external: vec![address()],
        },
        EventKind::End {
            reason: EndReason::ModelFailed,
            error: Some("overloaded".into()),
        },
    ]
}

/// Names a kind; a new one has to be added to those that are written above.
fn name(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::TurnStarted => "turn_started",
        EventKind::UserMessage { .. } => "user_message",
        EventKind::Reply { .. } => "reply",
        EventKind::Asked { .. } => "asked",
        EventKind::Submitted { .. } => "submitted",
        EventKind::MessageDelta { .. } => "message_delta",
        EventKind::ReasoningDelta { .. } => "reasoning_delta",
        EventKind::Retry(_) => "retry",
        EventKind::ToolCallStarted { .. } => "tool_call_started",
        EventKind::ToolCallDelta { .. } => "tool_call_delta",
        EventKind::ToolCall { .. } => "tool_call",
        EventKind::ToolProgress { .. } => "tool_progress",
        EventKind::ToolResult { .. } => "tool_result",
        EventKind::ApprovalRequested { .. } => "approval_requested",
        EventKind::ApprovalDecided { .. } => "approval_decided",
        EventKind::ExternalRequested { .. } => "external_requested",
        EventKind::Warning { .. } => "warning",
        EventKind::DelegateStarted { .. } => "delegate_started",
        EventKind::DelegateEnded { .. } => "delegate_ended",
        EventKind::Note { .. } => "note",
        EventKind::Reviewed { .. } => "reviewed",
        EventKind::Suggested { .. } => "suggested",
        EventKind::Compacted => "compacted",
        EventKind::Usage { .. } => "usage",
        EventKind::Lagged { .. } => "lagged",
        EventKind::Waiting { .. } => "waiting",
        EventKind::End { .. } => "end",
        other => panic!("{other:?} is a new kind of event"),
    }
}

fn lines() -> Vec<String> {
    let header = EventHeader::new("tests", "1.0.0").session("s1");
    let origin = Origin::new("main", "t1").delegate(CallKey::new(1, 0), "helper");
    let events = every_kind().into_iter().map(|kind| {
        let event = AgentEvent::new(origin.clone(), kind)
            .with_call(origin.call_address(CallKey::new(2, 1)));
        serde_json::to_string(&event).unwrap()
    });
    std::iter::once(serde_json::to_string(&header).unwrap())
        .chain(events)
        .collect()
}

#[test]
fn every_line_is_what_the_schema_says_and_reads_back() {
    let schema = EventLine::schema();
    assert!(jsonschema::meta::is_valid(&schema));
    let judge = jsonschema::validator_for(&schema).unwrap();
    for line in lines() {
        let value: Value = serde_json::from_str(&line).unwrap();
        let errors: Vec<String> = judge.iter_errors(&value).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{line}: {errors:?}");
        let read = EventLine::parse(&line).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), line);
    }
}

#[test]
fn what_is_no_line_does_not_fit_the_schema() {
    let schema = EventLine::schema();
    let judge = jsonschema::validator_for(&schema).unwrap();
    for line in lines() {
        let value: Value = serde_json::from_str(&line).unwrap();
        let fields = value.as_object().unwrap();
        let mut wrong = vec![json!([]), json!({}), json!({ "type": "no_such_type" })];
        // Every field that is there has to be what it is.
        for (field, value) in fields {
            let mut other = fields.clone();
            let thing = match value.is_object() {
                true => json!([1]),
                false => json!({ "no": "such thing" }),
            };
            other.insert(field.clone(), thing);
            wrong.push(other.into());
        }
        let mut untagged = fields.clone();
        untagged.remove("type");
        wrong.push(untagged.into());
        for wrong in wrong {
            assert!(!judge.is_valid(&wrong), "{wrong}");
        }
    }
}

#[test]
fn the_schema_describes_every_kind() {
    let schema = EventLine::schema();
    let described = schema["$defs"]["AgentEvent"]["oneOf"].as_array().unwrap();
    for kind in every_kind() {
        let name = name(&kind);
        let described = described
            .iter()
            .find(|kind| kind["properties"]["type"]["const"] == name);
        let description = described.and_then(|kind| kind["description"].as_str());
        assert!(description.is_some_and(|text| !text.is_empty()), "{name}");
    }
    let written: std::collections::BTreeSet<_> = every_kind().iter().map(name).collect();
    assert_eq!(described.len(), written.len());
}

/// A pipe whose reader takes a line when it is told to.
struct SlowPipe {
    gate: mpsc::Receiver<()>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for SlowPipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // When the gate is not held any more, everything goes through.
        let _ = self.gate.recv();
        self.written.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_slow_pipe_holds_up_nobody() {
    let (open, gate) = mpsc::channel();
    let written = Arc::new(Mutex::new(Vec::new()));
    let pipe = SlowPipe {
        gate,
        written: written.clone(),
    };
    let events = Events::new();
    let header = EventHeader::new("tests", "1.0.0");
    let writer = NdjsonWriter::start(events.reader(), header, pipe).unwrap();
    // Nothing goes through the pipe while all this is told.
    for _ in 0..10_000 {
        let kind = EventKind::MessageDelta {
            text: "word ".into(),
        };
        events.emit(AgentEvent::new(Origin::new("main", "t1"), kind));
    }
    assert!(written.lock().unwrap().is_empty());
    drop(events);
    drop(open);
    writer.finish().unwrap();
    let written = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    let mut lines = written.lines().map(|line| EventLine::parse(line).unwrap());
    assert!(matches!(lines.next(), Some(EventLine::Header(_))));
    let words = lines.map(|line| match line {
        EventLine::Event(AgentEvent {
            kind: EventKind::MessageDelta { text },
            ..
        }) => text.len(),
        other => panic!("{other:?}"),
    });
    assert_eq!(words.sum::<usize>(), 50_000);
}

/// A pipe that its reader has closed.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn whoever_closes_the_pipe_is_written_to_no_more() {
    let events = Events::new();
    let header = EventHeader::new("tests", "1.0.0");
    let writer = NdjsonWriter::start(events.reader(), header, Closed).unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    // The turn goes on without it.
    events.emit(AgentEvent::new(
        Origin::new("main", "t1"),
        EventKind::TurnStarted,
    ));
    assert_eq!(format!("{events:?}"), "Events { readers: 0 }");
}

#[test]
fn a_line_of_a_type_that_is_not_known_says_so() {
    let error = EventLine::parse(r#"{"type":"dance","agent":"a","turn":"t"}"#).unwrap_err();
    insta::assert_snapshot!(error, @"invalid event line: unknown variant `dance`, expected one of `turn_started`, `user_message`, `message_delta`, `reasoning_delta`, `retry`, `tool_call_started`, `tool_call_delta`, `tool_call`, `reply`, `tool_progress`, `tool_result`, `asked`, `approval_requested`, `approval_decided`, `submitted`, `external_requested`, `delegate_started`, `delegate_ended`, `warning`, `note`, `reviewed`, `suggested`, `compacted`, `usage`, `lagged`, `waiting`, `end` at line 1 column 39");
}
