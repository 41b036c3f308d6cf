//! Answers that are large, of another form, or without an end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::{FakeGithub, Response};
use super::routes;
use super::server::{Reply, Server};
use super::{Session, context};

/// Answers of any form: nothing panics, and what is there is read.
#[tokio::test]
async fn answers_of_another_form_are_read_as_far_as_they_go() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let wide = format!(
        "[{}]",
        vec!["{\"labels\":[[]],\"number\":-1}"; 20_000].join(",")
    );
    let bodies = [
        "null",
        "[]",
        "{}",
        "7",
        "\"text\"",
        "[null,7,\"x\",[],{}]",
        "{\"user\":null,\"body\":null,\"labels\":{}}",
        "{\"items\":{},\"total_count\":\"x\"}",
        "{\"number\":1e400}",
        "{\"number\":18446744073709551616}",
        "\u{feff}{}",
        "",
        "[{\"user\":{\"login\":7}}]",
        "{\"tree\":[{\"path\":null}],\"encoding\":\"base64\",\"type\":\"file\",\"content\":\"%%%\"}",
        &*deep,
        &*wide,
    ];
    let calls = [
        ("github_search", json!({ "kind": "issues", "query": "x" })),
        ("github_repo", json!({ "repo": "acme/app" })),
        (
            "github_repo",
            json!({ "repo": "acme/app", "what": "issues" }),
        ),
        ("github_repo", json!({ "repo": "acme/app", "what": "tree" })),
        ("github_file", json!({ "repo": "acme/app", "path": "a" })),
        ("github_issue", json!({ "repo": "acme/app", "number": 1 })),
        (
            "github_issue",
            json!({ "repo": "acme/app", "number": 1, "what": "timeline" }),
        ),
        ("github_pr", json!({ "repo": "acme/app", "number": 1 })),
        (
            "github_pr",
            json!({ "repo": "acme/app", "number": 1, "what": "diff" }),
        ),
        (
            "github_pr",
            json!({ "repo": "acme/app", "number": 1, "what": "checks" }),
        ),
        (
            "github_run",
            json!({ "repo": "acme/app", "run": 1, "what": "log" }),
        ),
        ("github_release", json!({ "repo": "acme/app" })),
        ("github_notifications", json!({})),
    ];
    let start = Instant::now();
    let mut errors = 0;
    for body in bodies {
        let answer = body.to_owned();
        let fake = FakeGithub::new().with(move |_| {
            Some(Response {
                status: 200,
                headers: Vec::new(),
                body: answer.clone(),
            })
        });
        let server = Server::start(move |request| fake.respond(request)).await;
        let cx = context(&server.origin(), json!({ "lockdown": true }), None);
        for (tool, arguments) in &calls {
            let text = super::call(&cx, tool, arguments.clone()).await;
            assert!(text.chars().count() < 400_000, "{tool}: {}", text.len());
            errors += usize::from(text.starts_with("error"));
        }
    }
    assert!(
        errors > 13 && start.elapsed() < Duration::from_secs(20),
        "{errors} {:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn large_answers_are_bounded() {
    let many = |number: usize| {
        let file = |at: usize| json!({ "filename": format!("src/{at}.rs"), "patch": "+x\n".repeat(50), "additions": 50 });
        (0..number).map(file).collect::<Vec<_>>()
    };
    let fake =
        FakeGithub::new().with(
            move |request| match request.path.rsplit('/').next().unwrap() {
                "files" => {
                    let number = |name: &str| request.query[name].parse::<usize>().unwrap();
                    let (page, size) = (number("page"), number("per_page"));
                    let left = 3_000_usize.saturating_sub((page - 1) * size).min(size);
                    let answer = Response::json(200, &json!(many(left)));
                    let has_next = page * size < 3_000;
                    Some(if has_next {
                        answer.with("link", "</x>; rel=\"next\"")
                    } else {
                        answer
                    })
                }
                "logs" => Some(Response {
                    status: 200,
                    headers: Vec::new(),
                    body: "x".repeat(3 << 20),
                }),
                "16" => Some(Response::error(
                    406,
                    "Sorry, the diff exceeded the maximum number of lines",
                )),
                _ => None,
            },
        );
    let session = Session::with(fake, json!({})).await;
    let diff = session
        .call(
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": "diff" }),
        )
        .await;
    assert!(
        diff.starts_with("30 changed files of acme/app#14; more with `page` 2\n"),
        "{}",
        &diff[..200]
    );
    let files = session
        .call(
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": "files", "page": 30 }),
        )
        .await;
    assert!(
        files.starts_with(
            "100 files of acme/app#14, page 30; GitHub lists at most 3000 files, and there may be more\n"
        ),
        "{}",
        &files[..200]
    );
    let diff = json!({ "repo": "acme/app", "number": 14, "what": "diff", "page": 100 });
    let diff = session.call("github_pr", diff).await;
    assert!(
        diff.starts_with(
            "30 changed files of acme/app#14, page 100; GitHub lists at most 3000 files"
        ),
        "{}",
        &diff[..200]
    );
    let missing = json!({ "repo": "acme/app", "number": 14, "what": "diff", "path": "no.rs" });
    let missing = session.call("github_pr", missing).await;
    assert!(
        missing.starts_with("error: `no.rs` is not among the first 3000 files of acme/app#14"),
        "{missing}"
    );
    let log = session
        .call(
            "github_run",
            json!({ "repo": "acme/app", "run": 9001, "what": "log" }),
        )
        .await;
    assert!(
        log.contains("the response has more than 2097152 bytes"),
        "{log}"
    );
    let too_large = session
        .call("github_pr", json!({ "repo": "acme/app", "number": 16 }))
        .await;
    assert!(
        too_large.contains("is too large for one answer"),
        "{too_large}"
    );
}

