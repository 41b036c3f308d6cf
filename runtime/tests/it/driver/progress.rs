//! What tools report while they work: gathered, redacted, closed once, and for the screen only.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve::agent::{Agent, EventKind};
use helve::model::ScriptedModel;
use helve::prelude::*;
use helve::tool::{Audience, ProgressBuffer, ProgressSettings, ProgressStream, ProgressUpdate};
use helve::transcript::Message;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::EventLog;

/// What is told, with the time since the beginning in milliseconds.
#[derive(Clone)]
struct Heard {
    since: Instant,
    told: Arc<Mutex<Vec<(u128, ProgressUpdate)>>>,
}

impl Heard {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            told: Arc::default(),
        }
    }

    fn buffer(&self, settings: &ProgressSettings) -> ProgressBuffer {
        let heard = self.clone();
        ProgressBuffer::new(settings, move |update| {
            let at = heard.since.elapsed().as_millis();
            heard.told.lock().unwrap().push((at, update));
        })
    }

    fn lines(&self) -> Vec<String> {
        let told = self.told.lock().unwrap();
        told.iter()
            .map(|(at, update)| format!("{at} {}", short(update)))
            .collect()
    }
}

fn short(update: &ProgressUpdate) -> String {
    match update.stream {
        Some(stream) => format!("{stream:?} {}", update.text).to_lowercase(),
        None if update.closed => "closed".to_owned(),
        None => match &update.message {
            Some(message) => format!("message {message}"),
            None => format!("step {}", update.progress.unwrap_or_default()),
        },
    }
}

async fn wait(milliseconds: u64) {
    sleep(Duration::from_millis(milliseconds)).await;
}

