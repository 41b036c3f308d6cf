//! Requests of `http_request` to servers on loopback: what is sent, what comes back, and what hostile servers try.
#![cfg(all(feature = "files", feature = "http-request"))]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests fail by panicking, make their own files and listen"
)]

mod compressed;
mod hostile;
mod httpbin;
mod permission;
mod presets;
#[cfg(feature = "todo")]
mod questions;
#[cfg(feature = "todo")]
mod secrets;
#[cfg(feature = "web")]
mod vectors_ssrf;

use std::sync::Arc;
use std::time::Duration;

use helve::ToolContext;
use helve::capability::{GrantedSecrets, Grants, GuardedHttp, SecretRef};
use helve::network::HostRules;
use helve::sandbox::LocalFs;
use helve::tool::State;
use helve_tools::http::HttpRequestSettings;
use serde_json::{Value, json};

use self::server::{Server, reply};
use crate::loopback as server;

/// The secret of these tests.
const VALUE: &str = "s3cr3t/of+the \"key\"";

/// A context whose network is loopback, with settings and a secret for the origin of a server.
fn context(origin: &str, settings: Value, folder: &std::path::Path) -> ToolContext {
    let rules = HostRules::from_allowed(["127.0.0.1:*", "localhost:*"]);
    let http = GuardedHttp::new(&rules).unwrap();
    let http = http
        .response_limit(1 << 20)
        .time_limit(Duration::from_secs(5));
    let http = http.granted_secrets([SecretRef::new("API_KEY", origin)]);
    let mut state = State::new();
    state.insert(serde_json::from_value::<HttpRequestSettings>(settings).unwrap());
    let grants = Grants {
        http: Some(Arc::new(http)),
        secrets: Some(Arc::new(GrantedSecrets::new().with_value("API_KEY", VALUE))),
        files: Some(Arc::new(LocalFs::new(folder).unwrap())),
        ..Grants::default()
    };
    ToolContext::builder()
        .app(Arc::new(state))
        .grants(grants)
        .build()
}

async fn call(cx: &ToolContext, arguments: Value) -> String {
    let called = helve_tools::http()
        .call("http_request", &arguments.to_string(), cx)
        .await;
    called.map_or_else(
        |error| format!("error: {error}"),
        helve::ToolOutput::into_text,
    )
}

/// Calls the tool, and replaces the port of a server.
async fn call_at(server: &Server, arguments: Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    let cx = context(&server.origin(), json!({}), folder.path());
    server.without_port(&call(&cx, arguments).await)
}

