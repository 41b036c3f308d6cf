//! `github_comment`.

use helve::prelude::*;
use helve::tool::CheckReport;
use serde_json::json;

use super::{WriteRequest, judge_request, length, planned, repository};
use crate::client::Api;
use crate::settings::{check_token, may_write};

/// Comments on an issue or a pull request on GitHub.
#[tool(
    open_world,
    risk = "medium",
    title = "Comment on GitHub",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    check = judge,
    config_check = check_token,
    available_if = may_write,
    examples = [r#"{"repo": "acme/app", "number": 12, "body": "It is fixed on the branch `main`."}"#]
)]
pub async fn github_comment(
    /// The repository, as `owner/name`.
    #[arg(example = "acme/app")]
    repo: &str,
    /// The number of the issue or of the pull request.
    #[arg(min = 1)]
    number: u64,
    /// The text, as Markdown.
    #[arg(min_len = 1, max_len = 65_536)]
    body: &str,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let request = planned(cx, || plan(cx, repo, number, body))?;
    if let Some(shown) = request.dry_run(cx)? {
        return Ok(shown);
    }
    let api = Api::new(cx).await?;
    let value = request.send(&api).await?;
    let page = api
        .host
        .page(&format!("{}/issues/{number}", request.repository));
    let anchor = crate::value::number(&value, "/id").map(|id| format!("#issuecomment-{id}"));
    Ok(ToolOutput::plain(format!(
        "commented on {}#{number}: {page}{}",
        request.repository,
        anchor.unwrap_or_default()
    )))
}

fn judge(cx: &ToolContext, repo: &str, number: &u64, body: &str) -> CheckReport {
    judge_request(plan(cx, repo, *number, body))
}

fn plan(cx: &ToolContext, repo: &str, number: u64, body: &str) -> Result<WriteRequest, String> {
    let repository = repository(cx, repo)?;
    Ok(WriteRequest {
        method: "POST",
        endpoint: repository.endpoint(["issues", &*number.to_string(), "comments"]),
        body: json!({ "body": body }),
        what: format!("the issue {repository}#{number}"),
        summary: format!("comments on {repository}#{number} ({})", length(body)),
        repository,
    })
}
