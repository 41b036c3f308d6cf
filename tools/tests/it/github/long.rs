//! What is long is read in parts, and each part says how to go on.

use serde_json::json;

use super::{Session, routes};

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
async fn a_long_comment_is_read_to_its_end() {
    let fake = super::FakeGithub::new()
        .change(|world| world.comments[0]["body"] = json!("0123456789".repeat(700)))
        .with(|request| {
            let is_line_comment = request.path.ends_with("/pulls/comments/31");
            is_line_comment.then(|| {
                super::fake::Response::json(200, &routes::comment(31, "A line.", "carol", "OWNER"))
            })
        });
    let session = Session::with(fake, json!({})).await;
    let comments = session
        .call(
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": "comments" }),
        )
        .await;
    assert!(
        comments.contains("comment 1001 · by bob (NONE) · 2026-11-19 · characters 0 to 2000 of 7000; more with `comment` and `start` 2000"),
        "{comments}"
    );
    let one = json!({ "repo": "acme/app", "number": 14, "what": "comments", "comment": 1001, "start": 6_990 });
    let one = session.call("github_pr", one).await;
    assert_eq!(
        one,
        "comment 1001 · by bob (NONE) · 2026-11-19 · characters 6990 to 7000 of 7000\n  0123456789"
    );
    let line =
        json!({ "repo": "acme/app", "number": 14, "what": "review_comments", "comment": 31 });
    assert_eq!(
        session.call("github_pr", line).await,
        "comment 31 · by carol (OWNER) · 2026-11-19\n  A line."
    );
    let wrong = json!({ "repo": "acme/app", "number": 14, "comment": 31 });
    let wrong = session.call("github_pr", wrong).await;
    assert_eq!(
        wrong,
        "error: `comment` needs `what` to be comments, review_comments or reviews"
    );
}
