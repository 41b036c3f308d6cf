//! What was moved to another repository.

use serde_json::json;

use super::Session;
use super::fake::{FakeGithub, Response};

/// A fake in which three issues were transferred: to another number, to the same one, and to a repository that its address
/// names.
fn fake() -> FakeGithub {
    FakeGithub::new().with(|request| {
        let moved = |place: &str| {
            let status = if request.method == "GET" { 301 } else { 307 };
            Some(Response::error(status, "Moved").with("location", place))
        };
        let rest = request.path.strip_prefix("/repos/acme/app/issues/");
        match (request.path, rest) {
            (_, Some("12")) => moved("/repositories/7/issues/5"),
            (_, Some("12/comments")) => moved("/repositories/7/issues/5/comments"),
            (_, Some("13")) => moved("/repositories/7/issues/13"),
            (_, Some("14")) => moved("/repos/acme/docs/issues/14"),
            ("/repositories/7", _) => Some(Response::json(
                200,
                &json!({ "full_name": "acme/docs", "id": 7 }),
            )),
            ("/repositories/7/issues/5" | "/repositories/7/issues/13", _) => Some(Response::json(
                200,
                &json!({ "number": 5, "title": "An issue of another repository", "state": "open" }),
            )),
            _ => None,
        }
    })
}

#[tokio::test]
async fn an_issue_that_was_transferred_is_one_of_the_other_repository() {
    let session = Session::with(fake(), json!({})).await;
    let issue = |number: u64, what: &str| {
        (
            "github_issue",
            json!({ "repo": "acme/app", "number": number, "what": what }),
        )
    };
    let all = session
        .call_all([
            issue(12, "body"),
            issue(12, "comments"),
            issue(13, "body"),
            issue(14, "body"),
            (
                "github_comment",
                json!({ "repo": "acme/app", "number": 12, "body": "x" }),
            ),
        ])
        .await;
    insta::assert_snapshot!(all, @r#"
    # github_issue {"repo":"acme/app","number":12,"what":"body"}
    error: GitHub moved the issue acme/app#12 to another repository: `acme/docs#5`; call again with that name

    # github_issue {"repo":"acme/app","number":12,"what":"comments"}
    error: GitHub moved comments of acme/app#12 to another repository: `acme/docs#5`; call again with that name

    # github_issue {"repo":"acme/app","number":13,"what":"body"}
    error: GitHub moved the issue acme/app#13 to another repository: `acme/docs#13`; call again with that name

    # github_issue {"repo":"acme/app","number":14,"what":"body"}
    error: GitHub moved the issue acme/app#14 to another repository: `acme/docs#14`; call again with that name

    # github_comment {"repo":"acme/app","number":12,"body":"x"}
    error: the issue acme/app#12 is now `acme/docs#5`, and nothing was written; call again with that name
    "#);
    let narrow = Session::with(fake(), json!({ "repos": ["acme/app"] })).await;
    let (tool, arguments) = issue(12, "body");
    let refused = narrow.call(tool, arguments).await;
    assert_eq!(
        refused,
        "error: the settings do not allow `acme/docs`: `repos` in `[github]` has acme/app"
    );
}
