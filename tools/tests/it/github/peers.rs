//! What others say of the API: prism, a mock server, checks each request against GitHub's own description of the API and
//! answers with its samples; the recorded flows of `@octokit/fixtures` are answers of GitHub itself.
//!
//! `HELVE_PRISM` is the address of a prism that runs with `--errors`, and `HELVE_OCTOKIT_FIXTURES` the folder of the flows of
//! `api.github.com`. Without them nothing runs; with `HELVE_PEERS_REQUIRED` that is a failure.
#![allow(clippy::disallowed_types, reason = "it sends requests on to prism")]

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};

use super::routes::{HEAD, MAIN};
use super::server::{Reply, Server, reply};
use super::{FakeGithub, call, context};

/// Returns what a variable names, which the peers' lane sets.
fn peer(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok();
    if found.is_none() {
        assert!(
            std::env::var_os("HELVE_PEERS_REQUIRED").is_none(),
            "`{variable}` is not set"
        );
        println!("ran nothing: `{variable}` is not set");
    }
    found
}

/// Sends a request on to prism, which knows no types of GitHub, and no parameters that have slashes.
fn forward(address: &str, request: &str) -> Reply {
    let (head, body) = request.split_once("\n\n").unwrap_or((request, ""));
    let mut lines: Vec<String> = head.lines().map(str::to_owned).collect();
    for (before, name) in [
        ("/contents/", "src/lib.rs"),
        ("/matching-refs/", "heads/main"),
        ("/refs/", "heads/main"),
    ] {
        lines[0] = lines[0].replace(
            &format!("{before}{name}"),
            &format!("{before}{}", name.replace('/', "%2F")),
        );
    }
    let kept = |line: &String| {
        let line = line.to_ascii_lowercase();
        !["accept: ", "if-none-match: ", "connection: "]
            .iter()
            .any(|name| line.starts_with(name))
    };
    lines.retain(kept);
    lines.push("accept: application/json".into());
    lines.push("connection: close".into());
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(format!("{}\r\n\r\n{body}", lines.join("\r\n")).as_bytes())
        .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let text = String::from_utf8_lossy(&answer);
    let is_wrong =
        text.contains(r#""location":["response""#) && !text.contains(r#""location":["request""#);
    let is_content = head.contains("/contents/") && text.starts_with("HTTP/1.1 200");
    // Some samples are not what the description itself says of them, and the content of a file is no base64: the request was
    // one that it allows.
    if is_wrong || is_content {
        return FakeGithub::new().respond(request);
    }
    Reply::Bytes(answer)
}

/// A call of every tool that makes every kind of request.
fn calls() -> Vec<(&'static str, Value)> {
    let of = |what: &str| json!({ "repo": "acme/app", "what": what });
    let numbered = |what: &str| json!({ "repo": "acme/app", "number": 14, "what": what });
    let mut calls = Vec::new();
    for kind in ["issues", "prs", "code", "repos", "commits"] {
        calls.push(("github_search", json!({ "kind": kind, "query": "x" })));
    }
    for what in [
        "info",
        "issues",
        "pulls",
        "tree",
        "branches",
        "tags",
        "releases",
        "commits",
        "contributors",
    ] {
        calls.push(("github_repo", of(what)));
    }
    for what in ["body", "comments", "timeline"] {
        calls.push(("github_issue", numbered(what)));
    }
    for what in [
        "info",
        "diff",
        "files",
        "commits",
        "comments",
        "reviews",
        "review_comments",
        "checks",
    ] {
        calls.push(("github_pr", numbered(what)));
    }
    for what in ["status", "jobs"] {
        calls.push((
            "github_run",
            json!({ "repo": "acme/app", "run": 9001, "what": what }),
        ));
    }
    calls.extend([
        (
            "github_issue",
            json!({ "repo": "acme/app", "number": 12, "comment": 1 }),
        ),
        (
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": "reviews", "comment": 80 }),
        ),
        (
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": "review_comments", "comment": 31 }),
        ),
        ("github_run", json!({ "repo": "acme/app" })),
        (
            "github_file",
            json!({ "repo": "acme/app", "path": "src/lib.rs", "ref": "main" }),
        ),
        ("github_release", json!({ "repo": "acme/app" })),
        ("github_release", json!({ "repo": "acme/app", "tag": "v1" })),
        ("github_notifications", json!({ "all": true })),
    ]);
    calls.extend(writes());
    calls
}

fn writes() -> Vec<(&'static str, Value)> {
    let comment = json!({ "path": "a.rs", "line": 3, "start_line": 2, "body": "b" });
    vec![
        (
            "github_comment",
            json!({ "repo": "acme/app", "number": 12, "body": "b" }),
        ),
        (
            "github_issue_write",
            json!({ "repo": "acme/app", "title": "t", "body": "b", "labels": ["l"], "assignees": ["me"] }),
        ),
        (
            "github_issue_write",
            json!({ "repo": "acme/app", "number": 1, "state": "closed", "state_reason": "not_planned" }),
        ),
        (
            "github_pr_create",
            json!({ "repo": "acme/app", "title": "t", "head": "o:h", "base": "b", "body": "b", "draft": true }),
        ),
        (
            "github_review",
            json!({ "repo": "acme/app", "number": 1, "event": "REQUEST_CHANGES", "body": "b", "sha": HEAD,
            "comments": [comment] }),
        ),
        (
            "github_review",
            json!({ "repo": "acme/app", "number": 1, "event": "APPROVE", "sha": HEAD }),
        ),
        (
            "github_pr_merge",
            json!({ "repo": "acme/app", "number": 1, "sha": HEAD, "base": "master", "method": "rebase", "title": "t", "message": "m" }),
        ),
        (
            "github_release_create",
            json!({ "repo": "acme/app", "tag": "v1", "target": "main", "title": "t", "body": "b",
            "draft": true, "prerelease": true }),
        ),
        (
            "github_run_rerun",
            json!({ "repo": "acme/app", "run": 9001 }),
        ),
        (
            "github_run_rerun",
            json!({ "repo": "acme/app", "run": 9001, "failed_only": true }),
        ),
    ]
}

/// Each request is one that GitHub's description of its API allows, and each sample of an answer is read.
#[tokio::test(flavor = "multi_thread")]
async fn prism_accepts_every_request() {
    let Some(address) = peer("HELVE_PRISM") else {
        return;
    };
    let mut number = 0;
    for (tool, arguments) in calls() {
        let prism = address.clone();
        let server = Server::start(move |request| forward(&prism, request)).await;
        let cx = context(&server.origin(), json!({}), None);
        let text = call(&cx, tool, arguments.clone()).await;
        assert!(
            !text.starts_with("error: "),
            "{tool} {arguments}: {text}\n{}",
            server.asked()
        );
        assert!(server.asked().starts_with(['G', 'P']), "{tool} {arguments}");
        number += 1;
    }
    println!("prism accepted the requests of {number} calls");
}

/// The commit asks for what it made before, which prism does not remember: each request by itself.
#[tokio::test(flavor = "multi_thread")]
async fn prism_accepts_a_commit() {
    let Some(address) = peer("HELVE_PRISM") else {
        return;
    };
    let server = Server::start(move |request| {
        let line = request.lines().next().unwrap_or_default();
        // The branch is there, and its tree is empty.
        if line.contains("/matching-refs/") {
            let found = json!([{ "ref": "refs/heads/main", "object": { "sha": MAIN } }]);
            return reply("200 OK", "x: y", &found.to_string());
        }
        forward(&address, request)
    })
    .await;
    let cx = context(&server.origin(), json!({}), None);
    let commit = json!({ "repo": "acme/app", "branch": "main", "message": "m", "expected_head": MAIN,
        "files": [{ "path": "a", "content": "x" }] });
    let text = call(&cx, "github_commit", commit).await;
    assert!(
        text.starts_with("committed to `main` of acme/app: "),
        "{text}\n{}",
        server.asked()
    );
}

/// Reads the flows: what GitHub answered to which address.
fn recorded(folder: &Path) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for flow in [
        "rename-repository",
        "paginate-issues",
        "get-content",
        "get-repository",
        "search-issues",
        "release-assets",
    ] {
        let text =
            std::fs::read_to_string(folder.join(flow).join("normalized-fixture.json")).unwrap();
        let answers: Vec<Value> = serde_json::from_str(&text).unwrap();
        for answer in answers {
            let (method, path) = (
                answer["method"].as_str().unwrap(),
                answer["path"].as_str().unwrap(),
            );
            let path = path.split('?').next().unwrap().trim_end_matches('/');
            // The first answer is that of the first page.
            all.entry(format!("{} {path}", method.to_uppercase()))
                .or_insert(answer);
        }
    }
    all
}

