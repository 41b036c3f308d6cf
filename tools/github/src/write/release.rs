//! `github_release_create`.

use helve::prelude::*;
use helve::tool::CheckReport;
use serde_json::{Value, json};

use super::{WriteRequest, judge_request, length, object, planned, repository};
use crate::client::Api;
use crate::endpoint::check_ref;
use crate::settings::{check_token, may_write};

/// What a release has.
#[derive(Clone, Copy)]
struct ReleaseFields<'a> {
    tag: &'a str,
    target: Option<&'a str>,
    title: Option<&'a str>,
    body: Option<&'a str>,
    draft: bool,
    prerelease: bool,
}

/// Creates a release on GitHub, with its tag if there is none of that name.
#[tool(
    open_world,
    risk = "high",
    title = "Create a release on GitHub",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    check = judge,
    config_check = check_token,
    available_if = may_write,
    examples = [r#"{"repo": "acme/app", "tag": "v1.3.0", "body": "Empty input is parsed.", "draft": true}"#]
)]
#[expect(clippy::too_many_arguments, reason = "they are those of the model")]
pub async fn github_release_create(
    /// The repository, as `owner/name`.
    repo: &str,
    /// The tag.
    #[arg(example = "v1.3.0")]
    tag: &str,
    /// The branch or the commit of a new tag; by default the default branch.
    target: Option<&str>,
    /// The title; by default the tag.
    #[arg(max_len = 256)]
    title: Option<&str>,
    /// The notes, as Markdown.
    #[arg(max_len = 125_000)]
    body: Option<&str>,
    /// Whether it is a draft, which only people with access see.
    #[arg(default)]
    draft: bool,
    /// Whether it is a version for tests.
    #[arg(default)]
    prerelease: bool,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let fields = ReleaseFields {
        tag,
        target,
        title,
        body,
        draft,
        prerelease,
    };
    let request = planned(cx, || plan(cx, repo, fields))?;
    if let Some(shown) = request.dry_run(cx)? {
        return Ok(shown);
    }
    let api = Api::new(cx).await?;
    request.send(&api).await?;
    let repository = &request.repository;
    let page = api.host.page(&format!("{repository}/releases"));
    Ok(ToolOutput::plain(format!(
        "created the release `{tag}` of {repository}: {page}"
    )))
}

#[expect(clippy::too_many_arguments, reason = "they are those of the tool")]
fn judge(
    cx: &ToolContext,
    repo: &str,
    tag: &str,
    target: Option<&str>,
    title: Option<&str>,
    body: Option<&str>,
    draft: &bool,
    prerelease: &bool,
) -> CheckReport {
    let fields = ReleaseFields {
        tag,
        target,
        title,
        body,
        draft: *draft,
        prerelease: *prerelease,
    };
    judge_request(plan(cx, repo, fields))
}

fn plan(cx: &ToolContext, repo: &str, fields: ReleaseFields<'_>) -> Result<WriteRequest, String> {
    let repository = repository(cx, repo)?;
    let tag = check_ref(fields.tag)?;
    let target = fields.target.map(check_ref).transpose()?;
    let kind = if fields.draft {
        "a draft of the release"
    } else {
        "the release"
    };
    let of = target
        .map(|target| format!(" of `{target}`"))
        .unwrap_or_default();
    let notes = fields
        .body
        .map(|body| format!(" (notes of {})", length(body)))
        .unwrap_or_default();
    Ok(WriteRequest {
        method: "POST",
        endpoint: repository.endpoint(["releases"]),
        what: format!("the release `{tag}` of {repository}"),
        summary: format!("creates {kind} `{tag}`{of} in {repository}{notes}"),
        body: object([
            ("tag_name", Some(json!(tag))),
            ("target_commitish", target.map(Value::from)),
            ("name", fields.title.map(Value::from)),
            ("body", fields.body.map(Value::from)),
            ("draft", Some(json!(fields.draft))),
            ("prerelease", Some(json!(fields.prerelease))),
        ]),
        repository,
    })
}
