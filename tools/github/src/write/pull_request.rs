//! `github_pr_create`.

use helve::prelude::*;
use helve::tool::CheckReport;
use serde_json::{Value, json};

use super::{WriteRequest, judge_request, length, object, planned, repository};
use crate::client::Api;
use crate::endpoint::check_ref;
use crate::settings::{check_token, may_write};
use crate::value::number;

/// Opens a pull request on GitHub.
#[tool(
    open_world,
    risk = "medium",
    title = "Open a pull request on GitHub",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    check = judge,
    config_check = check_token,
    available_if = may_write,
    examples = [r#"{"repo": "acme/app", "title": "Parse empty input", "head": "empty-input", "base": "main", "body": "Closes #12."}"#]
)]
pub async fn github_pr_create(
    /// The repository, as `owner/name`.
    repo: &str,
    /// The title.
    #[arg(min_len = 1, max_len = 256)]
    title: &str,
    /// The branch with the changes; `owner:branch` for one of a fork.
    #[arg(example = "empty-input")]
    head: &str,
    /// The branch that the changes are for.
    #[arg(example = "main")]
    base: &str,
    /// The text, as Markdown.
    #[arg(max_len = 65_536)]
    body: Option<&str>,
    /// Whether it is a draft.
    #[arg(default)]
    draft: bool,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let request = planned(cx, || plan(cx, repo, title, head, base, body, draft))?;
    if let Some(shown) = request.dry_run(cx)? {
        return Ok(shown);
    }
    let api = Api::new(cx).await?;
    let value = request.send(&api).await?;
    let (repository, number) = (
        &request.repository,
        number(&value, "/number").unwrap_or_default(),
    );
    let page = api.host.page(&format!("{repository}/pull/{number}"));
    Ok(ToolOutput::plain(format!(
        "opened the pull request {repository}#{number}: {page}"
    )))
}

fn judge(
    cx: &ToolContext,
    repo: &str,
    title: &str,
    head: &str,
    base: &str,
    body: Option<&str>,
    draft: &bool,
) -> CheckReport {
    judge_request(plan(cx, repo, title, head, base, body, *draft))
}

fn plan(
    cx: &ToolContext,
    repo: &str,
    title: &str,
    head: &str,
    base: &str,
    body: Option<&str>,
    draft: bool,
) -> Result<WriteRequest, String> {
    let repository = repository(cx, repo)?;
    let (owner, branch) = head.split_once(':').unwrap_or(("", head));
    check_ref(branch)?;
    check_ref(base)?;
    if !owner
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    {
        return Err(format!("`{}` is no owner of a fork", owner.escape_debug()));
    }
    let text = body
        .map(|body| format!("; text of {}", length(body)))
        .unwrap_or_default();
    let kind = if draft {
        "a draft of a pull request"
    } else {
        "a pull request"
    };
    Ok(WriteRequest {
        method: "POST",
        endpoint: repository.endpoint(["pulls"]),
        body: object([
            ("title", Some(json!(title))),
            ("head", Some(json!(head))),
            ("base", Some(json!(base))),
            ("body", body.map(Value::from)),
            ("draft", draft.then_some(json!(true))),
        ]),
        what: format!("a pull request of {repository}"),
        summary: format!(
            "opens {kind} in {repository} of `{head}` into `{base}` (title `{title}`{text})"
        ),
        repository,
    })
}
