//! The call pipeline: an agent's turn, a client of the MCP server and a person with `call` get the same verdict, the same
//! hooks, the same result and the same words for the same call.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "a tool's signature is what is tested, and tests fail by panicking"
)]

mod once;
#[path = "../../runtime/tests/support/wire.rs"]
mod wire;

use std::process::Command;
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, FutureExt};
use helve::agent::{Agent, CallSite, Hook, Next};
use helve::cli::{App, Package};
use helve::model::{ModelEvent, ScriptedModel, StopReason};
use helve::permission::{Answer, Approver, Decision, Mode, Policy, Question, Rules, Verdict};
use helve::prelude::*;
use helve::serve::Server;
use helve::tool::{Checked, Part, Preview};
use helve::transcript::{ContentBlock, Message};
use helve::{Check, Risk};
use serde_json::{Value, json};
use wire::Wire;

/// Set in the process that is the app, and not its test: the call that it makes.
const CALL: &str = "HELVE_TEST_CALL";

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
#[tool(check = cracks)]
fn cracked() {}

fn cracks(_: &ToolContext) -> Check {
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

fn only_ours(_: &ToolContext, name: &str) -> Checked {
    let check = match name {
        "theirs" => Check::deny("it is not ours"),
        _ => Check::ask(format!("delete {name}?")),
    };
    let preview = Preview::diff("stations", Some(&format!("{name}\n")), "");
    check.of_parts([Part::new(name)]).showing(preview)
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

struct Hooked;

impl Hook for Hooked {
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
struct Asked(Arc<Mutex<Vec<Question>>>);

impl Approver for Asked {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.lock().unwrap().push(question.clone());
        std::future::ready(Decision::allow_once().into()).boxed()
    }
}

impl Asked {
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
        write
    ]
}

fn policy() -> Policy {
    let rules = Rules::new().deny("forbidden".parse().unwrap());
    Policy::new(Mode::Default).rules(rules)
}

/// What a call came to: its text, with `!` before an error.
type Seen = String;

fn seen(is_error: bool, text: &str) -> Seen {
    let sign = if is_error { "!" } else { "" };
    format!("{sign}{}", text.trim_end())
}

/// A model that makes one call, with its arguments as they stand.
fn calling(tool: &str, arguments: &str) -> ScriptedModel {
    let call = [
        ModelEvent::ToolCallStart {
            id: "call_1".into(),
            name: tool.into(),
        },
        ModelEvent::ToolCallDelta {
            id: "call_1".into(),
            arguments: arguments.to_owned(),
        },
        ModelEvent::Stop {
            reason: StopReason::ToolUse,
        },
    ];
    ScriptedModel::new().reply_with(call).say("done")
}

async fn by_an_agent(tool: &str, arguments: &str, dry_run: bool) -> (Seen, Option<Value>) {
    let asked = Asked::default();
    let model = calling(tool, arguments);
    let agent = Agent::new("main", model)
        .toolset(tools())
        .policy(policy())
        .approver(asked.clone())
        .hook(Hooked);
    let context = ToolContext::builder().dry_run(dry_run).build();
    let report = agent.run(vec![Message::user("go")], &context, |_| {}).await;
    let result = report.messages.iter().find_map(|message| match message {
        Message::Tool { content } => content.first(),
        _ => None,
    });
    let result = result.expect("a result");
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    let text: Vec<&str> = texts.collect();
    (seen(result.is_error, &text.join("\n")), asked.last())
}

async fn by_a_client(tool: &str, arguments: &str, dry_run: bool) -> (Seen, Option<Value>) {
    let asked = Asked::default();
    let server = Server::builder("calls", "1")
        .tools(tools())
        .policy(policy())
        .approver(asked.clone())
        .context(ToolContext::builder().dry_run(dry_run).build())
        .hook(Hooked)
        .build();
    let mut wire = Wire::old(&server, json!({})).await;
    let answer = wire
        .call(tool, serde_json::from_str(arguments).unwrap())
        .await;
    let blocks = answer["content"].as_array().unwrap().iter();
    let text: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    let is_error = answer["isError"] == json!(true);
    (seen(is_error, &text.join("\n")), asked.last())
}

/// The app that a person calls a tool of: this very test in a process of its own.
fn by_a_person(tool: &str, arguments: &str) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let this = module_path!().split_once("::");
    let app = this.map_or_else(String::new, |(_, module)| format!("{module}::")) + "is_the_app";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &app, "--quiet", "--nocapture"])
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env(CALL, format!("{tool} {arguments}"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() {
        let (_, said) = said.split_once("running 1 test\n").unwrap();
        return seen(false, said);
    }
    let (_, error) = complained.split_once("error: ").unwrap_or_default();
    seen(true, error)
}

#[test]
fn is_the_app() {
    let Ok(call) = std::env::var(CALL) else {
        return;
    };
    let (tool, arguments) = call.split_once(' ').unwrap();
    // Nothing else that is linked here is granted.
    let app = App::new(Package {
        name: "calls",
        version: "1",
        description: "",
        binary: None,
    });
    let code = app
        .pack(tools())
        .policy(policy())
        .hook(Hooked)
        .main_from(["calls", "call", tool, arguments]);
    std::process::exit(i32::from(code != std::process::ExitCode::SUCCESS));
}

/// Each call, and what it comes to on every path.
const CALLS: &[(&str, &str, &str)] = &[
    ("add", r#"{"a":2,"b":3}"#, "5"),
    (
        "add",
        r#"{"a":"2","b":3}"#,
        "5\n[repaired: `/a`: read the string \"2\" as the integer 2]",
    ),
    (
        "add",
        r#"{"a":2}"#,
        "!`/b`: expected an integer (The second), got nothing; this key is required",
    ),
    (
        "explode",
        "{}",
        "!the tool panicked, which is a defect in it: boom",
    ),
    (
        "cracked",
        "{}",
        "!the tool panicked, which is a defect in it: no verdict",
    ),
    ("delete_station", r#"{"name":"ours"}"#, "deleted ours"),
    (
        "delete_station",
        r#"{"name":"theirs"}"#,
        "!Tool call denied: it is not ours",
    ),
    (
        "forbidden",
        "{}",
        "!Tool call denied: the rule `forbidden` denies it",
    ),
    ("vetoed", "{}", "!Tool call denied: the app says no"),
    ("marked", "{}", "result (marked)"),
    ("haunted", "{}", "!a hook panicked: a ghost"),
    ("write", r#"{"text":"x"}"#, "wrote x"),
];

#[tokio::test]
async fn a_call_comes_to_the_same_on_every_path() {
    for (tool, arguments, expected) in CALLS {
        let (agent, asked_by_agent) = by_an_agent(tool, arguments, false).await;
        let (client, asked_by_server) = by_a_client(tool, arguments, false).await;
        let person = by_a_person(tool, arguments);
        assert_eq!(
            (&*agent, &*client, &*person),
            (*expected, *expected, *expected),
            "{tool} {arguments}"
        );
        // Verdict and facts: who is asked is asked the same.
        assert_eq!(asked_by_agent, asked_by_server, "{tool} {arguments}");
    }
}

#[tokio::test]
async fn a_dry_run_says_the_same_on_every_path() {
    let dry = |tool: &str, arguments: &str| {
        format!("Dry run, nothing was done: would call {tool} with {arguments}")
    };
    for (tool, arguments, expected) in [
        ("write", r#"{"text":"x"}"#, dry("write", r#"{"text":"x"}"#)),
        ("add", r#"{"a":1,"b":1}"#, "2".to_owned()),
        (
            "forbidden",
            "{}",
            "!Tool call denied: the rule `forbidden` denies it".to_owned(),
        ),
    ] {
        let (agent, asked_by_agent) = by_an_agent(tool, arguments, true).await;
        let (client, asked_by_server) = by_a_client(tool, arguments, true).await;
        assert_eq!(
            (&agent, &client),
            (&expected, &expected),
            "{tool} {arguments}"
        );
        assert_eq!((asked_by_agent, asked_by_server), (None, None));
    }
}

#[tokio::test]
async fn what_is_repaired_is_what_is_shown_and_run() {
    let (ran, asked) = by_an_agent("write", r#"{text: "x"}"#, false).await;
    assert!(ran.starts_with("wrote x\n[repaired:"), "{ran}");
    assert_eq!(asked.unwrap()["arguments"], json!(r#"{"text":"x"}"#));
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
