//! An agent at work, driven by a scripted model: what it does, what it tells, what the model reads back.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod approvals;
mod asking;
mod authority;
#[cfg(all(feature = "ask-user", feature = "files", feature = "testing"))]
mod cases;
#[cfg(all(feature = "hooks", feature = "sandbox", unix))]
mod command_hooks;
mod concurrent_approvals;
mod connections;
mod conversation_view;
mod delegation;
mod edited;
mod event_stream;
mod external;
mod files_exist;
mod guards;
mod hand_off;
mod hooks;
#[cfg(all(feature = "agents", feature = "http"))]
mod hosts;
#[cfg(feature = "jobs")]
mod jobs;
mod known_urls;
mod labels;
mod leases;
mod limits;
mod notes;
mod plan_mode;
mod poisoned_page;
mod recorded;
mod saying;
mod stored_rules;
mod support;
mod task_agents;
mod task_trees;
mod tasks;
mod todo;

use std::sync::{Arc, Mutex, PoisonError};

use futures_core::stream::BoxStream;
use futures_util::future::{BoxFuture, FutureExt};
use helve::State;
use helve::agent::turn::{Bounds, EndReason};
use helve::agent::{Agent, AgentEvent, EventKind};
use helve::model::{Model, ModelError, ModelEvent, ModelRequest, ScriptedModel};
use helve::permission::{Answer, Approver, Decision, Question};
use helve::prelude::*;
use helve::tool::FatalError;
use helve::transcript::{ContentBlock, Message};
use serde_json::json;
use tokio::sync::{Barrier, Notify};

/// Adds two numbers.
#[tool(read_only)]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// Deletes a file.
#[tool(destructive)]
fn delete(
    /// Its path.
    path: &str,
) -> String {
    format!("deleted {path}")
}

/// Waits until as many calls as there are seats wait.
#[tool(read_only)]
async fn meet(seats: &Barrier) -> &'static str {
    seats.wait().await;
    "met"
}

/// Says that it has begun, and never ends.
#[tool(read_only)]
async fn hang(begun: &Notify) {
    begun.notify_one();
    std::future::pending().await
}

/// Counts aloud.
#[tool(read_only)]
fn count(cx: &ToolContext) -> &'static str {
    cx.progress().step(1.0, 2.0);
    cx.progress().message("half");
    "counted"
}

/// Finds that nothing can be trusted any more.
#[tool(read_only)]
fn give_up() -> Result<String, FatalError> {
    Err(FatalError {
        message: "the disk is gone".into(),
    })
}

/// Panics.
#[tool(read_only)]
fn explode() {
    panic!("boom")
}

/// The tools of these tests.
fn tools() -> Toolset {
    toolset![add, delete, meet, hang, count, give_up, explode]
}

/// Keeps what an agent tells.
#[derive(Clone, Default)]
struct EventLog(Arc<Mutex<Vec<serde_json::Value>>>);

impl EventLog {
    fn listener(&self) -> impl Fn(AgentEvent) + Send + Sync + 'static {
        let told = self.0.clone();
        move |event| {
            let event = serde_json::to_value(&event).expect("events serialise");
            told.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(event);
        }
    }

    fn events(&self) -> Vec<serde_json::Value> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.clone()
    }

    fn types(&self) -> Vec<String> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter()
            .map(|event| event["type"].as_str().expect("a type").to_owned())
            .collect()
    }
}

/// Runs one turn, and returns what the model read back from its calls, with `!` before errors.
async fn read_back(model: ScriptedModel) -> Vec<String> {
    let agent = Agent::new("main", model).toolset(tools());
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    results(&report.messages)
}

fn results(messages: &[Message]) -> Vec<String> {
    let results = messages.iter().flat_map(|message| match message {
        Message::Tool { content } => content.as_slice(),
        _ => &[],
    });
    results
        .map(|result| {
            let text: Vec<&str> = result
                .content
                .iter()
                .filter_map(ContentBlock::as_text)
                .collect();
            format!(
                "{}{}",
                if result.is_error { "!" } else { "" },
                text.join(" | ")
            )
        })
        .collect()
}

