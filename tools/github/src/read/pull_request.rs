//! `github_pr`.

mod checks;

use helve::prelude::*;
use serde_json::Value;

use super::comments::{self, CommentList};
use super::issue::issue_comments;
use super::{MAX_TITLE_CHARS, diff, labels, name, output, row, state};
use crate::client::{Api, JSON};
use crate::endpoint::{Endpoint, PER_PAGE};
use crate::listing::Listing;
use crate::lockdown::{Lockdown, WITHHELD};
use crate::origin::ReadTarget;
use crate::repository::RepositoryName;
use crate::settings::check_settings;
use crate::text::{MAX_BODY_CHARS, body, day, one_line};
use crate::value::{author, count, counted, items, login, sha, short_sha, text};

/// What of a pull request is read.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestPart {
    /// Its title, state, branches and text.
    #[default]
    Info,
    /// What it changes, file by file.
    Diff,
    /// The files that it changes.
    Files,
    /// Its commits.
    Commits,
    /// Its comments.
    Comments,
    /// Its reviews.
    Reviews,
    /// The comments on its lines.
    ReviewComments,
    /// The checks of its last commit.
    Checks,
}

/// The most commits of a pull request that the API lists.
const MAX_COMMITS: usize = 250;

/// What is read of which pull request.
struct PullRequestRead<'a> {
    repository: &'a RepositoryName,
    number: u64,
    lockdown: Lockdown,
    page: usize,
    start: usize,
}

/// Reads a pull request on GitHub: what it is, what it changes, what was said of it, and its checks.
///
/// `info` has the id of its last commit, which `github_pr_merge` needs. A long diff goes on with `page`, and with `path`
/// for one file.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "Read a pull request on GitHub",
    requires(net, fs, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    config_check = check_settings,
    examples = [
        r#"{"repo": "acme/app", "number": 14}"#,
        r#"{"repo": "acme/app", "number": 14, "what": "diff", "path": "src/parser.rs"}"#
    ]
)]
#[expect(clippy::too_many_arguments, reason = "they are those of the model")]
pub async fn github_pr(
    /// The repository, as `owner/name`; by default the `origin` of the working folder.
    repo: Option<&str>,
    /// The number of the pull request.
    #[arg(min = 1)]
    number: Option<u64>,
    /// The address of the pull request, in place of `repo` and `number`.
    url: Option<&str>,
    /// What to read.
    #[arg(default)]
    what: PullRequestPart,
    /// The path of the only file of a diff.
    path: Option<&str>,
    /// The id of the only comment, comment on a line, or review, with `what` that lists them.
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
    let number = target.number(number, &["pull"])?;
    let lockdown = Lockdown::new(&api, repository).await?;
    let wanted = PullRequestRead {
        repository,
        number,
        lockdown,
        page,
        start,
    };
    let text = match comment {
        Some(id) => {
            let endpoint = comment_endpoint(&wanted, what, id)?;
            comments::one(&api, &endpoint, id, lockdown, start).await?
        }
        None => read(&api, &wanted, what, path).await?,
    };
    let address = api.host.page(&format!("{repository}/pull/{number}"));
    Ok(output("github_pr", address, text))
}

async fn read(
    api: &Api<'_>,
    wanted: &PullRequestRead<'_>,
    what: PullRequestPart,
    path: Option<&str>,
) -> Result<String, ToolError> {
    let PullRequestRead {
        repository,
        number,
        lockdown,
        page,
        start,
    } = *wanted;
    let of = format!("of {repository}#{number}");
    let part = |part: &str| repository.endpoint(["pulls", &*number.to_string(), part]);
    let reviews = |endpoint, one, many| CommentList {
        endpoint,
        one,
        many,
        of: &of,
        lockdown,
        shows_places: false,
    };
    match what {
        PullRequestPart::Info => {
            let item = info(api, repository, number).await?;
            Ok(render_info(api, wanted, &item, start))
        }
        PullRequestPart::Comments => {
            let list = issue_comments(repository, &number.to_string(), &of, lockdown);
            comments::list(api, list, page).await
        }
        PullRequestPart::Reviews => {
            comments::list(api, reviews(part("reviews"), "review", "reviews"), page).await
        }
        PullRequestPart::ReviewComments => {
            let mut list = reviews(part("comments"), "line comment", "line comments");
            // The names of its files are words of the author.
            list.shows_places =
                !lockdown.is_on() || !lockdown.withholds(&info(api, repository, number).await?);
            comments::list(api, list, page).await
        }
        PullRequestPart::Checks => checks::list(api, wanted).await,
        PullRequestPart::Diff | PullRequestPart::Files | PullRequestPart::Commits => {
            if lockdown.is_on() && lockdown.withholds(&info(api, repository, number).await?) {
                return Ok(WITHHELD.to_owned());
            }
            match (what, path) {
                (PullRequestPart::Commits, _) => commits(api, wanted).await,
                (PullRequestPart::Files, _) => {
                    diff::list_files(api, repository, number, page).await
                }
                (_, Some(path)) => diff::show_file(api, repository, number, path, start).await,
                _ => diff::show(api, repository, number, page).await,
            }
        }
    }
}

