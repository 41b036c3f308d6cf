//! Which requests ask, and what the question says.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use helve::capability::GuardedHttp;
use helve::network::{HostRules, Resolve};
use helve::permission::{Mode, Policy, Rule, Rules, Verdict};
use helve::{BoxFuture, ToolContext};
use proptest::prelude::*;
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
        json!({ "url": url, "method": "OPTIONS" }),
        // Nothing is sent.
        json!({ "url": url, "method": "OPTIONS", "file": "notes/customers.csv" }),
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
    Allow
    Allow
    "#);
    let server = Server::start(|_| reply("200 OK", "x: y", "")).await;
    let arguments = json!({ "url": server.origin(), "method": "OPTIONS", "text": "all of it" });
    let answer = super::call_at(&server, arguments).await;
    assert_eq!(
        answer,
        "error: a request with OPTIONS has no body; use POST, PUT or PATCH"
    );
    assert_eq!(server.asked(), "");
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

/// Every name is that of a public host.
#[derive(Debug)]
struct Anywhere;

impl Resolve for Anywhere {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::ready(Ok(vec![IpAddr::from([
            93, 184, 216, 34,
        ])])))
    }

    fn is_own(&self, _: IpAddr) -> bool {
        false
    }
}

fn is_denied(tool: &str, rule: &str, url: &str) -> bool {
    let rules = Rules::new().deny(Rule::calls(tool, rule));
    let policy = Policy::new(Mode::Default).rules(rules);
    let tools = helve_tools::http();
    #[cfg(feature = "web")]
    let tools = tools.layered(&helve_tools::web());
    let tool = tools.get(tool).unwrap();
    let arguments = json!({ "url": url }).to_string();
    let judgement = policy.judge(&*tool, &ToolContext::new(), &arguments);
    matches!(judgement.unwrap().verdict, Verdict::Deny { .. })
}

/// Writes a host in some of its ways.
fn spellings() -> impl Strategy<Value = String> {
    let label = prop_oneof![
        "[a-zA-Z0-9]{1,5}",
        "[a-z]{0,2}[ßüÅ\u{ff41}\u{3b1}\u{ad}][a-z]{0,2}",
        Just("xn--bcher-kva".to_owned()),
        "%[46][1-9]",
    ];
    let dot = prop_oneof![Just("."), Just("\u{3002}"), Just("\u{ff0e}")];
    let name = (label.clone(), dot, label, prop_oneof![Just(""), Just(".")]);
    let name = name.prop_map(|(one, dot, other, end)| format!("{one}{dot}{other}.example{end}"));
    let address = prop_oneof![
        Just("0x5d.0xb8d822"),
        Just("93.184.216.34."),
        Just("0135.0270.55330"),
        Just("1572395042"),
        Just("[::ffff:93.184.216.34]"),
        Just("[64:ff9b::5db8:d822]"),
    ];
    prop_oneof![4 => name, 1 => address.prop_map(str::to_owned)]
}

fn urls() -> impl Strategy<Value = String> {
    let start = prop_oneof![
        Just("https://"),
        Just("http://"),
        Just(" HTTPS:\\\\"),
        Just("https:/"),
        Just("\u{3000}https://"),
        Just("https://a@"),
    ];
    let port = prop_oneof![
        Just(""),
        Just(":443"),
        Just(":80"),
        Just(":8443"),
        Just(":")
    ];
    let path = prop_oneof![
        Just(""),
        Just("/a/../b"),
        Just("?x=//y"),
        Just("#z"),
        Just("\\c")
    ];
    (start, spellings(), port, path)
        .prop_map(|(start, host, port, path)| format!("{start}{host}{port}{path}"))
}

proptest! {
    /// What the client would connect to is what the rules are about, however the URL spells it.
    #[test]
    fn a_rule_denies_the_host_that_the_client_would_reach(url in urls()) {
        let all = HostRules::from_allowed(["*:*", "93.184.216.34:*"]);
        let http = GuardedHttp::new(&all).unwrap().resolver(Arc::new(Anywhere));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let Ok(destination) = runtime.block_on(http.judge(&url)) else {
            return Ok(());
        };
        let host = destination.host.to_string();
        for rule in [format!("* {host}/**"), format!("GET {host}"), format!("* {host}:{}/**", destination.port)] {
            prop_assert!(is_denied("http_request", &rule, &url), "{rule}: {url}");
        }
        prop_assert!(!is_denied("http_request", "* other.example/**", &url), "{url}");
        #[cfg(feature = "web")]
        prop_assert!(is_denied("web_fetch", &format!("domain:{host}"), &url), "{host}: {url}");
    }
}
