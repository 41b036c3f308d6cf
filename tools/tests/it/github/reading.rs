//! What the tools that read return.

use serde_json::json;

use super::{Session, call, context};

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
    insta::assert_snapshot!(all, @r#"
    # github_search {"kind":"issues","query":"repo:acme/app is:open"}
    2 results for `repo:acme/app is:open is:issue`
    acme/app#12 The parser fails on empty input · open · alice (CONTRIBUTOR) · bug · 2 comments · updated 2026-11-20 · https://github.com/acme/app/issues/12
    acme/app#13 Write the guide · open · carol (MEMBER) · bug · 2 comments · updated 2026-11-20 · https://github.com/acme/app/issues/13

    # github_repo {"repo":"acme/app","what":"issues"}
    2 open issues of acme/app
    #12 The parser fails on empty input · open · alice (CONTRIBUTOR) · bug · 2 comments · updated 2026-11-20 · https://github.com/acme/app/issues/12
    #13 Write the guide · open · carol (MEMBER) · bug · 2 comments · updated 2026-11-20 · https://github.com/acme/app/issues/13

    # github_issue {"repo":"acme/app","number":12}
    acme/app#12 The parser fails on empty input
    open · by alice (CONTRIBUTOR) · bug · 2 comments · created 2026-11-18 · updated 2026-11-20
    https://github.com/acme/app/issues/12

      Steps:

      1. Give it nothing.

    # github_issue {"url":"https://github.com/acme/app/issues/12","what":"comments"}
    2 comments of acme/app#12
    comment 1001 · by bob (NONE) · 2026-11-19
      I see it, too.
    comment 1002 · by carol (MEMBER) · 2026-11-19
      Thanks, we look at it.

    # github_issue {"repo":"acme/app","number":12,"comment":1002}
    comment 1002 · by carol (MEMBER) · 2026-11-19
      Thanks, we look at it.

    # github_issue {"repo":"acme/app","number":12,"what":"timeline"}
    3 events of acme/app#12
    labeled · carol · 2026-11-18 · bug
    renamed · alice · 2026-11-18 · Crash → The parser fails
    commented · 2026-11-19

    # github_notifications {}
    1 notification
    acme/app Parse empty input · PullRequest · review requested · unread · updated 2026-11-20 · https://github.com/acme/app/pull/14
    "#);
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
    insta::assert_snapshot!(all, @r#"
    # github_pr {"repo":"acme/app","number":14,"what":"info"}
    acme/app#14 Parse empty input
    open · by bob (CONTRIBUTOR) · created 2026-11-19 · updated 2026-11-20
    bob/app:empty-input into main · 1 commit · 2 files, +3 -1 · can be merged
    last commit 6dcb09b5b57875f334f61aebed695e2e4193db5e
    https://github.com/acme/app/pull/14

      Closes #12.

    # github_pr {"repo":"acme/app","number":14,"what":"diff"}
    2 changed files of acme/app#14

    === src/lib.rs · modified · +2 -1
    @@ -1,2 +1,3 @@
     fn parse() {
    -    fail()
    +    // Nothing is fine.
    +    ok()
    === tests/empty.bin · renamed · from empty.bin · +1 -0
    (no lines to show: the file is binary, too large, or only its name or mode changed)

    # github_pr {"repo":"acme/app","number":14,"what":"diff","path":"src/lib.rs","start":40}
    === src/lib.rs · modified · +2 -1 · characters 40 to 76 of 76
    -…)
    +    // Nothing is fine.
    +    ok()

    # github_pr {"repo":"acme/app","number":14,"what":"diff","path":"no.rs"}
    error: acme/app#14 does not change `no.rs`; `what` = "files" lists the files that it changes

    # github_pr {"repo":"acme/app","number":14,"what":"files"}
    2 files of acme/app#14
    === src/lib.rs · modified · +2 -1
    === tests/empty.bin · renamed · from empty.bin · +1 -0

    # github_pr {"repo":"acme/app","number":14,"what":"commits"}
    1 commit of acme/app#14
    6dcb09b5b Parse empty input · Bob · 2026-11-19

    # github_pr {"repo":"acme/app","number":14,"what":"reviews"}
    no reviews of acme/app#14

    # github_pr {"repo":"acme/app","number":14,"what":"review_comments"}
    1 line comment of acme/app#14
    line comment 31 · by carol (MEMBER) · 2026-11-20 · src/lib.rs:3 · at 6dcb09b5b
      Can this be empty?

    # github_pr {"repo":"acme/app","number":14,"what":"checks"}
    3 checks of acme/app#14 at 6dcb09b5b
    failure · test · 1 of 9 failed
    in_progress · lint
    success · deploy/preview · It is there.
    "#);
}

#[tokio::test]
async fn repositories_are_read() {
    let session = Session::start(json!({})).await;
    let part = |what: &str| ("github_repo", json!({ "repo": "acme/app", "what": what }));
    let all = session
        .call_all([
            part("info"),
            part("pulls"),
            part("tree"),
            (
                "github_repo",
                json!({ "repo": "acme/app", "what": "tree", "path": "src" }),
            ),
            part("branches"),
            part("tags"),
            part("releases"),
            part("commits"),
            part("contributors"),
        ])
        .await;
    insta::assert_snapshot!(all, @r#"
    # github_repo {"repo":"acme/app","what":"info"}
    acme/app · Parses input.
    public · Rust · MIT · parser
    default branch main · 3 open issues and pull requests · 5 stars · 1 fork · last push 2026-11-20
    https://github.com/acme/app

    # github_repo {"repo":"acme/app","what":"pulls"}
    1 open pull request of acme/app
    #14 Parse empty input · open · bob (CONTRIBUTOR) · updated 2026-11-20 · https://github.com/acme/app/pull/14

    # github_repo {"repo":"acme/app","what":"tree"}
    5 files of acme/app at HEAD
    README.md · 12 bytes
    src/lib.rs · 40 bytes
    run.sh · 9 bytes
    link · symbolic link
    vendor · submodule

    # github_repo {"repo":"acme/app","what":"tree","path":"src"}
    1 file of acme/app at HEAD below `src`
    src/lib.rs · 40 bytes

    # github_repo {"repo":"acme/app","what":"branches"}
    1 branch of acme/app
    main · aa218f56b · protected

    # github_repo {"repo":"acme/app","what":"tags"}
    1 tag of acme/app
    v1.2.0 · aa218f56b

    # github_repo {"repo":"acme/app","what":"releases"}
    1 release of acme/app
    v1.2.0 · Version 1.2 · 2026-10-01 · https://github.com/acme/app/releases/tag/v1.2.0

    # github_repo {"repo":"acme/app","what":"commits"}
    1 commit of acme/app
    6dcb09b5b Parse empty input · Bob · 2026-11-19

    # github_repo {"repo":"acme/app","what":"contributors"}
    1 contributor of acme/app
    carol · 40 commits
    "#);
}

#[tokio::test]
async fn files_and_releases_are_read() {
    let session = Session::start(json!({})).await;
    let file = |path: &str| ("github_file", json!({ "repo": "acme/app", "path": path }));
    let all = session
        .call_all([
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
    insta::assert_snapshot!(all, @r#"
    # github_file {"repo":"acme/app","path":"src"}
    2 entries of `src` of acme/app
    lib.rs · 40 bytes
    parse/

    # github_file {"repo":"acme/app","path":"src/lib.rs"}
    `src/lib.rs` of acme/app: 3 lines
         1	fn parse() {
         2	    ok()
         3	}

    # github_file {"repo":"acme/app","path":"src/lib.rs","ref":"v1.2.0","lines":"2-9"}
    `src/lib.rs` of acme/app at v1.2.0: lines 2 to 3 of 3
         2	    ok()
         3	}

    # github_file {"url":"https://github.com/acme/app/blob/main/src/lib.rs","lines":"1"}
    `src/lib.rs` of acme/app at main: lines 1 to 1 of 3; more with `lines` "2-"
         1	fn parse() {

    # github_file {"repo":"acme/app","path":"large.txt"}
    `large.txt` of acme/app: 3 lines
         1	large
         2	large
         3	large

    # github_file {"repo":"acme/app","path":"logo.png"}
    `logo.png` of acme/app: 4 bytes that are no text

    # github_file {"repo":"acme/app","path":"link"}
    `link` of acme/app is a symbolic link to `../../etc/passwd`

    # github_file {"repo":"acme/app","path":"vendor"}
    `vendor` of acme/app is a submodule: https://evil.example/x.git at 7638417db

    # github_file {"repo":"acme/app","path":"damaged.txt"}
    error: the answer of GitHub is damaged: it has 2 bytes of 99

    # github_file {"repo":"acme/app","path":"nothing.txt"}
    error: GitHub does not find the file `nothing.txt` in acme/app: it is not there, or the token may not see it; GitHub says: Not Found

    # github_release {"repo":"acme/app"}
    acme/app v1.2.0 · Version 1.2 · 2026-10-01 · https://github.com/acme/app/releases/tag/v1.2.0 · by carol
    1 file
    app.tar.gz · 4096 bytes · 7 downloads

      - Faster.

    # github_release {"repo":"acme/app","tag":"v9"}
    error: GitHub does not find the release `v9` of acme/app: it is not there, or the token may not see it; GitHub says: Not Found
    "#);
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
    insta::assert_snapshot!(all, @r#"
    # github_run {"repo":"acme/app"}
    1 run of acme/app
    run 9001 CI · failure · pull_request · empty-input · 6dcb09b5b · bob · attempt 2 · 2026-11-20 · https://github.com/acme/app/actions/runs/9001

    # github_run {"repo":"acme/app","run":9001,"what":"status","tail":2}
    acme/app run 9001 CI · failure · pull_request · empty-input · 6dcb09b5b · bob · attempt 2 · 2026-11-20 · https://github.com/acme/app/actions/runs/9001

    # github_run {"repo":"acme/app","run":9001,"what":"jobs","tail":2}
    2 jobs of the run 9001 of acme/app
    job 51 lint · success
    job 52 test · failure · failed in Run tests

    # github_run {"repo":"acme/app","run":9001,"what":"jobs","tail":2,"failed_only":true}
    1 failed job of the run 9001 of acme/app
    job 52 test · failure · failed in Run tests

    # github_run {"repo":"acme/app","run":9001,"what":"log","tail":2}
    the logs of 2 of 2 jobs of the run 9001 of acme/app

    === job 51 lint · success
    GitHub does not find the log of the job 51: it is not there, or the token may not see it; GitHub says: Not Found

    === job 52 test · failure · the last 2 of 300 lines
      line 299
      line 300

    # github_run {"repo":"acme/app","pr":14,"what":"log","failed_only":true,"tail":1}
    the logs of 1 of 1 failed jobs of the run 9001 of acme/app

    === job 52 test · failure · the last 1 of 300 lines
      line 300
    "#);
}
