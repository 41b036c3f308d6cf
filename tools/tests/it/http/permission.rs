//! Which requests ask, and what the question says.

use helve::permission::{Mode, Policy, Rules, Verdict};
use serde_json::{Value, json};

use super::server::{Server, reply};
use super::{call, context};

fn judged(policy: &Policy, arguments: &Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    let preset = json!({ "base_url": "https://api.example.com/v1", "secret": "API_KEY" });
    let cx = context(
        "https://api.example.com",
        json!({ "presets": { "p": preset } }),
        folder.path(),
    );
    let tool = helve_tools::http().get("http_request").unwrap();
    let judgement = policy.judge(&*tool, &cx, &arguments.to_string()).unwrap();
    match judgement.verdict {
        Verdict::Ask {
            reason,
            suggestions,
            ..
        } => {
            format!("asks: {reason} {suggestions:?}")
        }
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn methods_that_change_something_ask() {
    let policy = Policy::new(Mode::Default);
    let url = "https://api.example.com/v1/items";
    let mut all = Vec::new();
    for arguments in [
        json!({ "url": url }),
        json!({ "url": url, "method": "HEAD" }),
        json!({ "url": url, "save_to": "items.json" }),
        json!({ "url": format!("{url}?a=b"), "method": "POST", "json": { "a": "b" } }),
        json!({ "url": "items/1", "method": "DELETE", "preset": "p" }),
        json!({ "url": "nonsense", "method": "POST" }),
    ] {
        all.push(judged(&policy, &arguments));
    }
    insta::assert_snapshot!(all.join("\n"), @r#"
    Allow
    Allow
    asks: sends GET https://api.example.com/v1/items, and writes `items.json` [Rule { tool: "http_request", content: Some("GET api.example.com/v1/items") }, Rule { tool: "http_request", content: Some("GET api.example.com/**") }]
    asks: sends POST https://api.example.com/v1/items, with a query of 3 bytes, with 9 bytes of JSON [Rule { tool: "http_request", content: Some("POST api.example.com/v1/items") }, Rule { tool: "http_request", content: Some("POST api.example.com/**") }]
    asks: sends DELETE https://api.example.com/v1/items/1, with the secret `API_KEY` [Rule { tool: "http_request", content: Some("DELETE api.example.com/v1/items/1") }, Rule { tool: "http_request", content: Some("DELETE api.example.com/**") }]
    Allow
    "#);
}

#[tokio::test]
async fn rules_answer_for_their_method_host_and_path() {
    let rules = Rules::new()
        .allow(
            "http_request(POST api.example.com/v1/items/**)"
                .parse()
                .unwrap(),
        )
        .deny("http_request(api.example.com/v1/admin/**)".parse().unwrap());
    let policy = Policy::new(Mode::Default).rules(rules);
    let mut all = Vec::new();
    for (method, url) in [
        ("POST", "https://api.example.com/v1/items/1"),
        ("PUT", "https://api.example.com/v1/items/1"),
        (
            "POST",
            "https://api.example.com/v1/items/..%2f..%2fv1%2fadmin/x",
        ),
        ("GET", "https://api.example.com/v1/%61dmin/x"),
    ] {
        let verdict = judged(&policy, &json!({ "url": url, "method": method }));
        all.push(format!(
            "{method} {url}: {}",
            verdict.split([' ', ':']).next().unwrap()
        ));
    }
    insta::assert_snapshot!(all.join("\n"), @"
    POST https://api.example.com/v1/items/1: Allow
    PUT https://api.example.com/v1/items/1: asks
    POST https://api.example.com/v1/items/..%2f..%2fv1%2fadmin/x: Deny
    GET https://api.example.com/v1/%61dmin/x: Deny
    ");
}

#[tokio::test]
async fn a_dry_run_shows_the_request_and_sends_nothing() {
    let server = Server::start(|_| reply("200 OK", "x: y", "")).await;
    let folder = tempfile::tempdir().unwrap();
    let preset = json!({ "base_url": server.origin(), "secret": "API_KEY" });
    let cx = context(
        &server.origin(),
        json!({ "presets": { "p": preset } }),
        folder.path(),
    );
    let cx = cx.derive().dry_run(true).build();
    let arguments = json!({ "preset": "p", "url": "a?b=c", "method": "POST", "json": { "d": 1 } });
    let shown = call(&cx, arguments).await;
    insta::assert_snapshot!(server.without_port(&shown), @r#"
    would send POST http://127.0.0.1:PORT/a, with a query of 3 bytes, with 7 bytes of JSON, with the secret `API_KEY`

    POST http://127.0.0.1:PORT/a?b=c
    Content-Type: application/json

    {"d":1}
    "#);
    assert_eq!(server.asked(), "");
}
