//! Limits of the number of requests, answers that are unchanged, and failures.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::fake::{FakeGithub, Response, TOKEN};
use super::{Session, call, context_with_token};

#[tokio::test]
async fn what_is_unchanged_is_not_sent_again() {
    let fake = FakeGithub::new();
    let session = Session::with(fake.clone(), json!({})).await;
    let read = || session.call("github_issue", json!({ "repo": "acme/app", "number": 12 }));
    let first = read().await;
    let second = read().await;
    assert_eq!(first, second);
    assert_eq!(
        session.server.asked().matches("if-none-match: W/").count(),
        1
    );
    fake.world.lock().unwrap().issues[0]["title"] = json!("Another title");
    let third = read().await;
    assert!(third.starts_with("acme/app#12 Another title\n"), "{third}");
}

/// What the API answers in place of what was asked for.
type Failure = Box<dyn Fn() -> Response + Send + Sync>;

#[tokio::test]
async fn failures_say_what_to_do() {
    let limited = |name: &'static str, value: &'static str| {
        move || Response::error(403, "limit").with(name, value)
    };
    let cases: Vec<(&str, Failure)> = vec![
        (
            "used up",
            Box::new(|| {
                let limit = Response::error(403, "API rate limit exceeded")
                    .with("x-ratelimit-remaining", "0");
                limit.with("x-ratelimit-reset", "1795395600")
            }),
        ),
        (
            "used up, no time",
            Box::new(limited("x-ratelimit-remaining", "0")),
        ),
        ("secondary", Box::new(limited("retry-after", "60"))),
        ("429", Box::new(|| Response::error(429, "slow"))),
        (
            "forbidden",
            Box::new(|| {
                Response::error(403, "Resource not accessible by personal access token")
                    .with("x-accepted-github-permissions", "issues=read")
            }),
        ),
        (
            "bad token",
            Box::new(|| Response::error(401, "Bad credentials")),
        ),
        (
            "gone",
            Box::new(|| Response::error(410, "This issue was deleted")),
        ),
        (
            "validation",
            Box::new(|| {
                let faults = json!([{ "resource": "Issue", "field": "title", "code": "missing_field" }, "plain", 7, null]);
                Response::json(
                    422,
                    &json!({ "message": "Validation Failed", "errors": faults }),
                )
            }),
        ),
        (
            "server",
            Box::new(|| Response {
                status: 502,
                headers: Vec::new(),
                body: "<html>Unicorn!".to_owned(),
            }),
        ),
        (
            "odd",
            Box::new(|| Response {
                status: 418,
                headers: Vec::new(),
                body: String::new(),
            }),
        ),
        (
            "no JSON",
            Box::new(|| Response {
                status: 200,
                headers: Vec::new(),
                body: "<html>".to_owned(),
            }),
        ),
    ];
    let mut all = Vec::new();
    for (name, response) in cases {
        let session =
            Session::with(FakeGithub::new().with(move |_| Some(response())), json!({})).await;
        let result = session
            .call("github_issue", json!({ "repo": "acme/app", "number": 12 }))
            .await;
        all.push(format!("{name}: {result}"));
    }
    insta::assert_snapshot!(all.join("\n"), @"
    used up: error: the limit of requests to GitHub is used up; there are new ones after 2026-11-23T01:00:00Z
    used up, no time: error: the limit of requests to GitHub is used up; there are new ones later
    secondary: error: GitHub asks to send fewer requests: try again after 60 s
    429: error: GitHub asks to send fewer requests: try again after a minute
    forbidden: error: the token may not do that with the issue acme/app#12; it needs issues=read; GitHub says: Resource not accessible by personal access token
    bad token: error: GitHub does not accept the token; the user has to set another one in `GITHUB_TOKEN`; GitHub says: Bad credentials
    gone: error: GitHub does not find the issue acme/app#12: it is not there, or the token may not see it; GitHub says: This issue was deleted
    validation: error: GitHub refuses the request for the issue acme/app#12; GitHub says: Validation Failed (Issue title missing_field; plain)
    server: error: GitHub failed with status 502 for the issue acme/app#12; try again later
    odd: error: GitHub answered with status 418 for the issue acme/app#12
    no JSON: error: the answer of GitHub cannot be read: expected value at line 1 column 1
    ");
}

#[tokio::test]
async fn a_short_wait_is_kept_once_and_only_for_what_reads() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let fake = FakeGithub::new().with(move |_| {
        let is_first = count.fetch_add(1, Ordering::Relaxed) == 0;
        is_first.then(|| Response::error(429, "slow").with("retry-after", "0"))
    });
    let session = Session::with(fake, json!({})).await;
    let read = session
        .call("github_issue", json!({ "repo": "acme/app", "number": 12 }))
        .await;
    assert!(read.starts_with("acme/app#12 "), "{read}");
    assert_eq!(asked.swap(0, Ordering::Relaxed), 2);
    let written = session
        .call(
            "github_comment",
            json!({ "repo": "acme/app", "number": 12, "body": "x" }),
        )
        .await;
    assert_eq!(
        written,
        "error: GitHub asks to send fewer requests: try again after 0 s"
    );
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_write_without_an_answer_may_have_happened() {
    let server = super::Server::start(|_| {
        super::server::Reply::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec())
    })
    .await;
    let cx = super::context(&server.origin(), json!({}), None);
    let written = call(
        &cx,
        "github_comment",
        json!({ "repo": "acme/app", "number": 12, "body": "x" }),
    )
    .await;
    assert!(
        written.ends_with("whether GitHub did it is not known, so look before you try again"),
        "{written}"
    );
    let read = call(
        &cx,
        "github_issue",
        json!({ "repo": "acme/app", "number": 12 }),
    )
    .await;
    assert!(!read.contains("look before"), "{read}");
}

#[tokio::test]
async fn the_token_goes_to_the_api_alone_and_is_seen_nowhere() {
    let fake = FakeGithub::new().with(|request| {
        // A server that repeats what it is sent.
        let said = request
            .headers
            .get("authorization")
            .copied()
            .unwrap_or_default();
        request
            .path
            .ends_with("/13")
            .then(|| Response::error(404, said))
    });
    let session = Session::with(fake, json!({})).await;
    assert!(session.server.asked().is_empty());
    let repeated = session
        .call("github_issue", json!({ "repo": "acme/app", "number": 13 }))
        .await;
    assert!(
        !repeated.contains("github_pat") && repeated.contains("GitHub says: Bearer"),
        "{repeated}"
    );
    assert!(
        session
            .server
            .asked()
            .contains(&format!("authorization: Bearer {TOKEN}"))
    );
    let other = context_with_token("http://localhost:1", json!({}), None, Some("other"));
    let refused = call(
        &other,
        "github_issue",
        json!({ "repo": "acme/app", "number": 13 }),
    )
    .await;
    assert!(
        refused.starts_with("error: ") && !refused.contains("other"),
        "{refused}"
    );
}
