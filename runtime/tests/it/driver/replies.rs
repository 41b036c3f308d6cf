//! Replies that begin late, or once more.

use std::time::Duration;

use futures_core::stream::BoxStream;
use futures_util::StreamExt;
use helve::ToolContext;
use helve::agent::session::{MemoryStore, SessionMetadata, Sessions};
use helve::agent::{Agent, Conversation, EventKind};
use helve::model::{Model, ModelError, ModelEvent, ModelRequest, Retry, StopReason};
use helve::transcript::{Message, ReplySource, Usage};

use super::EventLog;

/// Says something, breaks off, and says something else a while later.
struct Stutters;

fn text(text: &str) -> ModelEvent {
    ModelEvent::TextDelta { text: text.into() }
}

impl Model for Stutters {
    fn reply<'a>(&'a self, _: &'a ModelRequest) -> BoxStream<'a, Result<ModelEvent, ModelError>> {
        let wait = Duration::from_secs(1);
        let mut source = ReplySource::default();
        source.model = "m".into();
        let events = [
            (5, ModelEvent::ReplyStarted(source.clone())),
            (5, text("Hel")),
            (
                5,
                ModelEvent::ToolCallStart {
                    id: "c1".into(),
                    name: "add".into(),
                },
            ),
            (
                0,
                ModelEvent::Retry(Retry::new(2, wait, "the connection broke")),
            ),
            (1_000, ModelEvent::ReplyStarted(source)),
            (20, text("Hello")),
            (30, text(".")),
            (0, ModelEvent::Usage(Usage::new(3, 2))),
            (
                0,
                ModelEvent::Stop {
                    reason: StopReason::EndTurn,
                },
            ),
        ];
        let paced = futures_util::stream::iter(events).then(|(pause, event)| async move {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            Ok(event)
        });
        paced.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_said_before_a_retry_is_void_and_the_silence_ends_with_the_reply_that_stands() {
    let sessions = Sessions::new(MemoryStore::default());
    let session = sessions
        .create(SessionMetadata::new("tests"))
        .await
        .unwrap();
    let id = session.id().clone();
    let mut conversation = Conversation::new(session);
    let told = EventLog::default();
    let agent = Agent::new("main", Stutters);
    let report = agent
        .run_in(
            &mut conversation,
            Message::user("Hi"),
            &ToolContext::new(),
            told.listener(),
        )
        .await
        .unwrap();
    assert_eq!(report.text(), "Hello.");
    let kinds: Vec<_> = told.events().into_iter().map(|event| event.kind).collect();
    insta::assert_json_snapshot!(kinds, @r#"
    [
      {
        "type": "turn_started"
      },
      {
        "type": "user_message",
        "content": [
          {
            "type": "text",
            "text": "Hi"
          }
        ]
      },
      {
        "type": "message_delta",
        "text": "Hel"
      },
      {
        "type": "tool_call_started",
        "call": "c1",
        "name": "add"
      },
      {
        "type": "retry",
        "attempt": 2,
        "wait_ms": 1000,
        "error": "the connection broke"
      },
      {
        "type": "message_delta",
        "text": "Hello"
      },
      {
        "type": "message_delta",
        "text": "."
      },
      {
        "type": "usage",
        "usage": {
          "input_tokens": 3,
          "output_tokens": 2
        },
        "time_to_first_token_ms": 1035
      },
      {
        "type": "reply",
        "round": 1,
        "text": "Hello.",
        "usage": {
          "input_tokens": 3,
          "output_tokens": 2
        }
      },
      {
        "type": "end",
        "reason": "finished"
      }
    ]
    "#);
    // What is written down is the reply that stands, and nothing of the other.
    drop(conversation);
    let history = sessions.read(&id).await.unwrap();
    assert_eq!(history.messages, report.messages);
    let written = serde_json::to_string(&history.messages).unwrap();
    assert!(!written.contains("c1"), "{written}");
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_never_comes_has_no_first_piece() {
    let told = EventLog::default();
    let model = helve::model::ScriptedModel::new().fail("overloaded");
    Agent::new("main", model)
        .run(
            vec![Message::user("Hi")],
            &ToolContext::new(),
            told.listener(),
        )
        .await;
    let mut kinds = told.events().into_iter().map(|event| event.kind);
    assert!(!kinds.any(|kind| matches!(kind, EventKind::Usage { .. })));
}
