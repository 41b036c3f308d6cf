//! Results of the tools of the web that the app shortens by reducers of its own, and uses again.
#![cfg(all(feature = "files", feature = "http-request", feature = "web-search"))]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and their server listens"
)]

use std::sync::Arc;

use helve::ToolContext;
use helve::agent::{Agent, ResultCache};
use helve::capability::{GrantedSecrets, Grants, GuardedHttp};
use helve::model::ScriptedModel;
use helve::network::HostRules;
use helve::permission::{Mode, Policy, UntrustedPolicy};
use helve::results::reducer::{ReducedText, ReducerContext, Reducers};
use helve::results::{MemorySpill, ResultPipeline};
use helve::tool::State;
use helve::transcript::{ContentBlock, Message, SessionId};
use helve_tools::http::HttpRequestSettings;
use helve_tools::web_search::WebSearchSettings;
use serde_json::{Value, json};

use crate::loopback::{Server, reply};

/// A server that is a service and a search engine, with long answers.
async fn server() -> Server {
    Server::start(|request| {
        let hit = |at| json!({ "title": format!("Page {at}"), "url": format!("https://example.com/{at}"), "content": "words ".repeat(40) });
        let hits: Vec<Value> = (0..20).map(hit).collect();
        let body = match request.starts_with("GET /search") {
            true => json!({ "results": hits, "unresponsive_engines": [] }),
            false => json!({ "items": hits }),
        };
        reply("200 OK", "content-type: application/json", &body.to_string())
    })
    .await
}

/// What the model is told of calls.
async fn told(server: &Server, reducers: Reducers, calls: &[(&str, Value)]) -> Vec<String> {
    let http = GuardedHttp::new(&HostRules::from_allowed(["127.0.0.1:*"])).unwrap();
    let grants = Grants {
        http: Some(Arc::new(http)),
        secrets: Some(Arc::new(GrantedSecrets::new())),
        ..Grants::default()
    };
    let mut search = WebSearchSettings {
        provider: Some("searxng".to_owned()),
        ..WebSearchSettings::default()
    };
    search.base_url.searxng = Some(server.origin());
    let mut state = State::new();
    state.insert(search);
    state.insert(HttpRequestSettings::default());
    let context = ToolContext::builder().session(SessionId::new("s1"));
    let context = context.app(Arc::new(state)).grants(grants).build();
    let script = ScriptedModel::new();
    let script = calls.iter().fold(script, |model, (tool, arguments)| {
        model.call(tool, arguments.clone())
    });
    let agent = Agent::new("main", script.say("done"))
        .toolset(helve_tools::http().layered(&helve_tools::web_search()))
        .policy(Policy::new(Mode::Bypass).untrusted(UntrustedPolicy::Never))
        .reducers(reducers)
        .results(ResultPipeline::new().spill(Arc::new(MemorySpill::new())))
        .result_cache(ResultCache::new());
    let report = agent.run(vec![Message::user("go")], &context, |_| {}).await;
    let results = report.messages.iter().filter_map(|message| match message {
        Message::Tool { content } => Some(content),
        _ => None,
    });
    let texts = results.flatten().map(|result| {
        let blocks = result.content.iter().filter_map(ContentBlock::as_text);
        blocks.collect::<Vec<_>>().join("\n")
    });
    texts.collect()
}

fn calls(server: &Server) -> [(&'static str, Value); 2] {
    [
        ("http_request", json!({ "url": server.origin() })),
        ("web_search", json!({ "query": "pages", "count": 20 })),
    ]
}

#[tokio::test]
async fn an_app_shortens_them_as_it_likes() {
    let server = server().await;
    let first_line = |_: &ReducerContext<'_>, text: &str| text.lines().next().map(ReducedText::new);
    let reducers = Reducers::new();
    let reducers = reducers.with_reducer("http_request", first_line).unwrap();
    let reducers = reducers.with_reducer("web_search", first_line).unwrap();
    let whole = told(&server, Reducers::new(), &calls(&server)).await;
    let short = told(&server, reducers, &calls(&server)).await;
    assert!(whole.iter().all(|text| text.len() > 4_000), "{whole:?}");
    insta::assert_snapshot!(server.without_port(&short.join("\n---\n")), @r#"
    <untrusted source="http://127.0.0.1:PORT" tool="http_request">
    200 OK, application/json, 6071 bytes, shown whole
    </untrusted>
    [shortened: 49 of 6810 characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    ---
    <untrusted source="unknown" tool="web_search">
    20 results from searxng; more with `page` 2
    </untrusted>
    [shortened: 43 of 5654 characters; for all of it, read on with read_result(id="t1/2.0", offset=0)]
    "#);
}

#[tokio::test]
async fn the_same_search_is_made_once_and_a_request_each_time() {
    let server = server().await;
    let [request, search] = calls(&server);
    let again = json!({ "count": 20, "query": "pages" });
    let other = json!({ "query": "pages", "count": 20, "page": 2 });
    let calls = [
        request.clone(),
        request,
        search,
        ("web_search", again),
        ("web_search", other),
    ];
    let told = told(&server, Reducers::new(), &calls).await;
    assert_eq!(told[2], told[3]);
    let asked = server.asked();
    let lines: Vec<&str> = asked
        .lines()
        .filter(|line| line.starts_with("GET "))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    GET / HTTP/1.1
    GET / HTTP/1.1
    GET /search?q=pages&format=json&pageno=1 HTTP/1.1
    GET /search?q=pages&format=json&pageno=1 HTTP/1.1
    GET /search?q=pages&format=json&pageno=2 HTTP/1.1
    ");
}
