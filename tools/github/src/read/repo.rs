//! `github_repo`.

use helve::prelude::*;
use serde_json::Value;

use super::pull_request::commit_row;
use super::release::release_row;
use super::{issue_row, name, output, row, tree};
use crate::client::{Api, JSON};
use crate::endpoint::{check_path, check_ref};
use crate::listing::Listing;
use crate::lockdown::Lockdown;
use crate::origin::ReadTarget;
use crate::repository::RepositoryName;
use crate::settings::check_settings;
use crate::text::{day, one_line};
use crate::value::{count, counted, flag, items, login, short_sha, text};

/// What of a repository is read.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum RepositoryPart {
    /// Its description, its default branch and numbers.
    #[default]
    Info,
    /// Its open issues, without pull requests.
    Issues,
    /// Its open pull requests.
    Pulls,
    /// The paths of its files.
    Tree,
    /// Its branches.
    Branches,
    /// Its tags.
    Tags,
    /// Its releases.
    Releases,
    /// Its commits, newest first.
    Commits,
    /// Who contributed to it.
    Contributors,
}

/// A list of a repository.
struct RepositoryList<'a> {
    repository: &'a RepositoryName,
    lockdown: Lockdown,
    path: &'a str,
    at: Option<&'a str>,
    page: usize,
}

/// Reads what a repository on GitHub has: open issues and pull requests, files, branches, tags, releases, commits.
///
/// To search, use `github_search`; to read one file, `github_file`.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "Read a repository on GitHub",
    requires(net, fs, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    config_check = check_settings,
    examples = [
        r#"{"repo": "acme/app", "what": "issues"}"#,
        r#"{"repo": "acme/app", "what": "tree", "path": "src", "ref": "main"}"#
    ]
)]
pub async fn github_repo(
    /// The repository, as `owner/name`; by default the `origin` of the working folder.
    repo: Option<&str>,
    /// The address of the repository, in place of `repo`.
    url: Option<&str>,
    /// What to read.
    #[arg(default)]
    what: RepositoryPart,
    /// The folder of `tree`, or the path that `commits` changed.
    path: Option<&str>,
    /// The branch, the tag or the commit of `tree` and `commits`; by default the default branch.
    #[arg(name = "ref")]
    at: Option<&str>,
    /// The page of a list.
    #[arg(default = 1, min = 1, max = 1000)]
    page: usize,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let api = Api::new(cx).await?;
    let target = ReadTarget::new(&api, repo, url).await?;
    let repository = &target.repository;
    let lockdown = Lockdown::new(&api, repository).await?;
    if let Some(at) = at {
        lockdown.check_ref(check_ref(at).map_err(ToolError::failed)?)?;
    }
    let wanted = RepositoryList {
        repository,
        lockdown,
        path: path.unwrap_or_default(),
        at,
        page,
    };
    let text = match what {
        RepositoryPart::Info => {
            let item = api
                .read(
                    &repository.endpoint([]),
                    &format!("the repository `{repository}`"),
                )
                .await?;
            render_info(&api, repository, &item)
        }
        RepositoryPart::Tree => tree::list(&api, repository, at, wanted.path, page).await?,
        what => list(&api, &wanted, what).await?,
    };
    Ok(output(
        "github_repo",
        api.host.page(&repository.to_string()),
        text,
    ))
}