/// Returns the address of a comment or of a review.
fn comment_endpoint(
    wanted: &PullRequestRead<'_>,
    what: PullRequestPart,
    id: u64,
) -> Result<Endpoint, ToolError> {
    let (repository, id) = (wanted.repository, id.to_string());
    match what {
        PullRequestPart::Comments => Ok(repository.endpoint(["issues", "comments", &*id])),
        PullRequestPart::ReviewComments => Ok(repository.endpoint(["pulls", "comments", &*id])),
        PullRequestPart::Reviews => {
            let number = wanted.number.to_string();
            Ok(repository.endpoint(["pulls", &*number, "reviews", &*id]))
        }
        _ => Err(ToolError::failed(
            "`comment` needs `what` to be comments, review_comments or reviews",
        )),
    }
}

/// Reads a pull request.
pub(crate) async fn info(
    api: &Api<'_>,
    repository: &RepositoryName,
    number: u64,
) -> Result<Value, ToolError> {
    let endpoint = repository.endpoint(["pulls", &*number.to_string()]);
    api.read(
        &endpoint,
        &format!("the pull request {repository}#{number}"),
    )
    .await
}

fn render_info(api: &Api<'_>, wanted: &PullRequestRead<'_>, item: &Value, start: usize) -> String {
    let PullRequestRead {
        repository,
        number,
        lockdown,
        ..
    } = *wanted;
    let hides = lockdown.withholds(item);
    let shown = body(lockdown.text(item, "/body"), start, MAX_BODY_CHARS);
    let title = one_line(lockdown.text(item, "/title"), MAX_TITLE_CHARS);
    let labels = if hides { String::new() } else { labels(item) };
    let line = row([
        &*state(item),
        &*format!("by {}", author(item)),
        &*labels,
        &*format!("created {}", day(text(item, "/created_at"))),
        &*format!("updated {}", day(text(item, "/updated_at"))),
        &*shown.note,
    ]);
    let head = match item.pointer("/head/repo").filter(|repo| repo.is_object()) {
        Some(repo) => format!("{}:{}", name(repo, "/full_name"), name(item, "/head/ref")),
        None => format!("{} of a repository that is gone", name(item, "/head/ref")),
    };
    let head = if hides {
        "a branch of another person".to_owned()
    } else {
        head
    };
    let changes = row([
        &*format!("{} into {}", head, name(item, "/base/ref")),
        &*counted(item, "/commits", "commit"),
        &*format!(
            "{}, +{} -{}",
            counted(item, "/changed_files", "file"),
            count(item, "/additions"),
            count(item, "/deletions")
        ),
        &*mergeable(item),
    ]);
    let commit = format!(
        "last commit {}",
        sha(item, "/head/sha").unwrap_or("unknown")
    );
    let address = api.host.page(&format!("{repository}/pull/{number}"));
    format!(
        "{repository}#{number} {title}\n{line}\n{changes}\n{commit}\n{address}\n\n{}",
        shown.text
    )
    .trim_end()
    .to_owned()
}

fn mergeable(item: &Value) -> String {
    match (
        item.pointer("/mergeable").and_then(Value::as_bool),
        text(item, "/mergeable_state"),
    ) {
        (Some(true), state) if state != "blocked" => "can be merged".to_owned(),
        (Some(false), _) => "has conflicts".to_owned(),
        (_, "blocked") => "may not be merged yet".to_owned(),
        _ => String::new(),
    }
}

async fn commits(api: &Api<'_>, wanted: &PullRequestRead<'_>) -> Result<String, ToolError> {
    let PullRequestRead {
        repository,
        number,
        page,
        ..
    } = *wanted;
    let endpoint = repository
        .endpoint(["pulls", &*number.to_string(), "commits"])
        .page(page);
    let of = format!("of {repository}#{number}");
    let answer = api
        .get(&endpoint, JSON, &format!("the commits {of}"))
        .await?;
    let value = answer.value()?;
    let listing = Listing {
        one: "commit",
        many: "commits",
        of,
        page,
        has_next: answer.has_next,
        total: None,
        rows: items(&value, "").iter().map(commit_row).collect(),
    };
    let is_cut = !answer.has_next && (page - 1) * PER_PAGE + listing.rows.len() >= MAX_COMMITS;
    let remark = if is_cut {
        format!("GitHub lists at most {MAX_COMMITS} commits, and `info` says how many there are")
    } else {
        String::new()
    };
    Ok(listing.render_with(api.cx, &remark))
}

/// Returns the row of a commit.
pub(super) fn commit_row(item: &Value) -> String {
    let author = match item.pointer("/author").is_some_and(Value::is_object) {
        true => login(item, "/author"),
        false => name(item, "/commit/author/name"),
    };
    let message = text(item, "/commit/message")
        .lines()
        .next()
        .unwrap_or_default();
    row([
        &*format!(
            "{} {}",
            short_sha(item, "/sha"),
            one_line(message, MAX_TITLE_CHARS)
        ),
        &*author,
        day(text(item, "/commit/author/date")),
    ])
}
