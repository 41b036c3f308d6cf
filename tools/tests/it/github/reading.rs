//! What the tools that read return.

use serde_json::json;

use super::{Session, call, context, routes};

#[tokio::test]
async fn issues_are_rows_and_texts() {
    let session = Session::start(json!({})).await;
    let all = session
        .call_all([
            (
                "github_search",
                json!({ "kind": "issues", "query": "repo:acme/app is:open" }),
            ),
            (
                "github_repo",
                json!({ "repo": "acme/app", "what": "issues" }),
            ),
            ("github_issue", json!({ "repo": "acme/app", "number": 12 })),
            (
                "github_issue",
                json!({ "url": "https://github.com/acme/app/issues/12", "what": "comments" }),
            ),
            (
                "github_issue",
                json!({ "repo": "acme/app", "number": 12, "comment": 1002 }),
            ),
            (
                "github_issue",
                json!({ "repo": "acme/app", "number": 12, "what": "timeline" }),
            ),
            ("github_notifications", json!({})),
        ])
        .await;
    insta::assert_snapshot!(all, @"");
}

#[tokio::test]
async fn pull_requests_are_read_part_by_part() {
    let session = Session::start(json!({})).await;
    let part = |what: &str| {
        (
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": what }),
        )
    };
    let all = session
        .call_all([
            part("info"),
            part("diff"),
            ("github_pr", json!({ "repo": "acme/app", "number": 14, "what": "diff", "path": "src/lib.rs", "start": 40 })),
            ("github_pr", json!({ "repo": "acme/app", "number": 14, "what": "diff", "path": "no.rs" })),
            part("files"),
            part("commits"),
            part("reviews"),
            part("review_comments"),
            part("checks"),
        ])
        .await;
    insta::assert_snapshot!(all, @"");
}

#[tokio::test]
async fn repositories_files_and_releases_are_read() {
    let session = Session::start(json!({})).await;
    let part = |what: &str| ("github_repo", json!({ "repo": "acme/app", "what": what }));
    let file = |path: &str| ("github_file", json!({ "repo": "acme/app", "path": path }));
    let all = session
        .call_all([
            part("info"),
            part("pulls"),
            part("tree"),
            ("github_repo", json!({ "repo": "acme/app", "what": "tree", "path": "src" })),
            part("branches"),
            part("tags"),
            part("releases"),
            part("commits"),
            part("contributors"),
            file("src"),
            file("src/lib.rs"),
            ("github_file", json!({ "repo": "acme/app", "path": "src/lib.rs", "ref": "v1.2.0", "lines": "2-9" })),
            ("github_file", json!({ "url": "https://github.com/acme/app/blob/main/src/lib.rs", "lines": "1" })),
            file("large.txt"),
            file("logo.png"),
            file("link"),
            file("vendor"),
            file("damaged.txt"),
            file("nothing.txt"),
            ("github_release", json!({ "repo": "acme/app" })),
            ("github_release", json!({ "repo": "acme/app", "tag": "v9" })),
        ])
        .await;
    insta::assert_snapshot!(all, @"");
}

#[tokio::test]
async fn long_lists_and_texts_say_how_to_go_on() {
    let fake = super::FakeGithub::new().change(|world| {
        world.issues = (1..=70)
            .map(|number| {
                routes::issue(
                    number,
                    &format!("Issue {number}"),
                    &"abcdefghi ".repeat(500),
                    "alice",
                    "NONE",
                )
            })
            .collect();
    });
    let session = Session::with(fake, json!({})).await;
    let first_line = |text: String| text.lines().next().unwrap_or_default().to_owned();
    let list = |page: u64| {
        session.call(
            "github_repo",
            json!({ "repo": "acme/app", "what": "issues", "page": page }),
        )
    };
    assert_eq!(
        first_line(list(1).await),
        "30 open issues of acme/app; more with `page` 2"
    );
    assert_eq!(
        first_line(list(3).await),
        "10 open issues of acme/app, page 3"
    );
    assert_eq!(
        first_line(list(9).await),
        "no open issues on page 9 of acme/app"
    );
    let text = session
        .call("github_issue", json!({ "repo": "acme/app", "number": 1 }))
        .await;
    assert!(
        text.contains(" · characters 0 to 4000 of 5000; more with `start` 4000\n"),
        "{text}"
    );
    let rest = session
        .call(
            "github_issue",
            json!({ "repo": "acme/app", "number": 1, "start": 4000 }),
        )
        .await;
    assert!(
        rest.contains(" · characters 4000 to 5000 of 5000\n") && rest.len() < 1_500,
        "{rest}"
    );
}

#[tokio::test]
async fn the_repository_is_that_of_the_working_folder() {
    let fake = super::FakeGithub::new();
    let server = super::Server::start(move |request| fake.respond(request)).await;
    let folder = tempfile::tempdir().unwrap();
    let cx = context(&server.origin(), json!({}), Some(folder.path()));
    let issue = json!({ "number": 12 });
    let unnamed = call(&cx, "github_issue", issue.clone()).await;
    assert_eq!(
        unnamed,
        "error: name the repository by `repo`: the working folder is not the root of a clone"
    );
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    let config = folder.path().join(".git/config");
    std::fs::write(
        &config,
        "[remote \"origin\"]\n\turl = git@github.com:acme/app.git\n",
    )
    .unwrap();
    let found = call(&cx, "github_issue", issue.clone()).await;
    assert!(
        found.starts_with("acme/app#12 The parser fails on empty input\n"),
        "{found}"
    );
    std::fs::write(
        &config,
        "[remote \"origin\"]\n\turl = https://evil.example/acme/app\n",
    )
    .unwrap();
    let foreign = call(&cx, "github_issue", issue).await;
    assert_eq!(
        foreign,
        "error: name the repository by `repo`: the `origin` of the working folder is not on `github.com`"
    );
}

#[tokio::test]
async fn runs_are_read_down_to_the_ends_of_their_logs() {
    // The storage of logs is another server, which must not get the token.
    let storage = super::Server::start(|request| {
        assert!(
            !request.to_ascii_lowercase().contains("authorization"),
            "{request}"
        );
        let lines = (1..=300)
            .map(|line| format!("2026-11-20T10:00:00.0000001Z \u{1b}[31mline {line}\u{1b}[0m\r\n"));
        super::server::reply(
            "200 OK",
            "content-type: text/plain",
            &lines.collect::<String>(),
        )
    })
    .await;
    let location = format!("{}/logs?signature=abc", storage.origin());
    let fake = super::FakeGithub::new().with(move |request| {
        let is_log = request.path.ends_with("/jobs/52/logs");
        is_log.then(|| super::fake::Response::error(302, "").with("location", &location))
    });
    let session = Session::with(fake, json!({})).await;
    let run = |what: &str, more: serde_json::Value| {
        let mut arguments = json!({ "repo": "acme/app", "run": 9001, "what": what, "tail": 2 });
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        ("github_run", arguments)
    };
    let all = session
        .call_all([
            ("github_run", json!({ "repo": "acme/app" })),
            run("status", json!({})),
            run("jobs", json!({})),
            run("jobs", json!({ "failed_only": true })),
            run("log", json!({})),
            ("github_run", json!({ "repo": "acme/app", "pr": 14, "what": "log", "failed_only": true, "tail": 1 })),
        ])
        .await;
    assert_eq!(
        storage.asked().matches("GET /logs?signature=abc").count(),
        2
    );
    insta::assert_snapshot!(all, @"");
}
