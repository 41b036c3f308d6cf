//! Connections of commands that served calls start: approved by the session that read the text, if it can ask.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use helve::capability::Grants;
use helve::permission::{Answer, Approver, Decision, Mode, Policy, Question};
use helve::prelude::*;
use helve::sandbox::{
    Egress, EgressGate, Enforcement, LazySandbox, LocalFs, OutputChunk, ProcessId, ProcessSpec,
    ProcessStatus, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId, Signal, TerminalSize,
};
use helve::serve::{Server, ServerBuilder};
use helve::tool::State;
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::tools::fetch;
use super::wire::{WireClient, pretty, text};

/// A sandbox that starts no processes and has a gate.
#[derive(Debug)]
struct Gated {
    id: SandboxId,
    enforcement: Enforcement,
    gate: Arc<EgressGate>,
}

impl Gated {
    fn behind(gate: &Arc<EgressGate>) -> Arc<dyn Sandbox> {
        Arc::new(Self {
            id: SandboxId::new("gated").unwrap(),
            enforcement: Enforcement::new("test"),
            gate: Arc::clone(gate),
        })
    }
}

type Answered<'a, T> = BoxFuture<'a, Result<T, SandboxError>>;

fn unavailable<T: Send + 'static>() -> Answered<'static, T> {
    let (kind, why) = ("test".to_owned(), "it starts no processes".to_owned());
    std::future::ready(Err(SandboxError::Unavailable { kind, why })).boxed()
}

impl Sandbox for Gated {
    fn id(&self) -> &SandboxId {
        &self.id
    }
    fn enforcement(&self) -> &Enforcement {
        &self.enforcement
    }
    fn egress(&self) -> Egress {
        Egress::Gated(Arc::clone(&self.gate))
    }
    fn files(&self) -> Arc<dyn SandboxFs> {
        Arc::new(LocalFs::new(std::env::temp_dir()).unwrap())
    }
    fn start(&self, _: ProcessSpec) -> Answered<'_, ProcessStatus> {
        unavailable()
    }
    fn read(&self, _: ReadOutput) -> Answered<'_, OutputChunk> {
        unavailable()
    }
    fn write<'a>(&'a self, _: &'a ProcessId, _: Vec<u8>, _: bool) -> Answered<'a, ()> {
        unavailable()
    }
    fn resize<'a>(&'a self, _: &'a ProcessId, _: TerminalSize) -> Answered<'a, ()> {
        unavailable()
    }
    fn signal<'a>(&'a self, _: &'a ProcessId, _: Signal) -> Answered<'a, ()> {
        unavailable()
    }
    fn status<'a>(&'a self, _: &'a ProcessId, _: Duration) -> Answered<'a, ProcessStatus> {
        unavailable()
    }
    fn list(&self) -> Answered<'_, Vec<ProcessStatus>> {
        unavailable()
    }
    fn project<'a>(
        &'a self,
        _: &'a std::path::Path,
        _: &'a str,
    ) -> Answered<'a, std::path::PathBuf> {
        unavailable()
    }
    fn close(&self) -> Answered<'_, ()> {
        std::future::ready(Ok(())).boxed()
    }
}
/// Runs a command that connects to a host.
#[tool(requires(process))]
async fn run(
    /// The host.
    host: &str,
    gate: &Arc<EgressGate>,
) -> String {
    match gate.admit(host, 443, false).await {
        Ok(()) => format!("connected to {host}"),
        Err(why) => why,
    }
}

/// Starts a command that connects to a host when the call is over.
#[tool(requires(process))]
fn run_later(
    /// The host.
    host: &str,
    gate: &Arc<EgressGate>,
    background: &Background,
) -> &'static str {
    let (host, gate, background) = (host.to_owned(), Arc::clone(gate), background.clone());
    tokio::spawn(async move {
        background.go.notified().await;
        let admitted = gate.admit(&host, 443, false).await;
        *background.result.lock().unwrap() = Some(admitted);
        background.done.notify_one();
    });
    "started"
}

/// A command in the background.
#[derive(Clone, Default)]
struct Background {
    go: Arc<Notify>,
    done: Arc<Notify>,
    result: Arc<std::sync::Mutex<Option<Result<(), String>>>>,
}

/// A context with a sandbox of its own.
fn context(background: &Background) -> ToolContext {
    let gate = EgressGate::new();
    let mut state = State::new();
    state.insert(Arc::clone(&gate));
    state.insert(background.clone());
    let grants = Grants {
        sandbox: Some(Arc::new(LazySandbox::from_opened(Gated::behind(&gate)))),
        ..Grants::default()
    };
    ToolContext::builder()
        .app(Arc::new(state))
        .grants(grants)
        .build()
}

/// A server whose sessions have a sandbox each, and that asks about nothing but what was read.
fn server(background: &Background) -> ServerBuilder {
    let background = background.clone();
    Server::builder("tested", "1.2.3")
        .tools(toolset![fetch, run, run_later])
        .policy(Policy::new(Mode::Bypass))
        .contexts(move |_| context(&background))
}

fn forms() -> Value {
    json!({ "elicitation": { "form": {} } })
}

async fn reads_a_page(wire: &mut WireClient) {
    wire.call("fetch", json!({ "url": "https://a.example" }))
        .await;
}

