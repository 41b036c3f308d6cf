//! The tools that read, and what their results have in common.

pub(crate) mod comments;
pub(crate) mod diff;
pub(crate) mod file;
pub(crate) mod issue;
pub(crate) mod notifications;
pub(crate) mod pull_request;
pub(crate) mod release;
pub(crate) mod repo;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod timeline;
pub(crate) mod tree;

use helve::prelude::*;
use helve::transcript::{Label, Source};
use serde_json::Value;

use crate::client::Api;
use crate::lockdown::Lockdown;
use crate::repository::RepositoryName;
use crate::text::{day, one_line};
use crate::value::{author, count, counted, flag, items, number, text};

/// The greatest length of a title, in characters.
pub(crate) const MAX_TITLE_CHARS: usize = 200;

/// The greatest length of the name of a label, a branch or the like, in characters.
pub(crate) const MAX_NAME_CHARS: usize = 120;

/// The most labels of an issue that are shown.
const MAX_LABELS: usize = 10;

/// Makes the result of a tool: text of others, from an address.
fn output(tool: &str, address: String, text: impl Into<String>) -> ToolOutput {
    ToolOutput::plain(text).with_label(&Label::from(Source::web(tool, address)))
}

/// Returns a short name of an item.
pub(crate) fn name(item: &Value, pointer: &str) -> String {
    one_line(text(item, pointer), MAX_NAME_CHARS)
}

/// Joins the parts of a row that are not empty.
fn row<'p>(parts: impl IntoIterator<Item = &'p str>) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

/// Returns the names of the labels of an issue.
fn labels(item: &Value) -> String {
    let all = items(item, "/labels");
    let names = all.iter().take(MAX_LABELS);
    let mut names: Vec<String> = names
        .map(|label| match label.as_str() {
            Some(label) => one_line(label, 40),
            None => one_line(text(label, "/name"), 40),
        })
        .filter(|name| !name.is_empty())
        .collect();
    if all.len() > MAX_LABELS {
        names.push(format!("and {} more labels", all.len() - MAX_LABELS));
    }
    names.join(", ")
}

/// Returns the state of an issue or a pull request.
fn state(item: &Value) -> String {
    let is_merged = flag(item, "/merged")
        || !text(item, "/merged_at").is_empty()
        || !text(item, "/pull_request/merged_at").is_empty();
    let state = one_line(text(item, "/state"), 20);
    let reason = one_line(text(item, "/state_reason"), 20).replace('_', " ");
    match (
        is_merged,
        flag(item, "/draft"),
        state.as_str(),
        reason.as_str(),
    ) {
        (true, ..) => "merged".to_owned(),
        (_, true, "open", _) => "draft".to_owned(),
        (_, _, "closed", reason) if !reason.is_empty() => format!("closed as {reason}"),
        _ => state,
    }
}

/// Returns the address of an issue or a pull request.
fn issue_address(api: &Api<'_>, repository: &RepositoryName, item: &Value, number: u64) -> String {
    let is_pull = item.get("pull_request").is_some() || item.get("head").is_some();
    let word = if is_pull { "pull" } else { "issues" };
    api.host.page(&format!("{repository}/{word}/{number}"))
}

/// Returns the row of an issue or a pull request.
fn issue_row(
    api: &Api<'_>,
    repository: &RepositoryName,
    item: &Value,
    lockdown: Lockdown,
) -> String {
    let number = number(item, "/number").unwrap_or_default();
    let title = one_line(lockdown.text(item, "/title"), MAX_TITLE_CHARS);
    let labels = if lockdown.withholds(item) {
        String::new()
    } else {
        labels(item)
    };
    let comments = match count(item, "/comments") {
        0 => String::new(),
        _ => counted(item, "/comments", "comment"),
    };
    row([
        &*format!("#{number} {title}"),
        &*state(item),
        &*author(item),
        &*labels,
        &*comments,
        &*format!("updated {}", day(text(item, "/updated_at"))),
        &*issue_address(api, repository, item, number),
    ])
}