#[tokio::test]
async fn a_request_says_what_the_arguments_say() {
    let server = Server::start(|_| {
        reply(
            "200 OK",
            "content-type: application/json",
            "{\"b\":[{\"c\":1},{\"c\":2}]}",
        )
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.txt"), "of a file").unwrap();
    let cx = context(&server.origin(), json!({}), folder.path());
    let url = format!("{}/a", server.origin());
    let mut all = Vec::new();
    for arguments in [
        json!({ "url": url, "query": { "q": "a b&c" }, "headers": { "Accept": "text/plain" }, "pick": "/b/*/c" }),
        json!({ "url": url, "method": "POST", "json": { "a": 1 } }),
        json!({ "url": url, "method": "PUT", "text": "ü" }),
        json!({ "url": url, "method": "PATCH", "form": { "a": "b c" } }),
        json!({ "url": url, "method": "DELETE", "file": "in.txt", "save_to": "out.json" }),
        json!({ "url": url, "headers": { "Authorization": "token {{secret:API_KEY}}" }, "pick": "/nothing" }),
    ] {
        all.push(call(&cx, arguments).await);
    }
    insta::assert_snapshot!(all.join("\n---\n"), @r#"
    200 OK, application/json, `/b/*/c` of 23 bytes, shown whole

    [
      1,
      2
    ]
    ---
    200 OK, application/json, 23 bytes, shown whole

    {
      "b": [
        {
          "c": 1
        },
        {
          "c": 2
        }
      ]
    }
    ---
    200 OK, application/json, 23 bytes, shown whole

    {
      "b": [
        {
          "c": 1
        },
        {
          "c": 2
        }
      ]
    }
    ---
    200 OK, application/json, 23 bytes, shown whole

    {
      "b": [
        {
          "c": 1
        },
        {
          "c": 2
        }
      ]
    }
    ---
    200 OK, application/json, 23 bytes, saved in `out.json`
    ---
    error: the answer has nothing at `/nothing`; its top level has the fields b
    "#);
    insta::assert_snapshot!(server.asked(), @r#"
    GET /a?q=a+b%26c HTTP/1.1
    accept: text/plain
    accept-encoding: gzip, deflate, br
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    POST /a HTTP/1.1
    content-type: application/json
    accept-encoding: gzip, deflate, br
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    content-length: 7

    {"a":1}
    PUT /a HTTP/1.1
    content-type: text/plain; charset=utf-8
    accept-encoding: gzip, deflate, br
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    content-length: 2

    ü
    PATCH /a HTTP/1.1
    content-type: application/x-www-form-urlencoded
    accept-encoding: gzip, deflate, br
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    content-length: 5

    a=b+c
    DELETE /a HTTP/1.1
    content-type: application/octet-stream
    accept-encoding: gzip, deflate, br
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    content-length: 9

    of a file
    GET /a HTTP/1.1
    accept-encoding: gzip, deflate, br
    authorization: token s3cr3t/of+the "key"
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    "#);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("out.json")).unwrap(),
        "{\"b\":[{\"c\":1},{\"c\":2}]}"
    );
}

/// A request that was sent has an answer, whatever becomes of its file.
#[tokio::test]
async fn an_answer_is_not_lost_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let raced = folder.path().join("raced.json");
    let server = Server::start(move |_| {
        std::fs::write(&raced, "of another").unwrap();
        reply("201 Created", "location: /orders/7", "{\"id\":7}")
    })
    .await;
    std::fs::write(folder.path().join("out.json"), "").unwrap();
    let cx = context(&server.origin(), json!({}), folder.path());
    let url = format!("{}/orders", server.origin());
    let order = |more: Value| {
        let mut arguments = json!({ "url": url, "method": "POST", "json": {} });
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        arguments
    };
    let there = call(&cx, order(json!({ "save_to": "out.json" }))).await;
    assert_eq!(
        there,
        "error: `out.json` exists, so that nothing was sent; give `save_to` a new path"
    );
    let outside = call(&cx, order(json!({ "save_to": "/outside/x" }))).await;
    assert!(
        outside.starts_with("error: ") && outside.contains("/outside/x"),
        "{outside}"
    );
    assert_eq!(server.asked(), "");
    let unwritten = call(&cx, order(json!({ "save_to": "raced.json" }))).await;
    let unpicked = call(&cx, order(json!({ "pick": "/number" }))).await;
    for (answer, why) in [
        (
            &unwritten,
            "; the request was sent and answered; `raced.json` was not written: ",
        ),
        (
            &unpicked,
            "; the request was carried out; the answer has nothing at `/number`",
        ),
    ] {
        assert!(
            answer.starts_with(
                "201 Created, no content type, 8 bytes, shown whole; the request was "
            ),
            "{answer}"
        );
        assert!(answer.contains(why), "{answer}");
        assert!(
            answer.ends_with("location: /orders/7\n\n{\n  \"id\": 7\n}"),
            "{answer}"
        );
    }
    assert_eq!(server.asked().matches("POST /orders").count(), 2);
}

#[tokio::test]
async fn a_status_is_a_result() {
    let server =
        Server::start(|_| reply("429 Slow", "retry-after: 7\r\nx-secret: no", "wait")).await;
    let answer = call_at(
        &server,
        json!({ "url": format!("{}/a", server.origin()), "save_to": "x" }),
    )
    .await;
    insta::assert_snapshot!(answer, @"
    429 Too Many Requests, no content type, 4 bytes, shown whole
    retry-after: 7

    wait
    ");
}

#[tokio::test]
async fn mistakes_are_told_and_nothing_is_sent() {
    let server = Server::start(|_| reply("200 OK", "x: y", "")).await;
    let url = server.origin();
    let mut all = Vec::new();
    for arguments in [
        json!({ "url": "items" }),
        json!({ "url": "file:///etc/passwd" }),
        json!({ "url": "http://me:pw@127.0.0.1/" }),
        json!({ "url": url, "preset": "tracker" }),
        json!({ "url": url, "json": 1 }),
        json!({ "url": url, "method": "POST", "json": 1, "text": "a" }),
        json!({ "url": url, "method": "POST", "text": "a".repeat(1 << 20) + "b" }),
        json!({ "url": url, "headers": { "Host": "evil.example" } }),
        json!({ "url": url, "headers": { "Authorization": "Bearer abc" } }),
        json!({ "url": url, "headers": { "X-A": "a\r\nHost: evil.example" } }),
        json!({ "url": url, "headers": { "X-A": "{{secret:OTHER}}" } }),
        json!({ "url": "http://localhost:1/", "headers": { "X-A": "{{secret:API_KEY}}" } }),
    ] {
        all.push(call_at(&server, arguments).await);
    }
    insta::assert_snapshot!(all.join("\n"), @r#"
    error: `items` is not an absolute URL; write `https://host/path`, or name a preset
    error: `file:///etc/passwd` is no URL of HTTP
    error: there are credentials in the URL; leave them out, or name a preset that has them
    error: there is no preset `tracker`: the settings have none
    error: a request with GET has no body; use POST, PUT or PATCH
    error: name one body at most: `json`, `text`, `form` or `file`
    error: the body has 1048577 bytes or more; the most is 1048576
    error: the header `Host` cannot be set; leave it out
    error: the header `Authorization` needs a secret: write `Bearer {{secret:NAME}}`, or name a preset
    error: the value of the header `X-A` has a control character
    error: blocked: this tool did not declare the secret `OTHER`; declare `requires(secrets("OTHER"))` on the tool; the user grants it in the settings, as `NAME = ["https://host"]` in `[tools.http_request.secrets]`
    error: blocked: using the network failed: the secret `API_KEY` is not sent: the settings do not grant it for `http://localhost:1`
    "#);
    assert_eq!(server.asked(), "");
}
