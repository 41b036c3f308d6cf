//! `github_review`.

use helve::prelude::*;
use helve::tool::CheckReport;
use serde_json::{Value, json};

use super::expected::ExpectedPull;
use super::{WriteRequest, judge_request, length, object, planned, repository};
use crate::client::Api;
use crate::endpoint::{check_path, check_sha};
use crate::settings::{check_token, may_write};

/// What a review says.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewEvent {
    /// The pull request may be merged.
    Approve,
    /// It has to change.
    RequestChanges,
    /// Neither.
    Comment,
}

/// The side of a diff.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewSide {
    /// The lines before the change.
    Left,
    /// The lines after the change.
    #[default]
    Right,
}

/// A comment on lines of a file that a pull request changes.
#[helve::data]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewComment {
    /// The path of the file.
    #[arg(min_len = 1, max_len = 4_000)]
    pub path: String,
    /// The line, or the last one of several, which the diff has to show.
    #[arg(min = 1)]
    pub line: u64,
    /// The first line of several.
    #[arg(min = 1)]
    pub start_line: Option<u64>,
    /// The side of the diff that the lines are of.
    #[arg(default)]
    pub side: ReviewSide,
    /// The text, as Markdown.
    #[arg(min_len = 1, max_len = 65_536)]
    pub body: String,
}

/// What a review has.
#[derive(Clone, Copy)]
struct ReviewFields<'a> {
    number: u64,
    event: ReviewEvent,
    body: Option<&'a str>,
    comments: &'a [ReviewComment],
    sha: Option<&'a str>,
}

/// Reviews a pull request on GitHub: a verdict, a text, and comments on lines, all at once.
///
/// `APPROVE` needs `sha`, the last commit that you read, which `github_pr` shows: if there has been another one since,
/// nothing is approved, and the pull request has to be read again.
#[tool(
    open_world,
    risk = "medium",
    title = "Review a pull request on GitHub",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    check = judge,
    config_check = check_token,
    available_if = may_write,
    examples = [
        r#"{"repo": "acme/app", "number": 14, "event": "REQUEST_CHANGES", "body": "One question.", "comments": [{"path": "src/lib.rs", "line": 12, "body": "Can this be empty?"}]}"#
    ]
)]
pub async fn github_review(
    /// The repository, as `owner/name`.
    repo: &str,
    /// The number of the pull request.
    #[arg(min = 1)]
    number: u64,
    /// The verdict.
    event: ReviewEvent,
    /// The text, as Markdown; `REQUEST_CHANGES` and `COMMENT` need it.
    #[arg(max_len = 65_536)]
    body: Option<&str>,
    /// The comments on lines.
    #[arg(default, max_len = 50)]
    comments: Vec<ReviewComment>,
    /// The id of the last commit that was read, so that the review is of that one; `APPROVE` needs it.
    sha: Option<&str>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let fields = ReviewFields {
        number,
        event,
        body,
        comments: &comments,
        sha,
    };
    let request = planned(cx, || plan(cx, repo, fields))?;
    if let Some(shown) = request.dry_run(cx)? {
        return Ok(shown);
    }
    let api = Api::new(cx).await?;
    let repository = &request.repository;
    let expected = ExpectedPull {
        repository,
        number,
        sha: sha.unwrap_or_default(),
        base: None,
        done: "approved",
    };
    let value = match event {
        ReviewEvent::Approve => request.send_after(&api, expected.check(&api)).await?,
        _ => request.send(&api).await?,
    };
    let anchor = crate::value::number(&value, "/id").map(|id| format!("#pullrequestreview-{id}"));
    let page = api.host.page(&format!("{repository}/pull/{number}"));
    Ok(ToolOutput::plain(format!(
        "reviewed {repository}#{number}: {page}{}",
        anchor.unwrap_or_default()
    )))
}

fn judge(
    cx: &ToolContext,
    repo: &str,
    number: &u64,
    event: &ReviewEvent,
    body: Option<&str>,
    comments: &[ReviewComment],
    sha: Option<&str>,
) -> CheckReport {
    let fields = ReviewFields {
        number: *number,
        event: *event,
        body,
        comments,
        sha,
    };
    judge_request(plan(cx, repo, fields))
}

fn plan(cx: &ToolContext, repo: &str, fields: ReviewFields<'_>) -> Result<WriteRequest, String> {
    let ReviewFields {
        number,
        event,
        body,
        comments,
        sha,
    } = fields;
    let repository = repository(cx, repo)?;
    let sha = sha.map(check_sha).transpose()?;
    check_fields(&fields)?;
    let text = body.unwrap_or_default();
    let at = sha
        .map(|sha| format!(" at {}", &sha[..9]))
        .unwrap_or_default();
    let verb = match event {
        ReviewEvent::Approve => "approves",
        ReviewEvent::RequestChanges => "requests changes of",
        ReviewEvent::Comment => "reviews",
    };
    let lines = match comments.len() {
        0 => String::new(),
        1 => ", 1 comment on lines".to_owned(),
        number => format!(", {number} comments on lines"),
    };
    Ok(WriteRequest {
        method: "POST",
        endpoint: repository.endpoint(["pulls", &*number.to_string(), "reviews"]),
        what: format!("the pull request {repository}#{number}"),
        summary: format!(
            "{verb} {repository}#{number}{at} (text of {}{lines})",
            length(text)
        ),
        body: object([
            ("event", Some(json!(event))),
            ("body", body.map(Value::from)),
            ("commit_id", sha.map(Value::from)),
            (
                "comments",
                (!comments.is_empty()).then(|| comments.iter().map(line_comment).collect()),
            ),
        ]),
        repository,
    })
}

/// Checks what the API would refuse, and that what is approved was read.
fn check_fields(fields: &ReviewFields<'_>) -> Result<(), String> {
    let is_approval = fields.event == ReviewEvent::Approve;
    if fields.body.unwrap_or_default().trim().is_empty() && !is_approval {
        return Err("a review that does not approve needs a `body`".to_owned());
    }
    if fields.sha.is_none() && is_approval {
        return Err(
            "`APPROVE` needs `sha`, the last commit that was read; `github_pr` shows it".to_owned(),
        );
    }
    for comment in fields.comments {
        check_path(&comment.path)?;
        if comment
            .start_line
            .is_some_and(|start| start >= comment.line)
        {
            return Err(format!(
                "`start_line` of the comment on line {} is not before it",
                comment.line
            ));
        }
    }
    Ok(())
}

fn line_comment(comment: &ReviewComment) -> Value {
    let side = json!(comment.side);
    object([
        ("path", Some(json!(comment.path))),
        ("line", Some(json!(comment.line))),
        ("side", Some(side.clone())),
        ("start_line", comment.start_line.map(Value::from)),
        ("start_side", comment.start_line.map(|_| side)),
        ("body", Some(json!(comment.body))),
    ])
}
