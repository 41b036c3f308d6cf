//! The files of a repository, and their folders.

use helve::ToolError;
use serde_json::Value;

use super::row;
use crate::client::Api;
use crate::endpoint::{check_path, check_ref};
use crate::listing::Listing;
use crate::repository::RepositoryName;
use crate::text::one_line;
use crate::value::{count, flag, items, text};

/// The most paths of a page.
const PATHS_PER_PAGE: usize = 200;

/// The greatest length of a path that is shown, in characters.
const MAX_PATH_CHARS: usize = 300;

/// Lists the files below a folder.
pub(super) async fn list(
    api: &Api<'_>,
    repository: &RepositoryName,
    at: Option<&str>,
    below: &str,
    page: usize,
) -> Result<String, ToolError> {
    let at = check_ref(at.unwrap_or("HEAD")).map_err(ToolError::failed)?;
    let below = check_path(below).map_err(ToolError::failed)?.join("/");
    let endpoint = repository
        .endpoint(["git", "trees", at])
        .with("recursive", 1);
    let value = api
        .read(&endpoint, &format!("the tree of {repository} at `{at}`"))
        .await?;
    let is_below = |entry: &&Value| {
        let path = text(entry, "/path");
        let rest = path.strip_prefix(&*below);
        below.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    // A folder is in the path of each of its files.
    let entries = items(&value, "/tree")
        .iter()
        .filter(|entry| text(entry, "/type") != "tree");
    let entries: Vec<&Value> = entries.filter(is_below).collect();
    let skipped = (page - 1).saturating_mul(PATHS_PER_PAGE);
    let rows = entries
        .iter()
        .skip(skipped)
        .take(PATHS_PER_PAGE)
        .map(|entry| entry_row(entry));
    let below = if below.is_empty() {
        String::new()
    } else {
        format!(" below `{}`", one_line(&below, MAX_PATH_CHARS))
    };
    let cut = match flag(&value, "/truncated") {
        true => "; GitHub left out some: name a folder by `path` with `github_file`",
        false => "",
    };
    let listing = Listing {
        one: "file",
        many: "files",
        of: format!("of {repository} at {at}{below}{cut}"),
        page,
        has_next: entries.len() > skipped.saturating_add(PATHS_PER_PAGE),
        total: Some(entries.len() as u64),
        rows: rows.collect(),
    };
    Ok(listing.render(api.cx))
}

fn entry_row(entry: &Value) -> String {
    let path = one_line(text(entry, "/path"), MAX_PATH_CHARS);
    match (text(entry, "/type"), text(entry, "/mode")) {
        ("commit", _) => row([&*path, "submodule"]),
        (_, "120000") => row([&*path, "symbolic link"]),
        _ => row([&*path, &*format!("{} bytes", count(entry, "/size"))]),
    }
}