#[tokio::test]
async fn a_call_goes_out_and_its_result_comes_back() {
    let told = EventLog::default();
    let model = ScriptedModel::new()
        .call("add", json!({ "a": 2, "b": 3 }))
        .say("It is 5.");
    let agent = Agent::new("main", model).toolset(tools());
    let report = agent
        .run(
            vec![Message::user("2 + 3?")],
            &ToolContext::new(),
            told.listener(),
        )
        .await;
    assert_eq!(
        (report.end(), report.text().as_str()),
        (Some(EndReason::Finished), "It is 5.")
    );
    assert_eq!(results(&report.messages), ["5"]);
    assert_eq!(
        told.types(),
        [
            "turn_started",
            "tool_call_started",
            "tool_call_delta",
            "usage",
            "reply",
            "tool_call",
            "tool_result",
            "message_delta",
            "usage",
            "reply",
            "end"
        ]
    );
}

#[tokio::test]
async fn mistakes_go_back_to_the_model() {
    let model = ScriptedModel::new()
        .calls([
            ("ad", json!({})),
            ("add", json!({ "a": "x" })),
            ("add", json!({ "a": "2", "b": 3 })),
            ("explode", json!({})),
        ])
        .say("Sorry.");
    insta::assert_debug_snapshot!(read_back(model).await, @r#"
        [
            "!unknown tool `ad`; did you mean `add`?",
            "!`/a`: expected an integer, got the string \"x\"; write the number without quotes\n`/b`: expected an integer (The second), got nothing; this key is required",
            "5 | [repaired: `/a`: read the string \"2\" as the integer 2]",
            "!the tool panicked, which is a defect in it: boom",
        ]
        "#);
}

#[tokio::test]
async fn what_needs_approval_is_denied_where_nobody_can_be_asked() {
    let model = ScriptedModel::new()
        .call("delete", json!({ "path": "a" }))
        .say("I could not.");
    insta::assert_debug_snapshot!(read_back(model).await, @r#"
        [
            "!Tool call denied: it needs approval, and no approver is attached",
        ]
        "#);
}

/// Says the same of everything.
struct FixedApprover(Decision);

impl Approver for FixedApprover {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        std::future::ready(self.0.clone().into()).boxed()
    }
}

/// Allows what is about one path, and says no to the rest.
struct PathAApprover;

impl Approver for PathAApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let decision = if question.arguments.contains("\"a\"") {
            Decision::allow_once()
        } else {
            Decision::RejectOnce {
                message: Some("only a".into()),
            }
        };
        std::future::ready(decision.into()).boxed()
    }
}

