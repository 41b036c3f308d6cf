//! Calls that a model makes.

use serde_json::{Value, json};

use super::{TOKEN, WITHOUT_QUESTIONS, page, place, place_with, web};
use crate::config::fixture::ConfigFixture;
use crate::config::server::{ModelReply, TestServer};

/// Runs the agent with a model that makes these calls, and returns what the model was told of each.
fn results_for_model(place: &ConfigFixture, calls: &[(&str, Value)]) -> Vec<String> {
    let replies = calls
        .iter()
        .map(|(tool, arguments)| ModelReply::tool_call(tool, arguments));
    let model = TestServer::with_replies(replies.chain([ModelReply::message("Done.")]));
    let url = model.url();
    let seen = place.run(&[
        "run",
        "go",
        "--model",
        "groq/m",
        "--base-url",
        &url,
        "--mode",
        "bypass",
    ]);
    assert!(seen.starts_with("exit 0"), "{seen}");
    let requests = model.requests();
    assert_eq!(requests.len(), calls.len() + 1, "{seen}");
    let results = requests[1..].iter().map(|request| {
        let body = request.json();
        let last = body["messages"]
            .as_array()
            .and_then(|messages| messages.last());
        let last = last.expect("a message");
        assert_eq!(last["role"], "tool", "{last}");
        last["content"].as_str().expect("a text").to_owned()
    });
    results.collect()
}

#[test]
fn a_search_for_tools_finds_them() {
    let server = web();
    let queries = [
        ("read a web page", "web_fetch"),
        ("search the internet for something", "web_search"),
        ("send a request to a REST API", "http_request"),
        ("run the linter and the tests of the project", "check_code"),
    ];
    let calls: Vec<(&str, Value)> = queries
        .iter()
        .map(|(query, _)| ("tool_search", json!({ "query": query })))
        .collect();
    let told = results_for_model(&place(&server), &calls);
    for ((query, tool), told) in queries.iter().zip(&told) {
        assert!(told.contains(tool), "{query}: {told}");
    }
}

#[test]
fn results_are_used_again_where_that_is_right() {
    let server = web();
    let page = json!({ "url": page(&server) });
    let search = json!({ "query": "the tower" });
    let request = json!({ "preset": "tracker", "url": "items", "pick": "/items/0/id" });
    let calls = [
        ("web_fetch", page.clone()),
        ("web_fetch", page),
        ("web_search", search.clone()),
        ("web_search", search),
        ("http_request", request.clone()),
        ("http_request", request),
    ];
    let told = results_for_model(&place_with(&server, WITHOUT_QUESTIONS), &calls);
    assert_eq!(told[0], told[1]);
    assert_eq!(told[2], told[3]);
    let asked: Vec<String> = server
        .requests()
        .iter()
        .map(|request| {
            let (method, path) = request.request_line();
            format!("{method} {}", path.split('?').next().unwrap_or_default())
        })
        .collect();
    // The search asks for a second page, since the first one has less than it wants. The state of a service may be another
    // one each time.
    assert_eq!(
        asked,
        [
            "GET /page",
            "GET /search",
            "GET /search",
            "GET /v1/items",
            "GET /v1/items"
        ]
    );
}

#[test]
fn results_are_those_of_others_and_have_no_secret() {
    let server = web();
    let calls = [
        ("web_fetch", json!({ "url": page(&server) })),
        ("web_search", json!({ "query": "the tower" })),
        (
            "http_request",
            json!({ "preset": "tracker", "url": "items" }),
        ),
    ];
    let told = results_for_model(&place_with(&server, WITHOUT_QUESTIONS), &calls);
    for told in &told {
        assert!(told.starts_with("<untrusted source=\""), "{told}");
        assert!(!told.contains(TOKEN), "{told}");
    }
}
