//! `github_run_rerun`.

use helve::prelude::*;
use helve::tool::CheckReport;
use serde_json::json;

use super::{WriteRequest, judge_request, planned, repository};
use crate::client::Api;
use crate::settings::{check_token, may_write};

/// Runs a workflow on GitHub Actions again.
#[tool(
    open_world,
    risk = "medium",
    title = "Run a workflow on GitHub again",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    check = judge,
    config_check = check_token,
    available_if = may_write,
    examples = [r#"{"repo": "acme/app", "run": 9001, "failed_only": true}"#]
)]
pub async fn github_run_rerun(
    /// The repository, as `owner/name`.
    repo: &str,
    /// The id of the run.
    #[arg(min = 1)]
    run: u64,
    /// Whether only the jobs that failed run again.
    #[arg(default)]
    failed_only: bool,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let request = planned(cx, || plan(cx, repo, run, failed_only))?;
    if let Some(shown) = request.dry_run(cx)? {
        return Ok(shown);
    }
    let api = Api::new(cx).await?;
    request.send(&api).await?;
    let repository = &request.repository;
    let page = api.host.page(&format!("{repository}/actions/runs/{run}"));
    Ok(ToolOutput::plain(format!(
        "the run {run} of {repository} runs again: {page}"
    )))
}

fn judge(cx: &ToolContext, repo: &str, run: &u64, failed_only: &bool) -> CheckReport {
    judge_request(plan(cx, repo, *run, *failed_only))
}

fn plan(cx: &ToolContext, repo: &str, run: u64, failed_only: bool) -> Result<WriteRequest, String> {
    let repository = repository(cx, repo)?;
    let (segment, which) = if failed_only {
        ("rerun-failed-jobs", "the failed jobs of the run")
    } else {
        ("rerun", "the run")
    };
    Ok(WriteRequest {
        method: "POST",
        endpoint: repository.endpoint(["actions", "runs", &*run.to_string(), segment]),
        body: json!({}),
        what: format!("the run {run} of {repository}"),
        summary: format!("runs {which} {run} of {repository} again"),
        repository,
    })
}
