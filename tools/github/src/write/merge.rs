//! `github_pr_merge`.

use helve::prelude::*;
use helve::tool::CheckReport;
use serde_json::{Value, json};

use super::expected::ExpectedPull;
use super::{WriteRequest, judge_request, object, planned, repository};
use crate::client::Api;
use crate::endpoint::{check_ref, check_sha};
use crate::settings::{check_token, may_write};
use crate::value::flag;

/// How a pull request is merged.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum MergeMethod {
    /// With a merge commit.
    #[default]
    Merge,
    /// As one commit.
    Squash,
    /// As its commits, on top of the branch.
    Rebase,
}

/// What is merged, and how.
#[derive(Clone, Copy)]
struct MergeFields<'a> {
    number: u64,
    sha: &'a str,
    base: &'a str,
    method: MergeMethod,
    title: Option<&'a str>,
    message: Option<&'a str>,
}

/// Merges a pull request on GitHub, exactly as it was read.
///
/// `sha` is the last commit that you read, and `base` the branch that it goes into; `github_pr` shows both. If one of them
/// is another one by now, nothing is merged, and the pull request has to be read again.
#[tool(
    open_world,
    risk = "high",
    destructive,
    title = "Merge a pull request on GitHub",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    check = judge,
    config_check = check_token,
    available_if = may_write,
    examples = [r#"{"repo": "acme/app", "number": 14, "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "base": "main", "method": "squash"}"#]
)]
#[expect(clippy::too_many_arguments, reason = "they are those of the model")]
pub async fn github_pr_merge(
    /// The repository, as `owner/name`.
    repo: &str,
    /// The number of the pull request.
    #[arg(min = 1)]
    number: u64,
    /// The id of the last commit that was read, with all its digits.
    #[arg(min_len = 40, max_len = 64)]
    sha: &str,
    /// The branch that it was read to go into.
    base: &str,
    /// How it is merged.
    #[arg(default)]
    method: MergeMethod,
    /// The title of the commit.
    #[arg(max_len = 256)]
    title: Option<&str>,
    /// The message of the commit below its title.
    #[arg(max_len = 65_536)]
    message: Option<&str>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let fields = MergeFields {
        number,
        sha,
        base,
        method,
        title,
        message,
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
        sha,
        base: Some(base),
        done: "merged",
    };
    let value = request.send_after(&api, expected.check(&api)).await?;
    if !flag(&value, "/merged") {
        return Err(ToolError::failed(format!(
            "GitHub did not merge {repository}#{number}; read it again"
        )));
    }
    let page = api.host.page(&format!("{repository}/pull/{number}"));
    let commit = crate::value::sha(&value, "/sha").unwrap_or("a commit that GitHub does not name");
    Ok(ToolOutput::plain(format!(
        "merged {repository}#{number} as {commit}: {page}"
    )))
}

#[expect(clippy::too_many_arguments, reason = "they are those of the tool")]
fn judge(
    cx: &ToolContext,
    repo: &str,
    number: &u64,
    sha: &str,
    base: &str,
    method: &MergeMethod,
    title: Option<&str>,
    message: Option<&str>,
) -> CheckReport {
    let fields = MergeFields {
        number: *number,
        sha,
        base,
        method: *method,
        title,
        message,
    };
    judge_request(plan(cx, repo, fields))
}

fn plan(cx: &ToolContext, repo: &str, fields: MergeFields<'_>) -> Result<WriteRequest, String> {
    let MergeFields {
        number,
        sha,
        base,
        method,
        title,
        message,
    } = fields;
    let repository = repository(cx, repo)?;
    let sha = check_sha(sha)?.to_ascii_lowercase();
    let base = check_ref(base)?;
    let way = match method {
        MergeMethod::Merge => "with a merge commit",
        MergeMethod::Squash => "as one commit",
        MergeMethod::Rebase => "by a rebase",
    };
    Ok(WriteRequest {
        method: "PUT",
        endpoint: repository.endpoint(["pulls", &*number.to_string(), "merge"]),
        what: format!("the pull request {repository}#{number}"),
        summary: format!(
            "merges {repository}#{number} at {} into `{base}` {way}",
            &sha[..9]
        ),
        body: object([
            ("sha", Some(json!(sha))),
            ("merge_method", Some(json!(method))),
            ("commit_title", title.map(Value::from)),
            ("commit_message", message.map(Value::from)),
        ]),
        repository,
    })
}