fn host(name: &str) -> Value {
    json!({ "host": name })
}

fn decides(decision: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision } })
}

#[tokio::test]
async fn the_person_behind_the_client_is_asked_before_a_command_connects() {
    let server = server(&Background::default()).build();
    let mut wire = WireClient::connect_legacy(&server, forms()).await;
    // Before anything was read, no approval is needed.
    assert_eq!(
        text(&wire.call("run", host("one.example")).await),
        "connected to one.example"
    );
    reads_a_page(&mut wire).await;
    let id = wire.start_call("run", host("one.example")).await;
    let asked = wire.next_request().await;
    assert_snapshot!(pretty(&asked["params"]), @r#"
    {
      "_meta": {
        "progressToken": 0
      },
      "mode": "form",
      "message": "Allow `run` to connect? a command connects to `one.example:443`, and the model has read untrusted text from `fetch` (https://a.example) with disregard, ignore-instructions in it\n\nArguments: {\"host\":\"one.example\"}",
      "requestedSchema": {
        "type": "object",
        "properties": {
          "decision": {
            "type": "string",
            "title": "Decision",
            "description": "Whether commands of this call may connect to this host",
            "enum": [
              "allow once",
              "deny"
            ]
          }
        },
        "required": [
          "decision"
        ]
      }
    }
    "#);
    wire.reply(&asked, decides("allow once")).await;
    assert_eq!(
        text(&wire.wait_response(id).await),
        "connected to one.example"
    );
    // The answer is about that call.
    let id = wire.start_call("run", host("one.example")).await;
    let asked = wire.next_request().await;
    wire.reply(&asked, decides("deny")).await;
    assert_snapshot!(text(&wire.wait_response(id).await), @"the connection to `one.example:443` was refused: untrusted text was read from `fetch` (https://a.example) with disregard, ignore-instructions in it, and the user rejected it; a rule of `sandbox.even_tainted` opens the host all the same");
}

#[tokio::test]
async fn a_client_that_asks_by_answers_is_asked_too() {
    let server = server(&Background::default()).build();
    let mut wire = WireClient::connect_modern(&server, forms());
    reads_a_page(&mut wire).await;
    let parked = wire.call("run", host("one.example")).await;
    let question = &parked["inputRequests"]["question-1"]["params"]["message"];
    assert!(
        question
            .as_str()
            .unwrap()
            .starts_with("Allow `run` to connect? a command connects to `one.example:443`"),
        "{question}"
    );
    let answers = json!({ "question-1": decides("allow once") });
    let state = &parked["requestState"];
    let done = wire.retry("run", host("one.example"), state, answers).await;
    assert_eq!(text(&done), "connected to one.example");
}

#[tokio::test]
async fn where_nobody_can_answer_it_is_denied_with_the_reason() {
    let server = server(&Background::default()).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    reads_a_page(&mut wire).await;
    assert_snapshot!(text(&wire.call("run", host("one.example")).await), @"the connection to `one.example:443` was refused: untrusted text was read from `fetch` (https://a.example) with disregard, ignore-instructions in it, and this client cannot ask its user; use a client that can ask (with elicitation); a rule of `sandbox.even_tainted` opens the host all the same");
}

/// Says yes, and counts.
#[derive(Clone, Default)]
struct Yes(Arc<std::sync::Mutex<Vec<String>>>);

impl Approver for Yes {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let asked = format!("{} {}", question.tool, question.arguments);
        self.0.lock().unwrap().push(asked);
        std::future::ready(Decision::allow_once().into()).boxed()
    }
}

#[tokio::test]
async fn whoever_is_appointed_to_answer_answers_for_connections() {
    let yes = Yes::default();
    let server = server(&Background::default()).approver(yes.clone()).build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    reads_a_page(&mut wire).await;
    assert_eq!(
        text(&wire.call("run", host("one.example")).await),
        "connected to one.example"
    );
    assert_eq!(*yes.0.lock().unwrap(), [r#"run {"host":"one.example"}"#]);
}

#[tokio::test]
async fn what_one_session_reads_holds_the_connections_of_no_other() {
    let server = server(&Background::default()).build();
    let mut reading = WireClient::connect_legacy(&server, forms()).await;
    let mut other = WireClient::connect_legacy(&server, forms()).await;
    reads_a_page(&mut reading).await;
    assert_eq!(
        text(&other.call("run", host("one.example")).await),
        "connected to one.example"
    );
    let id = reading.start_call("run", host("one.example")).await;
    let asked = reading.next_request().await;
    reading.reply(&asked, decides("deny")).await;
    let refused = text(&reading.wait_response(id).await);
    assert!(refused.contains("the user rejected it"), "{refused}");
}

#[tokio::test]
async fn a_command_that_connects_when_its_call_is_over_finds_nobody_to_ask() {
    let background = Background::default();
    let server = server(&background).build();
    let mut wire = WireClient::connect_legacy(&server, forms()).await;
    // What is read afterwards holds it all the same.
    wire.call("run_later", host("one.example")).await;
    reads_a_page(&mut wire).await;
    background.go.notify_one();
    background.done.notified().await;
    let refused = background.result.lock().unwrap().take().unwrap();
    let why = refused.unwrap_err();
    assert!(why.contains("no approver is attached"), "{why}");
}
