//! What the tools that write send, and what they refuse to send.

use serde_json::json;

use super::fake::Response;
use super::routes::{HEAD, MAIN};
use super::{FakeGithub, Session};

#[tokio::test]
async fn issues_and_comments_are_written() {
    let session = Session::start(json!({})).await;
    let all = session
        .call_all([
            ("github_issue_write", json!({ "repo": "acme/app", "title": "It is slow", "body": "Very.", "labels": ["bug"] })),
            ("github_issue_write", json!({ "repo": "acme/app", "number": 13, "state": "closed", "state_reason": "not_planned" })),
            ("github_issue", json!({ "repo": "acme/app", "number": 13 })),
            ("github_comment", json!({ "repo": "acme/app", "number": 12, "body": "Fixed." })),
        ])
        .await;
    insta::assert_snapshot!(all, @r#"
    # github_issue_write {"repo":"acme/app","title":"It is slow","body":"Very.","labels":["bug"]}
    created the issue acme/app#17: https://github.com/acme/app/issues/17

    # github_issue_write {"repo":"acme/app","number":13,"state":"closed","state_reason":"not_planned"}
    changed the issue acme/app#13: https://github.com/acme/app/issues/13

    # github_issue {"repo":"acme/app","number":13}
    acme/app#13 Write the guide
    closed as not planned · by carol (MEMBER) · bug · 2 comments · created 2026-11-18 · updated 2026-11-20
    https://github.com/acme/app/issues/13

      It has no page.

    # github_comment {"repo":"acme/app","number":12,"body":"Fixed."}
    commented on acme/app#12: https://github.com/acme/app/issues/12#issuecomment-1003
    "#);
}

/// Each write of its own session, so that none waits for the one before.
async fn write(fake: &FakeGithub, tool: &str, arguments: serde_json::Value) -> String {
    Session::with(fake.clone(), json!({}))
        .await
        .call(tool, arguments)
        .await
}

#[tokio::test]
async fn a_merge_is_bound_to_the_commit_that_was_read() {
    let fake = FakeGithub::new();
    let merge = |sha: &str| json!({ "repo": "acme/app", "number": 14, "sha": sha, "base": "main", "method": "squash" });
    let info = write(
        &fake,
        "github_pr",
        json!({ "repo": "acme/app", "number": 14 }),
    )
    .await;
    assert!(info.contains(&format!("last commit {HEAD}\n")), "{info}");
    let short = write(&fake, "github_pr_merge", merge("6dcb09b5b")).await;
    assert!(
        short.starts_with("error: ") && short.contains("sha"),
        "{short}"
    );
    // Somebody pushes between reading and merging.
    fake.world.lock().unwrap().pulls[0]["head"]["sha"] = json!("f".repeat(40));
    let stale = write(&fake, "github_pr_merge", merge(HEAD)).await;
    assert_eq!(
        stale,
        format!(
            "error: nothing was merged: the last commit of acme/app#14 is {}, and not {HEAD}; read what changed",
            "f".repeat(40)
        )
    );
    // Nor between the check and the merge.
    let raced = fake.clone().with(|request| {
        let pull = json!({ "head": { "sha": HEAD }, "base": { "ref": "main" } });
        let is_read = request.method == "GET" && request.path.ends_with("/pulls/14");
        is_read.then(|| Response::json(200, &pull))
    });
    let late = write(&raced, "github_pr_merge", merge(HEAD)).await;
    assert_eq!(
        late,
        "error: the pull request acme/app#14 is in another state than the request expects; read it again; GitHub says: \
         Head branch was modified. Review and try the merge again."
    );
    assert_eq!(fake.world.lock().unwrap().pulls[0]["merged"], false);
    let merged = write(&fake, "github_pr_merge", merge(&"f".repeat(40))).await;
    assert_eq!(
        merged,
        "merged acme/app#14 as 7638417db6d59f3c431d3e1f261cc637155684cd: https://github.com/acme/app/pull/14"
    );
}

/// The author lets the pull request go into another branch after it was read into a harmless one.
#[tokio::test]
async fn a_merge_is_bound_to_the_branch_that_was_read() {
    let fake = FakeGithub::new();
    fake.world.lock().unwrap().pulls[0]["base"]["ref"] = json!("production");
    let merge = |base: &str| json!({ "repo": "acme/app", "number": 14, "sha": HEAD, "base": base });
    let other = write(&fake, "github_pr_merge", merge("main")).await;
    assert_eq!(
        other,
        "error: nothing was merged: acme/app#14 goes into `production`, and not into `main`; read it again"
    );
    assert_eq!(fake.world.lock().unwrap().pulls[0]["merged"], false);
    let without = json!({ "repo": "acme/app", "number": 14, "sha": HEAD });
    let without = write(&fake, "github_pr_merge", without).await;
    assert!(
        without.starts_with("error: ") && without.contains("base"),
        "{without}"
    );
    let merged = write(&fake, "github_pr_merge", merge("production")).await;
    assert!(merged.starts_with("merged acme/app#14 as "), "{merged}");
}

/// The author pushes after the commit that the model has read.
#[tokio::test]
async fn an_approval_is_of_the_commit_that_was_read() {
    let fake = FakeGithub::new();
    let mut all = Vec::new();
    let approve = |more: serde_json::Value| {
        let mut arguments = json!({ "repo": "acme/app", "number": 14, "event": "APPROVE" });
        let more = more.as_object().unwrap().clone();
        arguments.as_object_mut().unwrap().extend(more);
        arguments
    };
    all.push(write(&fake, "github_review", approve(json!({}))).await);
    all.push(write(&fake, "github_review", approve(json!({ "sha": HEAD }))).await);
    fake.world.lock().unwrap().pulls[0]["head"]["sha"] = json!("f".repeat(40));
    all.push(write(&fake, "github_review", approve(json!({ "sha": HEAD }))).await);
    insta::assert_snapshot!(all.join("\n"), @"
    error: `APPROVE` needs `sha`, the last commit that was read; `github_pr` shows it
    reviewed acme/app#14: https://github.com/acme/app/pull/14#pullrequestreview-80
    error: nothing was approved: the last commit of acme/app#14 is ffffffffffffffffffffffffffffffffffffffff, and not 6dcb09b5b57875f334f61aebed695e2e4193db5e; read what changed
    ");
    assert_eq!(fake.world.lock().unwrap().reviews.len(), 1);
}

#[tokio::test]
async fn pull_requests_reviews_releases_and_runs_are_written() {
    let fake = FakeGithub::new();
    let mut all = Vec::new();
    for (tool, arguments) in [
        (
            "github_pr_create",
            json!({ "repo": "acme/app", "title": "T", "head": "bob:fix", "base": "main", "draft": true }),
        ),
        (
            "github_pr_create",
            json!({ "repo": "acme/app", "title": "T", "head": "main", "base": "main" }),
        ),
        (
            "github_pr_create",
            json!({ "repo": "acme/app", "title": "T", "head": "--upload-pack=x", "base": "main" }),
        ),
        (
            "github_review",
            json!({
                "repo": "acme/app", "number": 14, "event": "REQUEST_CHANGES", "body": "One question.", "sha": HEAD,
                "comments": [{ "path": "src/lib.rs", "line": 3, "start_line": 2, "body": "Can this be empty?" }],
            }),
        ),
        (
            "github_review",
            json!({ "repo": "acme/app", "number": 14, "event": "COMMENT" }),
        ),
        (
            "github_release_create",
            json!({ "repo": "acme/app", "tag": "v1.3.0", "target": "main", "body": "- More." }),
        ),
        (
            "github_run_rerun",
            json!({ "repo": "acme/app", "run": 9001, "failed_only": true }),
        ),
        (
            "github_run_rerun",
            json!({ "repo": "acme/app", "run": 9002 }),
        ),
    ] {
        all.push(write(&fake, tool, arguments).await);
    }
    insta::assert_snapshot!(all.join("\n"), @"
    opened the pull request acme/app#21: https://github.com/acme/app/pull/21
    error: GitHub refuses the request for a pull request of acme/app; GitHub says: Validation Failed (PullRequest custom No commits between main and main)
    error: `--upload-pack=x` is no name of a branch, a tag or a commit
    reviewed acme/app#14: https://github.com/acme/app/pull/14#pullrequestreview-80
    error: a review that does not approve needs a `body`
    created the release `v1.3.0` of acme/app: https://github.com/acme/app/releases
    the run 9001 of acme/app runs again: https://github.com/acme/app/actions/runs/9001
    error: GitHub does not find the run 9002 of acme/app: it is not there, or the token may not see it; GitHub says: Not Found
    ");
    assert_eq!(fake.world.lock().unwrap().reviews.len(), 1);
}

#[tokio::test]
async fn a_commit_is_bound_to_the_head_that_was_read() {
    let fake = FakeGithub::new();
    let commit = |branch: &str, head: &str, files: serde_json::Value| json!({ "repo": "acme/app", "branch": branch, "message": "Change", "files": files, "expected_head": head });
    let file = json!([{ "path": "README.md", "content": "New.\n" }, { "path": "run.sh", "content": "true\n" },
        { "path": "src/lib.rs", "delete": true }, { "path": "docs/new.md", "content": "" }]);
    let mut all = Vec::new();
    for (branch, head, files) in [
        ("main", "f".repeat(40), file.clone()),
        (
            "main",
            MAIN.to_owned(),
            json!([{ "path": "link", "content": "x" }]),
        ),
        (
            "main",
            MAIN.to_owned(),
            json!([{ "path": "vendor", "delete": true }]),
        ),
        (
            "main",
            MAIN.to_owned(),
            json!([{ "path": "src", "content": "x" }]),
        ),
        (
            "main",
            MAIN.to_owned(),
            json!([{ "path": "nothing", "delete": true }]),
        ),
        (
            "main",
            MAIN.to_owned(),
            json!([{ "path": "../x", "content": "x" }]),
        ),
        (
            "main",
            MAIN.to_owned(),
            json!([{ "path": ".git/config", "content": "x" }]),
        ),
        (
            "main",
            MAIN.to_owned(),
            json!([{ "path": "a", "content": "x", "delete": true }]),
        ),
        (
            "main",
            MAIN.to_owned(),
            json!([{ "path": "a", "content": "x" }, { "path": "./a", "content": "y" }]),
        ),
        ("main", MAIN.to_owned(), file.clone()),
        ("feature/new", MAIN.to_owned(), file),
    ] {
        all.push(write(&fake, "github_commit", commit(branch, &head, files)).await);
    }
    insta::assert_snapshot!(all.join("\n"), @"
    error: nothing was committed: the last commit of `main` is aa218f56b14c9653891f9e74264a383fa43fefbd, and not ffffffffffffffffffffffffffffffffffffffff; read what changed
    error: nothing was committed: `link` is a symbolic link or a submodule
    error: nothing was committed: `vendor` is a symbolic link or a submodule
    error: nothing was committed: `src` is a folder
    error: nothing was committed: there is no `nothing` to delete
    error: `../x` is no path below the root of the repository
    error: `.git/config` cannot be committed
    error: `a` needs either `content` or `delete`
    error: `a` is there twice
    committed to `main` of acme/app: https://github.com/acme/app/commit/00000000000000000000000000000000000007d1
    committed to `feature/new` of acme/app: https://github.com/acme/app/commit/00000000000000000000000000000000000007d2
    ");
    let world = fake.world.lock().unwrap();
    let entries = world
        .trees
        .values()
        .find(|tree| tree.get("base_tree").is_some())
        .unwrap();
    insta::assert_snapshot!(entries, @r#"{"base_tree":"cd8274d15fa3ae2ab983129fb037999f264ba9a7","tree":[{"path":"README.md","mode":"100644","type":"blob","content":"New.\n"},{"path":"docs/new.md","mode":"100644","type":"blob","content":""},{"path":"run.sh","mode":"100755","type":"blob","content":"true\n"},{"path":"src/lib.rs","mode":"100644","type":"blob","sha":null}]}"#);
    insta::assert_snapshot!(format!("{:?}", world.branches), @r#"{"feature/new": "00000000000000000000000000000000000007d2", "main": "00000000000000000000000000000000000007d1"}"#);
}

#[tokio::test]
async fn a_dry_run_shows_the_request_and_sends_nothing() {
    let fake = FakeGithub::new();
    let mut session = Session::with(fake.clone(), json!({})).await;
    session.cx = session.cx.derive().dry_run(true).build();
    let all = session
        .call_all([
            (
                "github_comment",
                json!({ "repo": "acme/app", "number": 12, "body": "Fixed." }),
            ),
            (
                "github_pr_merge",
                json!({ "repo": "acme/app", "number": 14, "sha": HEAD, "base": "main" }),
            ),
            (
                "github_commit",
                json!({ "repo": "acme/app", "branch": "main", "message": "M", "expected_head": MAIN,
                "files": [{ "path": "a", "content": "x" }, { "path": "b", "delete": true }] }),
            ),
        ])
        .await;
    insta::assert_snapshot!(all, @r#"
    # github_comment {"repo":"acme/app","number":12,"body":"Fixed."}
    dry run, nothing is sent: comments on acme/app#12 (6 characters)

    POST http://127.0.0.1:PORT/repos/acme/app/issues/12/comments
    {
      "body": "Fixed."
    }

    # github_pr_merge {"repo":"acme/app","number":14,"sha":"6dcb09b5b57875f334f61aebed695e2e4193db5e","base":"main"}
    dry run, nothing is sent: merges acme/app#14 at 6dcb09b5b into `main` with a merge commit

    PUT http://127.0.0.1:PORT/repos/acme/app/pulls/14/merge
    {
      "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e",
      "merge_method": "merge"
    }

    # github_commit {"repo":"acme/app","branch":"main","message":"M","expected_head":"aa218f56b14c9653891f9e74264a383fa43fefbd","files":[{"path":"a","content":"x"},{"path":"b","delete":true}]}
    dry run, nothing is sent: commits `a`, `b` (deleted) to `main` of acme/app (1 bytes)

    M

    === a
    x

    === b
    (deleted)
    "#);
    assert_eq!(session.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn writes_follow_each_other_after_a_second() {
    let session = Session::start(json!({})).await;
    let comment = || {
        session.call(
            "github_comment",
            json!({ "repo": "acme/app", "number": 12, "body": "x" }),
        )
    };
    let start = std::time::Instant::now();
    let (first, second) = tokio::join!(comment(), comment());
    assert!(
        first.starts_with("commented") && second.starts_with("commented"),
        "{first} {second}"
    );
    assert!(start.elapsed() >= std::time::Duration::from_secs(1));
}
