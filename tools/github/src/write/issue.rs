//! `github_issue_write`.

use helve::prelude::*;
use helve::tool::CheckReport;
use serde_json::{Value, json};

use super::{WriteRequest, judge_request, length, object, planned, repository};
use crate::client::Api;
use crate::settings::{check_token, may_write};

/// Whether an issue is open.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum IssueState {
    /// It is open.
    Open,
    /// It is closed.
    Closed,
}

/// Why an issue is closed.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum IssueStateReason {
    /// It is done.
    Completed,
    /// It will not be done.
    NotPlanned,
}

/// What is written of an issue.
#[derive(Clone, Copy)]
struct IssueFields<'a> {
    number: Option<u64>,
    title: Option<&'a str>,
    body: Option<&'a str>,
    labels: Option<&'a Vec<String>>,
    assignees: Option<&'a Vec<String>>,
    state: Option<IssueState>,
    state_reason: Option<IssueStateReason>,
}

/// Creates an issue on GitHub, or changes one.
///
/// Without `number` an issue is created, which needs a title. With `number` only what is named changes; `labels` and
/// `assignees` then replace those that the issue has.
#[tool(
    open_world,
    risk = "medium",
    title = "Write an issue on GitHub",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    check = judge,
    config_check = check_token,
    available_if = may_write,
    examples = [
        r#"{"repo": "acme/app", "title": "The parser fails on empty input", "body": "Steps: …", "labels": ["bug"]}"#,
        r#"{"repo": "acme/app", "number": 12, "state": "closed", "state_reason": "completed"}"#
    ]
)]
#[expect(clippy::too_many_arguments, reason = "they are those of the model")]
pub async fn github_issue_write(
    /// The repository, as `owner/name`.
    repo: &str,
    /// The number of the issue to change.
    #[arg(min = 1)]
    number: Option<u64>,
    /// The title.
    #[arg(min_len = 1, max_len = 256)]
    title: Option<&str>,
    /// The text, as Markdown.
    #[arg(max_len = 65_536)]
    body: Option<&str>,
    /// The names of all its labels.
    #[arg(max_len = 100)]
    labels: Option<Vec<String>>,
    /// The names of all its assignees.
    #[arg(max_len = 10)]
    assignees: Option<Vec<String>>,
    /// Whether it is open.
    state: Option<IssueState>,
    /// Why it is closed.
    state_reason: Option<IssueStateReason>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let (labels, assignees) = (labels.as_ref(), assignees.as_ref());
    let fields = IssueFields {
        number,
        title,
        body,
        labels,
        assignees,
        state,
        state_reason,
    };
    let request = planned(cx, || plan(cx, repo, fields))?;
    if let Some(shown) = request.dry_run(cx)? {
        return Ok(shown);
    }
    let api = Api::new(cx).await?;
    let value = request.send(&api).await?;
    let verb = if number.is_some() {
        "changed"
    } else {
        "created"
    };
    let number = number
        .or_else(|| crate::value::number(&value, "/number"))
        .unwrap_or_default();
    let repository = &request.repository;
    let page = api.host.page(&format!("{repository}/issues/{number}"));
    Ok(ToolOutput::plain(format!(
        "{verb} the issue {repository}#{number}: {page}"
    )))
}

#[expect(clippy::too_many_arguments, reason = "they are those of the tool")]
fn judge(
    cx: &ToolContext,
    repo: &str,
    number: &Option<u64>,
    title: Option<&str>,
    body: Option<&str>,
    labels: &Option<Vec<String>>,
    assignees: &Option<Vec<String>>,
    state: &Option<IssueState>,
    state_reason: &Option<IssueStateReason>,
) -> CheckReport {
    let fields = IssueFields {
        number: *number,
        title,
        body,
        labels: labels.as_ref(),
        assignees: assignees.as_ref(),
        state: *state,
        state_reason: *state_reason,
    };
    judge_request(plan(cx, repo, fields))
}

fn plan(cx: &ToolContext, repo: &str, fields: IssueFields<'_>) -> Result<WriteRequest, String> {
    let repository = repository(cx, repo)?;
    let state = fields.state.map(|state| json!(state));
    let reason = fields.state_reason.map(|reason| json!(reason));
    let body = object([
        ("title", fields.title.map(Value::from)),
        ("body", fields.body.map(Value::from)),
        ("labels", fields.labels.map(|labels| json!(labels))),
        (
            "assignees",
            fields.assignees.map(|assignees| json!(assignees)),
        ),
        ("state", state),
        ("state_reason", reason),
    ]);
    let changes = describe(fields);
    let issues = repository.endpoint(["issues"]);
    let (method, endpoint, what, summary) = match fields.number {
        None if fields.title.is_none() => {
            return Err("an issue needs a `title`; to change one, name its `number`".to_owned());
        }
        None if fields.state.is_some() || fields.state_reason.is_some() => {
            return Err("a new issue is open; leave out `state` and `state_reason`".to_owned());
        }
        None => (
            "POST",
            issues,
            format!("an issue of {repository}"),
            format!("creates an issue in {repository} {changes}"),
        ),
        Some(_) if changes.is_empty() => {
            return Err("nothing changes; name what is to be another".to_owned());
        }
        Some(number) => {
            let endpoint = issues.below([&*number.to_string()]);
            let summary = format!("changes the issue {repository}#{number} {changes}");
            (
                "PATCH",
                endpoint,
                format!("the issue {repository}#{number}"),
                summary,
            )
        }
    };
    Ok(WriteRequest {
        repository,
        method,
        endpoint,
        body,
        what,
        summary,
    })
}

/// Says what is written.
fn describe(fields: IssueFields<'_>) -> String {
    let list = |names: &Vec<String>| {
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    };
    let state = fields
        .state
        .map(|state| match (state, fields.state_reason) {
            (IssueState::Open, _) => "open".to_owned(),
            (IssueState::Closed, Some(IssueStateReason::NotPlanned)) => {
                "closed as not planned".to_owned()
            }
            (IssueState::Closed, _) => "closed".to_owned(),
        });
    let parts = [
        fields.title.map(|title| format!("title `{title}`")),
        fields.body.map(|body| format!("text of {}", length(body))),
        fields
            .labels
            .map(|labels| format!("labels {}", list(labels))),
        fields
            .assignees
            .map(|assignees| format!("assignees {}", list(assignees))),
        state.or_else(|| fields.state_reason.map(|_| "another reason".to_owned())),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!("({})", parts.join("; "))
    }
}