#[tokio::test]
async fn huge_names_and_long_lists_of_them_are_cut() {
    let huge = "x".repeat(40_000);
    let fake = FakeGithub::new().change(|world| {
        let labels: Vec<Value> = (0..100)
            .map(|at| json!({ "name": format!("{at}{}", "l".repeat(5_000)) }))
            .collect();
        world.issues = vec![routes::issue(12, &huge, &huge, &huge, &huge); 2];
        world.issues[0]["labels"] = json!(labels);
    });
    let session = Session::with(fake, json!({})).await;
    for (tool, arguments) in [
        ("github_issue", json!({ "repo": "acme/app", "number": 12 })),
        (
            "github_repo",
            json!({ "repo": "acme/app", "what": "issues" }),
        ),
        ("github_search", json!({ "kind": "issues", "query": "x" })),
    ] {
        let text = session.call(tool, arguments).await;
        assert!(text.chars().count() < 6_000, "{tool}: {}", text.len());
        assert!(text.contains(", and 90 more labels"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn an_answer_without_an_end_is_bounded() {
    let head = b"HTTP/1.1 200 OK\r\n\r\n[".to_vec();
    let server = Server::start(move |_| Reply::Endless(head.clone(), vec![b' '; 1 << 16])).await;
    let cx = context(&server.origin(), json!({}), None);
    let text = super::call(&cx, "github_repo", json!({ "repo": "acme/app" })).await;
    assert!(
        text.contains("the response has more than 2097152 bytes"),
        "{text}"
    );
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_at_once() {
    let server = Server::start(|_| Reply::Silence(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())).await;
    for (tool, arguments) in [
        ("github_repo", json!({ "repo": "acme/app" })),
        (
            "github_comment",
            json!({ "repo": "acme/app", "number": 12, "body": "x" }),
        ),
    ] {
        let token = tokio_util::sync::CancellationToken::new();
        let cx = context(&server.origin(), json!({}), None)
            .derive()
            .cancellation(token.clone())
            .build();
        let before = server.asked().len();
        let cancel = async {
            while server.asked().len() == before {
                tokio::task::yield_now().await;
            }
            token.cancel();
        };
        let start = Instant::now();
        let (text, ()) = tokio::join!(super::call(&cx, tool, arguments), cancel);
        assert!(
            text.starts_with("error: ") && start.elapsed() < Duration::from_secs(4),
            "{tool}: {text}"
        );
    }
}
