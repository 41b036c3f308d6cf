//! Lockdown: what strangers wrote in a public repository is not shown.

use serde_json::{Value, json};

use super::fake::{FakeGithub, Response};
use super::routes::{self, HEAD};
use super::{Session, call, context};

/// The words of strangers, in every place where the API has some.
const STRANGE: &str = "STRANGE";

/// A fake in which strangers wrote whatever they can.
fn fake() -> FakeGithub {
    FakeGithub::new().change(|world| {
        world.issues = vec![
            routes::issue(12, "STRANGE title", "STRANGE text", "alice", "CONTRIBUTOR"),
            routes::issue(13, "A known title", "A known text", "carol", "MEMBER"),
        ];
        world.issues[0]["labels"] = json!([{ "name": "STRANGE" }]);
        world.comments = vec![
            routes::comment(1001, "STRANGE comment", "bob", "NONE"),
            routes::comment(1002, "A known comment", "carol", "OWNER"),
        ];
        let pull = &mut world.pulls[0];
        pull["title"] = json!("STRANGE pull");
        pull["body"] = json!("STRANGE text");
        pull["head"]["ref"] = json!("STRANGE-branch");
        let review = json!({ "id": 1, "user": { "login": "eve" }, "author_association": "FIRST_TIMER", "body": "STRANGE" });
        world.reviews = vec![review];
    })
    .with(|request| {
        let checks = json!({ "total_count": 1, "check_runs": [
            { "name": "STRANGE check", "conclusion": "failure", "output": { "title": "STRANGE title" } },
        ] });
        let statuses = json!({ "statuses": [{ "context": "STRANGE", "state": "error", "description": "STRANGE" }] });
        let mut line = routes::comment(31, "A known comment", "carol", "MEMBER");
        line["path"] = json!("docs/STRANGE.md");
        match request.segments().get(3..).unwrap_or_default() {
            ["commits", _, "check-runs"] => Some(Response::json(200, &checks)),
            ["commits", _, "status"] => Some(Response::json(200, &statuses)),
            ["pulls", "14", "comments"] => Some(Response::json(200, &json!([line]))),
            ["pulls", "comments", "31"] => Some(Response::json(200, &line)),
            _ => None,
        }
    })
}

fn calls() -> Vec<(&'static str, Value)> {
    let pull = |what: &str| {
        (
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": what }),
        )
    };
    let issue = |what: &str| {
        (
            "github_issue",
            json!({ "repo": "acme/app", "number": 12, "what": what }),
        )
    };
    vec![
        issue("body"),
        issue("comments"),
        (
            "github_issue",
            json!({ "repo": "acme/app", "number": 12, "comment": 1001 }),
        ),
        issue("timeline"),
        pull("info"),
        pull("diff"),
        pull("files"),
        pull("commits"),
        pull("comments"),
        pull("reviews"),
        pull("review_comments"),
        pull("checks"),
        (
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": "review_comments", "comment": 31 }),
        ),
        (
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": "diff", "path": "src/lib.rs" }),
        ),
        (
            "github_repo",
            json!({ "repo": "acme/app", "what": "issues" }),
        ),
        (
            "github_repo",
            json!({ "repo": "acme/app", "what": "pulls" }),
        ),
        ("github_search", json!({ "kind": "issues", "query": "x" })),
        ("github_run", json!({ "repo": "acme/app" })),
        (
            "github_run",
            json!({ "repo": "acme/app", "run": 9001, "what": "jobs" }),
        ),
        ("github_notifications", json!({})),
        (
            "github_file",
            json!({ "repo": "acme/app", "path": "src/lib.rs", "ref": HEAD }),
        ),
        (
            "github_file",
            json!({ "repo": "acme/app", "path": "src/lib.rs", "ref": "refs/pull/14/head" }),
        ),
        (
            "github_repo",
            json!({ "repo": "acme/app", "what": "tree", "ref": "6dcb09b" }),
        ),
    ]
}

#[tokio::test]
async fn what_strangers_wrote_is_withheld() {
    let session = Session::with(fake(), json!({ "lockdown": true })).await;
    let mut withheld = 0;
    for (tool, arguments) in calls() {
        let text = session.call(tool, arguments.clone()).await;
        assert!(
            !text.contains(STRANGE) && !text.contains("Nothing is fine"),
            "{tool} {arguments}: {text}"
        );
        withheld += usize::from(text.contains("lockdown"));
    }
    assert!(withheld >= 19, "{withheld}");
    let checks = json!({ "repo": "acme/app", "number": 14, "what": "checks" });
    let checks = session.call("github_pr", checks).await;
    let states = checks
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(" · "));
    let states: Vec<&str> = states.map(|(state, _)| state).collect();
    assert_eq!(states, ["failure", "error"], "{checks}");
    let known = session
        .call("github_issue", json!({ "repo": "acme/app", "number": 13 }))
        .await;
    assert!(
        known.contains("A known title") && known.contains("  A known text"),
        "{known}"
    );
    let file = session
        .call(
            "github_file",
            json!({ "repo": "acme/app", "path": "src/lib.rs", "ref": "main" }),
        )
        .await;
    assert!(file.contains("fn parse()"), "{file}");
}

/// The files of a member's pull request are the member's words.
#[tokio::test]
async fn places_in_pull_requests_of_members_are_shown() {
    let member = fake().change(|world| world.pulls[0]["author_association"] = json!("MEMBER"));
    let session = Session::with(member, json!({ "lockdown": true })).await;
    let comments = json!({ "repo": "acme/app", "number": 14, "what": "review_comments" });
    let comments = session.call("github_pr", comments).await;
    assert!(comments.contains(" · docs/STRANGE.md\n"), "{comments}");
}

#[tokio::test]
async fn without_lockdown_and_in_private_repositories_it_is_shown() {
    let private = fake().change(|world| world.is_private = true);
    let server = super::Server::start(move |request| private.respond(request)).await;
    let cx = context(&server.origin(), json!({ "lockdown": true }), None);
    let issue = call(
        &cx,
        "github_issue",
        json!({ "repo": "acme/app", "number": 12 }),
    )
    .await;
    assert!(issue.contains("STRANGE title"), "{issue}");
    let open = Session::with(fake(), json!({})).await;
    let mut shown = 0;
    for (tool, arguments) in calls() {
        shown += usize::from(open.call(tool, arguments).await.contains(STRANGE));
    }
    assert!(shown >= 11, "{shown}");
}
