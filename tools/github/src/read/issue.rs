//! `github_issue`.

use helve::prelude::*;
use serde_json::Value;

use super::comments::{self, CommentList};
use super::timeline::event_row;
use super::{MAX_TITLE_CHARS, issue_address, labels, name, output, row, state};
use crate::client::{Api, JSON};
use crate::listing::Listing;
use crate::lockdown::Lockdown;
use crate::origin::ReadTarget;
use crate::repository::RepositoryName;
use crate::settings::check_settings;
use crate::text::{MAX_BODY_CHARS, body, day, one_line};
use crate::value::{author, count, counted, items, login, text};

/// What of an issue is read.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum IssuePart {
    /// Its title, state, labels and text.
    #[default]
    Body,
    /// Its comments.
    Comments,
    /// What happened to it.
    Timeline,
}

/// Reads an issue on GitHub: its text, its comments, or what happened to it.
///
/// Each text says who wrote it, with the association to the repository: only `OWNER`, `MEMBER` and `COLLABORATOR` have
/// access to it. To find issues, use `github_search`.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "Read an issue on GitHub",
    requires(net, fs, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    config_check = check_settings,
    examples = [
        r#"{"repo": "acme/app", "number": 12}"#,
        r#"{"url": "https://github.com/acme/app/issues/12", "what": "comments"}"#
    ]
)]
#[expect(clippy::too_many_arguments, reason = "they are those of the model")]
pub async fn github_issue(
    /// The repository, as `owner/name`; by default the `origin` of the working folder.
    repo: Option<&str>,
    /// The number of the issue.
    #[arg(min = 1)]
    number: Option<u64>,
    /// The address of the issue, in place of `repo` and `number`.
    url: Option<&str>,
    /// What to read.
    #[arg(default)]
    what: IssuePart,
    /// The id of one comment to read, in place of `what`.
    comment: Option<u64>,
    /// The page of a list.
    #[arg(default = 1, min = 1, max = 1000)]
    page: usize,
    /// The first character of a text to return.
    #[arg(default = 0)]
    start: usize,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let api = Api::new(cx).await?;
    let target = ReadTarget::new(&api, repo, url).await?;
    let repository = &target.repository;
    let number = target.number(number, &["issues", "pull"])?;
    let lockdown = Lockdown::new(&api, repository).await?;
    let address = api.host.page(&format!("{repository}/issues/{number}"));
    let of = format!("of {repository}#{number}");
    let number = number.to_string();
    let text = if let Some(id) = comment {
        let endpoint = repository.endpoint(["issues", "comments", &*id.to_string()]);
        comments::one(&api, &endpoint, id, lockdown, start).await?
    } else {
        match what {
            IssuePart::Body => {
                let endpoint = repository.endpoint(["issues", &*number]);
                let item = api
                    .read(&endpoint, &format!("the issue {repository}#{number}"))
                    .await?;
                render_issue(&api, repository, &item, lockdown, start)
            }
            IssuePart::Comments => {
                comments::list(
                    &api,
                    issue_comments(repository, &number, &of, lockdown),
                    page,
                )
                .await?
            }
            IssuePart::Timeline => timeline(&api, repository, &number, &of, lockdown, page).await?,
        }
    };
    Ok(output("github_issue", address, text))
}

/// Returns the list of the comments of an issue or of a pull request.
pub(super) fn issue_comments<'a>(
    repository: &RepositoryName,
    number: &str,
    of: &'a str,
    lockdown: Lockdown,
) -> CommentList<'a> {
    CommentList {
        endpoint: repository.endpoint(["issues", number, "comments"]),
        one: "comment",
        many: "comments",
        of,
        lockdown,
        shows_places: false,
    }
}

fn render_issue(
    api: &Api<'_>,
    repository: &RepositoryName,
    item: &Value,
    lockdown: Lockdown,
    start: usize,
) -> String {
    let number = count(item, "/number");
    let shown = body(lockdown.text(item, "/body"), start, MAX_BODY_CHARS);
    let assignees = items(item, "/assignees").iter().map(|user| login(user, ""));
    let assignees = assignees.collect::<Vec<_>>().join(", ");
    let assigned = if assignees.is_empty() {
        String::new()
    } else {
        format!("assigned to {assignees}")
    };
    let milestone = name(item, "/milestone/title");
    let labels = if lockdown.withholds(item) {
        String::new()
    } else {
        labels(item)
    };
    let line = row([
        &*state(item),
        &*format!("by {}", author(item)),
        &*labels,
        &*assigned,
        &*if milestone.is_empty() {
            milestone
        } else {
            format!("milestone {milestone}")
        },
        &*counted(item, "/comments", "comment"),
        &*format!("created {}", day(text(item, "/created_at"))),
        &*format!("updated {}", day(text(item, "/updated_at"))),
        &*shown.note,
    ]);
    let title = one_line(lockdown.text(item, "/title"), MAX_TITLE_CHARS);
    let kind = match item.get("pull_request") {
        Some(_) => " (a pull request: `github_pr` shows its changes)",
        None => "",
    };
    let address = issue_address(api, repository, item, number);
    format!(
        "{repository}#{number} {title}{kind}\n{line}\n{address}\n\n{}",
        shown.text
    )
    .trim_end()
    .to_owned()
}

async fn timeline(
    api: &Api<'_>,
    repository: &RepositoryName,
    number: &str,
    of: &str,
    lockdown: Lockdown,
    page: usize,
) -> Result<String, ToolError> {
    let endpoint = repository
        .endpoint(["issues", number, "timeline"])
        .page(page);
    let answer = api
        .get(&endpoint, JSON, &format!("the timeline {of}"))
        .await?;
    let value = answer.value()?;
    let events = items(&value, "").iter();
    let listing = Listing {
        one: "event",
        many: "events",
        of: of.to_owned(),
        page,
        has_next: answer.has_next,
        total: None,
        rows: events.map(|event| event_row(event, lockdown)).collect(),
    };
    Ok(listing.render(api.cx))
}