#[tokio::test]
async fn recorded_flows_are_read() {
    let Some(folder) = peer("HELVE_OCTOKIT_FIXTURES") else {
        return;
    };
    let flows = recorded(Path::new(&folder));
    let server = Server::start(move |request| {
        let line = request.lines().next().unwrap_or_default();
        let target = line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let Some(answer) = flows.get(target.split('?').next().unwrap()) else {
            return reply("404 Not Found", "x: y", "{\"message\":\"not recorded\"}");
        };
        let header = |name: &str| {
            answer["headers"][name]
                .as_str()
                .unwrap_or_default()
                .replace("https://api.github.com", "")
        };
        let headers = ["location", "link"].map(|name| format!("{name}: {}", header(name)));
        let headers = headers.into_iter().filter(|header| !header.ends_with(": "));
        let headers = headers
            .chain(["x-recorded: yes".to_owned()])
            .collect::<Vec<_>>()
            .join("\r\n");
        reply(
            &format!("{} Recorded", answer["status"]),
            &headers,
            &answer["response"].to_string(),
        )
    })
    .await;
    let cx = context(&server.origin(), json!({}), None);
    let mut all = Vec::new();
    for (tool, arguments) in [
        (
            "github_repo",
            json!({ "repo": "octokit-fixture-org/rename-repository" }),
        ),
        (
            "github_repo",
            json!({ "repo": "octokit-fixture-org/hello-world" }),
        ),
        (
            "github_repo",
            json!({ "repo": "octokit-fixture-org/paginate-issues", "what": "issues" }),
        ),
        (
            "github_file",
            json!({ "repo": "octokit-fixture-org/hello-world", "path": "" }),
        ),
        (
            "github_search",
            json!({ "kind": "issues", "query": "sesame repo:octokit-fixture-org/search-issues" }),
        ),
        (
            "github_release",
            json!({ "repo": "octokit-fixture-org/release-assets", "tag": "v1.0.0" }),
        ),
    ] {
        all.push(call(&cx, tool, arguments).await);
    }
    insta::assert_snapshot!(all.join("\n\n"), @"
        octokit-fixture-org/rename-repository-newname
        public
        default branch main · 42 open issues and pull requests · 42 stars · 42 forks · last push 2017-10-10
        https://github.com/octokit-fixture-org/rename-repository-newname

        octokit-fixture-org/hello-world
        public · fixtures, hello, hello-world
        default branch master · 42 open issues and pull requests · 42 stars · 42 forks · last push 2017-10-10
        https://github.com/octokit-fixture-org/hello-world

        3 open issues of octokit-fixture-org/paginate-issues; more with `page` 2
        #13 Test issue 13 · open · octokit-fixture-user-a (MEMBER) · 42 comments · updated 2017-10-10 · https://github.com/octokit-fixture-org/paginate-issues/issues/13
        #12 Test issue 12 · open · octokit-fixture-user-a (MEMBER) · 42 comments · updated 2017-10-10 · https://github.com/octokit-fixture-org/paginate-issues/issues/12
        #11 Test issue 11 · open · octokit-fixture-user-a (MEMBER) · 42 comments · updated 2017-10-10 · https://github.com/octokit-fixture-org/paginate-issues/issues/11

        1 entry of the root of octokit-fixture-org/hello-world
        README.md · 13 bytes

        2 results for `sesame repo:octokit-fixture-org/search-issues is:issue`
        octokit-fixture-org/search-issues#2 Sesame seeds split without a pop! · open · octokit-fixture-user-b (NONE) · 42 comments · updated 2017-10-10 · https://github.com/octokit-fixture-org/search-issues/issues/2
        octokit-fixture-org/search-issues#1 The doors don’t open · open · octokit-fixture-user-a (MEMBER) · 42 comments · updated 2017-10-10 · https://github.com/octokit-fixture-org/search-issues/issues/1

        octokit-fixture-org/release-assets v1.0.0 · Version 1.0.0 · 2017-10-10 · https://github.com/octokit-fixture-org/release-assets/releases/tag/v1.0.0 · by octokit-fixture-user-a
        no files

          Initial release
        ");
}
