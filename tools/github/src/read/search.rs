//! `github_search`.

use helve::prelude::*;
use serde_json::Value;

use super::pull_request::commit_row;
use super::{MAX_TITLE_CHARS, issue_row, name, output, row};
use crate::client::{Api, MATCHES};
use crate::endpoint::Endpoint;
use crate::listing::Listing;
use crate::lockdown::Lockdown;
use crate::repository::RepositoryName;
use crate::settings::{allowed_patterns, check_allowed, check_settings};
use crate::text::{day, one_line};
use crate::value::{counted, flag, items, number, text};

/// The most matches of a file that are shown.
const MAX_MATCHES: usize = 2;

/// What is searched for.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// Issues.
    Issues,
    /// Pull requests.
    Prs,
    /// Files by their content.
    Code,
    /// Repositories.
    Repos,
    /// Commits by their messages.
    Commits,
}

/// Searches GitHub for issues, pull requests, code, repositories or commits.
///
/// The query may have qualifiers of GitHub, such as `repo:acme/app`, `is:open`, `label:bug`, `author:alice`,
/// `language:rust`, `path:src`. Searching code needs a token.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "Search GitHub",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    config_check = check_settings,
    examples = [
        r#"{"kind": "issues", "query": "repo:acme/app is:open label:bug"}"#,
        r#"{"kind": "code", "query": "repo:acme/app parse_header language:rust"}"#
    ]
)]
pub async fn github_search(
    /// What to search for.
    kind: SearchKind,
    /// The words and qualifiers.
    #[arg(
        min_len = 1,
        max_len = 256,
        example = "repo:acme/app is:open label:bug"
    )]
    query: &str,
    /// The page of the results.
    #[arg(default = 1, min = 1, max = 34)]
    page: usize,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let api = Api::new(cx).await?;
    let (segment, qualifier) = match kind {
        SearchKind::Issues => ("issues", " is:issue"),
        SearchKind::Prs => ("issues", " is:pr"),
        SearchKind::Code => ("code", ""),
        SearchKind::Repos => ("repositories", ""),
        SearchKind::Commits => ("commits", ""),
    };
    let query = format!("{}{qualifier}{}", query.trim(), scope(cx));
    let endpoint = Endpoint::new(["search", segment])
        .with("q", &query)
        .page(page);
    let answer = api.get(&endpoint, MATCHES, "the results").await?;
    let value = answer.value()?;
    let found = items(&value, "/items");
    let rows: Vec<String> = found
        .iter()
        .filter_map(|item| result_row(&api, kind, item))
        .collect();
    let is_limited = !allowed_patterns(cx).is_empty();
    let mut of = format!("for `{}`", one_line(&query, 400));
    if rows.len() < found.len() {
        of = format!(
            "{of}; {} of repositories that the settings do not allow left out",
            found.len() - rows.len()
        );
    }
    if flag(&value, "/incomplete_results") {
        of = format!("{of}; the search took GitHub too long, and there may be more");
    }
    let listing = Listing {
        one: "result",
        many: "results",
        of,
        page,
        has_next: answer.has_next,
        // The number of all would count what is left out.
        total: number(&value, "/total_count").filter(|_| !is_limited),
        rows,
    };
    let text = listing.render(cx);
    Ok(output("github_search", api.host.page("search"), text))
}

/// Returns the qualifiers for the repositories that the settings allow. What they do not say exactly, the rows do.
fn scope(cx: &ToolContext) -> String {
    let qualifiers = allowed_patterns(cx).iter().filter_map(|pattern| {
        let (owner, name) = pattern.split_once('/')?;
        match (owner.contains('*'), name.contains('*')) {
            (true, _) => None,
            (false, true) => Some(format!(" user:{owner}")),
            (false, false) => Some(format!(" repo:{owner}/{name}")),
        }
    });
    qualifiers.collect()
}

/// Returns the row of a result of a repository that the settings allow.
fn result_row(api: &Api<'_>, kind: SearchKind, item: &Value) -> Option<String> {
    let full_name = match kind {
        SearchKind::Repos => text(item, "/full_name"),
        SearchKind::Issues | SearchKind::Prs => {
            let url = text(item, "/repository_url");
            url.rsplit_once("/repos/").map_or("", |(_, name)| name)
        }
        SearchKind::Code | SearchKind::Commits => text(item, "/repository/full_name"),
    };
    let repository = RepositoryName::parse(full_name).ok()?;
    check_allowed(api.cx, &repository).ok()?;
    let found = match kind {
        SearchKind::Issues | SearchKind::Prs => {
            format!(
                "{repository}{}",
                issue_row(api, &repository, item, Lockdown::anywhere(api))
            )
        }
        SearchKind::Repos => repository_row(api, &repository, item),
        SearchKind::Commits => format!("{repository} {}", commit_row(item)),
        SearchKind::Code => code_rows(&repository, item),
    };
    Some(found)
}

fn repository_row(api: &Api<'_>, repository: &RepositoryName, item: &Value) -> String {
    row([
        &*repository.to_string(),
        &*one_line(text(item, "/description"), MAX_TITLE_CHARS),
        &*name(item, "/language"),
        &*counted(item, "/stargazers_count", "star"),
        if flag(item, "/archived") {
            "archived"
        } else {
            ""
        },
        &*format!("updated {}", day(text(item, "/updated_at"))),
        &*api.host.page(&repository.to_string()),
    ])
}

/// Returns the file, and below it some of what matches.
fn code_rows(repository: &RepositoryName, item: &Value) -> String {
    let path = one_line(text(item, "/path"), 300);
    let matches = items(item, "/text_matches").iter().take(MAX_MATCHES);
    let matches = matches.map(|found| format!("\n  {}", one_line(text(found, "/fragment"), 200)));
    let matches: String = matches.filter(|found| !found.trim().is_empty()).collect();
    format!("{repository} {path}{matches}")
}