#[tokio::test]
async fn an_approver_decides_call_by_call() {
    let told = EventLog::default();
    let model = ScriptedModel::new()
        .calls([
            ("delete", json!({ "path": "a" })),
            ("delete", json!({ "path": "b" })),
        ])
        .say("Done.");
    let agent = Agent::new("main", model)
        .toolset(tools())
        .approver(PathAApprover);
    let report = agent
        .run(
            vec![Message::user("go")],
            &ToolContext::new(),
            told.listener(),
        )
        .await;
    insta::assert_debug_snapshot!(results(&report.messages), @r#"
        [
            "deleted a",
            "!Tool call rejected by user: only a",
        ]
        "#);
    let asked = told
        .types()
        .into_iter()
        .filter(|kind| kind.starts_with("approval"))
        .collect::<Vec<_>>();
    assert_eq!(
        asked
            .iter()
            .filter(|kind| *kind == "approval_requested")
            .count(),
        2
    );
    assert_eq!(
        asked
            .iter()
            .filter(|kind| *kind == "approval_decided")
            .count(),
        2
    );
}

#[tokio::test]
async fn calls_that_only_read_run_side_by_side() {
    // Each of the three waits for the others: one after the other they would never end.
    let context = helve::testing::context_with(Barrier::new(3));
    let meet = || ("meet", json!({}));
    let model = ScriptedModel::new()
        .calls([meet(), meet(), meet()])
        .say("Met.");
    let agent = Agent::new("main", model).toolset(tools());
    let report = agent.run(vec![Message::user("go")], &context, |_| {}).await;
    assert_eq!(results(&report.messages), ["met", "met", "met"]);
}

#[tokio::test]
async fn an_interrupt_leaves_every_call_with_a_result() {
    let begun = Arc::new(Notify::new());
    let mut state = State::new();
    state.insert_arc(begun.clone());
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let model = ScriptedModel::new()
        .calls([("hang", json!({})), ("add", json!({ "a": 1, "b": 1 }))])
        .say("never said");
    let agent = Agent::new("main", model).toolset(tools());
    let interrupt = async {
        begun.notified().await;
        context.cancellation().cancel();
    };
    let (report, ()) = tokio::join!(
        agent.run(vec![Message::user("go")], &context, |_| {}),
        interrupt
    );
    assert_eq!(report.end(), Some(EndReason::Interrupted));
    insta::assert_debug_snapshot!(results(&report.messages), @r#"
        [
            "!the call was cancelled",
            "2",
        ]
        "#);
}

#[tokio::test]
async fn progress_reaches_the_screen_and_not_the_model() {
    let told = EventLog::default();
    let model = ScriptedModel::new()
        .call("count", json!({}))
        .say("Counted.");
    let agent = Agent::new("main", model).toolset(tools());
    let report = agent
        .run(
            vec![Message::user("go")],
            &ToolContext::new(),
            told.listener(),
        )
        .await;
    assert_eq!(results(&report.messages), ["counted"]);
    let told = told.0.lock().unwrap_or_else(PoisonError::into_inner);
    let progress: Vec<_> = told
        .iter()
        .filter(|event| event["type"] == "tool_progress")
        .collect();
    insta::assert_json_snapshot!(progress, @r#"
        [
          {
            "type": "tool_progress",
            "call": "call_1",
            "progress": 1.0,
            "total": 2.0,
            "audience": "internal",
            "agent": "main",
            "turn": "t1",
            "key": "t1/1.0"
          },
          {
            "type": "tool_progress",
            "call": "call_1",
            "message": "half",
            "audience": "internal",
            "agent": "main",
            "turn": "t1",
            "key": "t1/1.0"
          },
          {
            "type": "tool_progress",
            "call": "call_1",
            "closed": true,
            "audience": "user",
            "agent": "main",
            "turn": "t1",
            "key": "t1/1.0"
          }
        ]
        "#);
}

#[tokio::test]
async fn a_fatal_error_ends_the_run() {
    let model = ScriptedModel::new()
        .call("give_up", json!({}))
        .say("never said");
    let agent = Agent::new("main", model).toolset(tools());
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    assert_eq!(report.end(), Some(EndReason::Fatal));
    assert_eq!(results(&report.messages), ["!the disk is gone"]);
}

#[tokio::test]
async fn a_bound_ends_a_model_that_never_stops() {
    let again = |model: ScriptedModel| model.call("add", json!({ "a": 1, "b": 1 }));
    let model = (0..9).fold(ScriptedModel::new(), |model, _| again(model));
    let agent = Agent::new("main", model)
        .toolset(tools())
        .bounds(Bounds::new(3));
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    assert_eq!(report.end(), Some(EndReason::ModelCalls));
}

#[tokio::test]
async fn a_model_that_fails_is_told() {
    let agent = Agent::new("main", ScriptedModel::new().fail("overloaded")).toolset(tools());
    let report = agent
        .run(vec![Message::user("go")], &ToolContext::new(), |_| {})
        .await;
    assert_eq!(report.end(), Some(EndReason::ModelFailed));
    insta::assert_snapshot!(report.error.expect("an error"), @r#"the model could not reply: overloaded"#);
}