fn render_info(api: &Api<'_>, repository: &RepositoryName, item: &Value) -> String {
    // It may have been renamed.
    let now = RepositoryName::parse(text(item, "/full_name"));
    let repository = now.as_ref().unwrap_or(repository);
    let topics = items(item, "/topics")
        .iter()
        .filter_map(Value::as_str)
        .take(10);
    let topics: Vec<String> = topics.map(|topic| one_line(topic, 40)).collect();
    let visibility = if flag(item, "/private") {
        "private"
    } else {
        "public"
    };
    let fork = text(item, "/parent/full_name");
    let about = row([
        visibility,
        if flag(item, "/archived") {
            "archived"
        } else {
            ""
        },
        &*if fork.is_empty() {
            String::new()
        } else {
            format!("a fork of {}", one_line(fork, 200))
        },
        &*name(item, "/language"),
        &*name(item, "/license/spdx_id"),
        &*topics.join(", "),
    ]);
    let numbers = row([
        &*format!("default branch {}", name(item, "/default_branch")),
        &*format!(
            "{} open issues and pull requests",
            count(item, "/open_issues_count")
        ),
        &*counted(item, "/stargazers_count", "star"),
        &*counted(item, "/forks_count", "fork"),
        &*format!("last push {}", day(text(item, "/pushed_at"))),
    ]);
    let description = one_line(text(item, "/description"), 500);
    let address = api.host.page(&repository.to_string());
    format!(
        "{}\n{about}\n{numbers}\n{address}",
        row([&*repository.to_string(), &*description])
    )
}

/// Returns the last segment of the address of a list, what there is one of in it, and what there are many of.
fn names_of(what: RepositoryPart) -> (&'static str, &'static str, &'static str) {
    match what {
        RepositoryPart::Issues => ("issues", "open issue", "open issues"),
        RepositoryPart::Pulls => ("pulls", "open pull request", "open pull requests"),
        RepositoryPart::Branches => ("branches", "branch", "branches"),
        RepositoryPart::Tags => ("tags", "tag", "tags"),
        RepositoryPart::Releases => ("releases", "release", "releases"),
        RepositoryPart::Contributors => ("contributors", "contributor", "contributors"),
        _ => ("commits", "commit", "commits"),
    }
}

/// Reads a page of a list.
async fn list(
    api: &Api<'_>,
    wanted: &RepositoryList<'_>,
    what: RepositoryPart,
) -> Result<String, ToolError> {
    let (repository, page) = (wanted.repository, wanted.page);
    let (segment, one, many) = names_of(what);
    let mut endpoint = repository.endpoint([segment]).page(page);
    if what == RepositoryPart::Commits {
        let path = check_path(wanted.path)
            .map_err(ToolError::failed)?
            .join("/");
        if !path.is_empty() {
            endpoint = endpoint.with("path", &*path);
        }
        if let Some(at) = wanted.at {
            endpoint = endpoint.with("sha", at);
        }
    }
    let answer = api
        .get(&endpoint, JSON, &format!("the {many} of {repository}"))
        .await?;
    let value = answer.value()?;
    // GitHub lists pull requests with the issues.
    let is_wanted =
        |item: &&Value| what != RepositoryPart::Issues || item.get("pull_request").is_none();
    let rows = items(&value, "").iter().filter(is_wanted);
    let listing = Listing {
        one,
        many,
        of: format!("of {repository}"),
        page,
        has_next: answer.has_next,
        total: None,
        rows: rows.map(|item| item_row(api, wanted, what, item)).collect(),
    };
    Ok(listing.render(api.cx))
}

/// Returns the row of an item of a list.
fn item_row(
    api: &Api<'_>,
    wanted: &RepositoryList<'_>,
    what: RepositoryPart,
    item: &Value,
) -> String {
    match what {
        RepositoryPart::Issues | RepositoryPart::Pulls => {
            issue_row(api, wanted.repository, item, wanted.lockdown)
        }
        RepositoryPart::Branches | RepositoryPart::Tags => {
            let is_protected = if flag(item, "/protected") {
                "protected"
            } else {
                ""
            };
            row([
                &*name(item, "/name"),
                &*short_sha(item, "/commit/sha"),
                is_protected,
            ])
        }
        RepositoryPart::Releases => release_row(api, wanted.repository, item),
        RepositoryPart::Contributors => row([
            &*login(item, ""),
            &*counted(item, "/contributions", "commit"),
        ]),
        _ => commit_row(item),
    }
}
