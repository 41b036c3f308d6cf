//! The call pipeline: an agent's turn, a client of the MCP server and a person with `call` get the same verdict, the same
//! hooks, the same result and the same words for the same call.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "a tool's signature is what is tested, and tests fail by panicking"
)]

mod entry_points;
mod once;
#[path = "../../runtime/tests/support/wire.rs"]
mod wire;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, FutureExt};
use helve::agent::{Agent, CallSite, Hook, Next};
use helve::model::{ModelEvent, ScriptedModel, StopReason};
use helve::permission::{Answer, Approver, Decision, Mode, Policy, Question, Rules, Verdict};
use helve::prelude::*;
use helve::serve::Server;
use helve::tool::{CallPart, CheckReport, Preview};
use helve::transcript::{ContentBlock, Message};
use helve::{Check, Risk};
use serde_json::{Value, json};
use wire::WireClient;

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

/// Panics.
#[tool(read_only)]
fn explode() {
    panic!("boom")
}

/// Panics while it is judged.
#[tool(check = panicking_check)]
fn cracked() {}

fn panicking_check(_: &ToolContext) -> Check {
    panic!("no verdict")
}

/// Deletes a station.
#[tool(destructive, check = only_ours)]
fn delete_station(
    /// Its name.
    name: &str,
) -> String {
    format!("deleted {name}")
}

fn only_ours(_: &ToolContext, name: &str) -> CheckReport {
    let check = match name {
        "theirs" => Check::deny("it is not ours"),
        _ => Check::ask(format!("delete {name}?")),
    };
    let preview = Preview::diff("stations", Some(&format!("{name}\n")), "");
    check
        .with_parts([CallPart::new(name)])
        .with_preview(preview)
}

/// Is forbidden by a rule.
#[tool(destructive)]
fn forbidden() -> &'static str {
    "it ran"
}

/// Is forbidden by a hook.
#[tool(read_only)]
fn vetoed() -> &'static str {
    "it ran"
}

/// Is changed by a hook.
#[tool(read_only)]
fn marked() -> &'static str {
    "result"
}

/// Has a hook around it that panics.
#[tool(read_only)]
fn haunted() -> &'static str {
    "it ran"
}

/// Writes.
#[tool(destructive)]
fn write(
    /// What.
    text: &str,
) -> String {
    format!("wrote {text}")
}

/// Fails.
#[tool(read_only)]
fn broken() -> Result<String, std::io::Error> {
    Err(std::io::Error::other("the station is closed"))
}

/// How often [`counted`] ran.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Counts its runs.
#[tool(read_only, cached)]
fn counted(
    /// What it counts.
    what: &str,
    cx: &ToolContext,
) -> String {
    cx.reads("the world", 1, || 1);
    let run = RUNS.fetch_add(1, Ordering::SeqCst) + 1;
    format!("{what}: run {run}")
}

struct TestHook;

impl Hook for TestHook {
    fn permission<'a>(
        &'a self,
        site: &'a CallSite,
        next: Next<'a, (), Verdict>,
    ) -> BoxFuture<'a, Verdict> {
        async move {
            match &*site.call.name {
                "vetoed" => Verdict::deny("the app says no"),
                _ => next.run(()).await,
            }
        }
        .boxed()
    }

    fn tool_call<'a>(
        &'a self,
        site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        async move {
            match &*site.call.name {
                "marked" => {
                    let output = next.run(context).await?;
                    Ok(ToolOutput::plain(format!("{} (marked)", output.text())))
                }
                "haunted" => panic!("a ghost"),
                _ => next.run(context).await,
            }
        }
        .boxed()
    }
}

/// Lets everything run, and keeps what it was asked.
#[derive(Clone, Default)]
struct RecordingApprover(Arc<Mutex<Vec<Question>>>);

impl Approver for RecordingApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.lock().unwrap().push(question.clone());
        std::future::ready(Decision::allow_once().into()).boxed()
    }
}

impl RecordingApprover {
    /// Returns what the last question says, whoever put it.
    fn last(&self) -> Option<Value> {
        let asked = self.0.lock().unwrap();
        let question = asked.last()?;
        Some(json!({
            "tool": question.tool, "arguments": question.arguments, "reason": question.reason,
            "safety": question.safety, "suggestions": question.suggestions, "part": question.part,
            "parts": question.parts, "preview": question.preview,
        }))
    }
}

fn tools() -> Toolset {
    toolset![
        add,
        explode,
        cracked,
        delete_station,
        forbidden,
        vetoed,
        marked,
        haunted,
        write,
        broken,
        counted
    ]
}

fn policy() -> Policy {
    let rules = Rules::new().deny("forbidden".parse().unwrap());
    Policy::new(Mode::Default).rules(rules)
}

/// A model that makes one call, with its arguments as they stand.
fn calling(tool: &str, arguments: &str) -> ScriptedModel {
    calling_times(tool, arguments, 1)
}

/// A model that makes one call so many times, one after the other.
fn calling_times(tool: &str, arguments: &str, times: usize) -> ScriptedModel {
    let model = (0..times).fold(ScriptedModel::new(), |model, time| {
        let id = format!("call_{}", time + 1);
        model.reply_with([
            ModelEvent::ToolCallStart {
                id: id.as_str().into(),
                name: tool.into(),
            },
            ModelEvent::ToolCallDelta {
                id: id.as_str().into(),
                arguments: arguments.to_owned(),
            },
            ModelEvent::Stop {
                reason: StopReason::ToolUse,
            },
        ])
    });
    model.say("done")
}

#[tokio::test]
async fn what_is_repaired_is_what_is_shown_and_run() {
    let said = entry_points::by_an_agent(&entry_points::Case::new("write", r#"{text: "x"}"#)).await;
    let ran = &said.results[0];
    assert!(ran.starts_with("wrote x\n[repaired:"), "{ran}");
    assert_eq!(
        said.question.unwrap()["arguments"],
        json!(r#"{"text":"x"}"#)
    );
}

#[tokio::test]
async fn a_tools_own_denial_holds_in_a_test_of_the_tool_too() {
    let call = |name: &'static str| helve::testing::call(delete_station, json!({ "name": name }));
    let denied = call("theirs").await.unwrap_err();
    assert!(matches!(denied, ToolError::Denied(_)), "{denied}");
    assert_eq!(call("ours").await.unwrap().text(), "deleted ours");
    let registry = helve::Registry::collect().unwrap();
    let arguments = r#"{"name":"theirs"}"#;
    let context = ToolContext::new();
    let denied = registry.call("delete_station", arguments, &context).await;
    assert!(matches!(denied, Err(ToolError::Denied(_))));
}