#[tokio::test(start_paused = true)]
async fn what_comes_within_the_window_is_told_as_one() {
    let heard = Heard::new();
    let buffer = heard.buffer(&ProgressSettings::default());
    let progress = buffer.progress();
    let work = async {
        progress.stdout("a");
        wait(20).await;
        progress.stdout("b");
        progress.stderr("!");
        wait(60).await;
        progress.stdout("c");
        wait(200).await;
        progress.stdout("d");
    };
    buffer.run_with_flush(work).await;
    buffer.close();
    assert_eq!(
        heard.lines(),
        [
            "50 stdout ab",
            "50 stderr !",
            "130 stdout c",
            "280 stdout d",
            "280 closed"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn words_go_out_at_once_behind_what_came_before_them() {
    let heard = Heard::new();
    let buffer = heard.buffer(&ProgressSettings::default());
    let progress = buffer.progress();
    let work = async {
        progress.stderr("first");
        progress.step(1.0, 9.0);
        progress.stdout("second");
        progress.step(2.0, 9.0);
        progress.message("third");
        progress.info("fourth");
    };
    buffer.run_with_flush(work).await;
    assert_eq!(
        heard.lines(),
        [
            "0 stderr first",
            "0 step 2",
            "0 stdout second",
            "0 message third"
        ]
    );
    buffer.close();
    assert_eq!(heard.lines()[4..], ["0 info fourth", "0 closed"]);
}

#[tokio::test(start_paused = true)]
async fn so_much_is_told_before_its_time() {
    let heard = Heard::new();
    let buffer = heard.buffer(&ProgressSettings::default());
    let progress = buffer.progress();
    let work = async {
        for _ in 0..5 {
            progress.stdout("x".repeat(4_096));
        }
        wait(10).await;
    };
    buffer.run_with_flush(work).await;
    let told = heard.told.lock().unwrap();
    let lengths: Vec<_> = told
        .iter()
        .map(|(at, update)| (*at, update.text.len()))
        .collect();
    assert_eq!(lengths, [(0, 16_384)]);
    drop(told);
    assert_eq!(buffer.pending(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_holds_its_thread_is_heard_all_the_same() {
    let heard = Heard::new();
    let buffer = heard.buffer(&ProgressSettings::default());
    let progress = buffer.progress();
    // Nobody polls what tells what is due.
    for text in ["a", "b", "c", "d"] {
        progress.stdout(text);
        tokio::time::advance(Duration::from_millis(30)).await;
    }
    assert_eq!(heard.lines(), ["60 stdout abc"]);
}

#[tokio::test(start_paused = true)]
async fn without_a_window_everything_is_told_at_once() {
    let heard = Heard::new();
    let buffer = heard.buffer(&ProgressSettings::default().flush_interval(Duration::ZERO));
    let progress = buffer.progress();
    progress.stdout("a");
    progress.stdout("b");
    assert_eq!(heard.lines(), ["0 stdout a", "0 stdout b"]);
}

#[tokio::test(start_paused = true)]
async fn it_is_closed_once_and_nothing_follows() {
    let heard = Heard::new();
    let buffer = heard.buffer(&ProgressSettings::default());
    let progress = buffer.progress();
    progress.stdout("a");
    progress.close();
    progress.close();
    progress.stdout("b");
    progress.message("c");
    buffer.close();
    assert_eq!(heard.lines(), ["0 stdout a", "0 closed"]);

    let silent = Heard::new();
    silent.buffer(&ProgressSettings::default()).close();
    assert!(
        silent.lines().is_empty(),
        "nothing was reported, so that nothing is closed"
    );
}

#[tokio::test(start_paused = true)]
async fn when_the_turn_is_over_what_waits_is_dropped() {
    let heard = Heard::new();
    let buffer = heard.buffer(&ProgressSettings::default());
    let progress = buffer.progress();
    progress.stdout("a");
    drop(buffer);
    progress.stdout("b");
    wait(1_000).await;
    assert!(heard.lines().is_empty());
}

#[tokio::test(start_paused = true)]
async fn one_switch_turns_it_off() {
    let heard = Heard::new();
    let buffer = heard.buffer(&ProgressSettings::disabled());
    let progress = buffer.progress();
    assert!(!progress.is_enabled());
    progress.stdout("a");
    buffer.run_with_flush(wait(100)).await;
    buffer.close();
    assert!(heard.lines().is_empty());
}

/// Prints a secret in two pieces, and counts.
#[tool(read_only)]
async fn chatty(cx: &ToolContext) -> &'static str {
    let progress = cx.progress();
    progress.stdout("the key: AKIAIOSF");
    wait(80).await;
    progress.stdout("ODNN7EXAMPLE\nnext");
    progress.report(ProgressUpdate::step(1.0, 2.0).for_audience(Audience::Dashboard));
    wait(80).await;
    progress.percent(50.0, "token ghp_abcdefghij1234567890abcdefghij123456");
    tokio::spawn({
        let late = progress.clone();
        async move {
            wait(500).await;
            late.stdout("too late");
        }
    });
    "done"
}

fn agent() -> Agent {
    named("main")
}

fn named(name: &str) -> Agent {
    let model = ScriptedModel::new().call("chatty", json!({})).say("Done.");
    Agent::new(name, model).toolset(toolset![chatty])
}

#[tokio::test(start_paused = true)]
async fn a_turn_tells_progress_without_secrets_and_keeps_it_from_the_model() {
    let told = EventLog::default();
    let context = ToolContext::new();
    let report = agent()
        .run(vec![Message::user("go")], &context, told.listener())
        .await;
    wait(1_000).await;
    let kinds = told.events().into_iter().map(|event| event.kind);
    let updates: Vec<_> = kinds
        .filter_map(|kind| match kind {
            EventKind::ToolProgress { update, .. } => Some(update),
            _ => None,
        })
        .collect();
    insta::assert_json_snapshot!(updates, @r#"
    [
      {
        "text": "the ",
        "stream": "stdout",
        "audience": "user"
      },
      {
        "text": "key: [REDACTED:aws-access-key]\n",
        "stream": "stdout",
        "audience": "user"
      },
      {
        "progress": 1.0,
        "total": 2.0,
        "audience": "dashboard"
      },
      {
        "message": "token [REDACTED:github-pat]",
        "progress": 50.0,
        "total": 100.0,
        "audience": "internal"
      },
      {
        "text": "next",
        "stream": "stdout",
        "audience": "user"
      },
      {
        "closed": true,
        "audience": "user"
      }
    ]
    "#);
    let transcript = serde_json::to_string(&report.messages).unwrap();
    assert!(
        !transcript.contains("AKIA") && !transcript.contains("next"),
        "{transcript}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_can_be_told_to_leave_progress_out() {
    let told = EventLog::default();
    let agent = agent().progress(ProgressSettings::disabled());
    agent
        .run(
            vec![Message::user("go")],
            &ToolContext::new(),
            told.listener(),
        )
        .await;
    let mut kinds = told.events().into_iter().map(|event| event.kind);
    assert!(!kinds.any(|kind| matches!(kind, EventKind::ToolProgress { .. })));
}

#[tokio::test(start_paused = true)]
async fn what_holds_for_an_agent_holds_for_those_that_work_for_it() {
    let told = EventLog::default();
    let task = json!({ "agent": "helper", "prompt": "help" });
    let script = ScriptedModel::new().call("task", task).say("Done.");
    let helper = named("helper").description("helps");
    let main = Agent::new("main", script).progress(ProgressSettings::disabled());
    main.delegate(helper)
        .run(
            vec![Message::user("go")],
            &ToolContext::new(),
            told.listener(),
        )
        .await;
    let kinds: Vec<_> = told.events().into_iter().map(|event| event.kind).collect();
    let is_result =
        |kind: &EventKind| matches!(kind, EventKind::ToolResult { name, .. } if *name == "chatty");
    assert!(kinds.iter().any(is_result));
    assert!(
        !kinds
            .iter()
            .any(|kind| matches!(kind, EventKind::ToolProgress { .. }))
    );
}

#[test]
fn streams_are_for_the_user_and_words_are_not() {
    let text = ProgressUpdate::text(ProgressStream::Info, "x");
    assert_eq!(text.audience, Audience::User);
    assert_eq!(ProgressUpdate::message("x").audience, Audience::Internal);
    assert_eq!(ProgressUpdate::step(1.0, 2.0).audience, Audience::Internal);
}
