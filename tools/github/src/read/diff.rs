//! The changes of a pull request, file by file.

use helve::ToolError;
use serde_json::Value;

use super::{name, row};
use crate::client::{Answer, Api, JSON};
use crate::endpoint::PER_PAGE;
use crate::listing::Listing;
use crate::repository::RepositoryName;
use crate::text::{body, one_line, plain_line};
use crate::value::{count, items, text};

/// The items of a page of a list of files.
const FILES_PER_PAGE: usize = 100;

/// The most files of a pull request that the API lists.
const MAX_FILES: usize = 3_000;

/// The characters for the first lines, and for the line of a file.
const HEADER_CHARS: usize = 1_000;

/// Reads a page of the files.
async fn files(
    api: &Api<'_>,
    repository: &RepositoryName,
    number: u64,
    page: usize,
    per_page: usize,
) -> Result<Answer, ToolError> {
    let endpoint = repository.endpoint(["pulls", &*number.to_string(), "files"]);
    let what = format!("the files of {repository}#{number}");
    api.get(&endpoint.page_of(page, per_page), JSON, &what)
        .await
}

/// Lists the files.
pub(super) async fn list_files(
    api: &Api<'_>,
    repository: &RepositoryName,
    number: u64,
    page: usize,
) -> Result<String, ToolError> {
    let answer = files(api, repository, number, page, FILES_PER_PAGE).await?;
    let value = answer.value()?;
    let listing = Listing {
        one: "file",
        many: "files",
        of: format!("of {repository}#{number}"),
        page,
        has_next: answer.has_next,
        total: None,
        rows: items(&value, "").iter().map(file_row).collect(),
    };
    Ok(listing.render(api.cx))
}

/// Shows the changes of the files of a page, as far as there is room.
pub(super) async fn show(
    api: &Api<'_>,
    repository: &RepositoryName,
    number: u64,
    page: usize,
) -> Result<String, ToolError> {
    let answer = files(api, repository, number, page, PER_PAGE).await?;
    let value = answer.value()?;
    let files = items(&value, "");
    let room = api.cx.result_budget().saturating_sub(HEADER_CHARS);
    let (mut shown, mut used, mut left) = (Vec::new(), 0, Vec::new());
    for file in files {
        let patch = format!("{}\n{}", file_row(file), patch(file));
        let chars = patch.chars().count() + 1;
        if left.is_empty() && used + chars <= room {
            used += chars;
            shown.push(patch);
        } else {
            left.push(name(file, "/filename"));
        }
    }
    let mut line = match files.len() {
        0 => "no changed files".to_owned(),
        1 => "1 changed file".to_owned(),
        number => format!("{number} changed files"),
    };
    line = format!("{line} of {repository}#{number}");
    if page > 1 {
        line = format!("{line}, page {page}");
    }
    if answer.has_next {
        line = format!("{line}; more with `page` {}", page + 1);
    }
    if !left.is_empty() {
        let (first, more) = (
            left.iter().take(5).cloned().collect::<Vec<_>>(),
            left.len().saturating_sub(5),
        );
        let more = if more == 0 {
            String::new()
        } else {
            format!(" and {more} more")
        };
        line = format!(
            "{line}; {} shown, and there is no room for {}{more}: name one by `path`",
            shown.len(),
            first.join(", ")
        );
    }
    Ok(format!("{line}\n\n{}", shown.join("\n"))
        .trim_end()
        .to_owned())
}

/// Shows the changes of one file.
pub(super) async fn show_file(
    api: &Api<'_>,
    repository: &RepositoryName,
    number: u64,
    path: &str,
    start: usize,
) -> Result<String, ToolError> {
    for page in 1..=MAX_FILES / FILES_PER_PAGE {
        let answer = files(api, repository, number, page, FILES_PER_PAGE).await?;
        let value = answer.value()?;
        if let Some(file) = items(&value, "")
            .iter()
            .find(|file| text(file, "/filename") == path)
        {
            let room = api.cx.result_budget().saturating_sub(HEADER_CHARS).max(400);
            // The lines of a patch have a sign each, which stays the first character.
            let patch = patch(file);
            let shown = body(&patch, start, room);
            let part: String = patch.chars().skip(start).take(room).collect();
            return Ok(format!("{}\n{part}", row([&*file_row(file), &*shown.note])));
        }
        if !answer.has_next {
            break;
        }
    }
    Err(ToolError::failed(format!(
        "{repository}#{number} does not change `{}`; `what` = \"files\" lists the files that it changes",
        one_line(path, 200)
    )))
}

fn file_row(file: &Value) -> String {
    let status = one_line(text(file, "/status"), 20);
    let before = name(file, "/previous_filename");
    let renamed = if before.is_empty() {
        String::new()
    } else {
        format!("from {before}")
    };
    let changes = format!(
        "+{} -{}",
        count(file, "/additions"),
        count(file, "/deletions")
    );
    row([
        &*format!("=== {}", name(file, "/filename")),
        &*status,
        &*renamed,
        &*changes,
    ])
}

/// Returns the lines of a patch, each of which begins with its sign.
fn patch(file: &Value) -> String {
    let patch = text(file, "/patch");
    if patch.is_empty() {
        return "(no lines to show: the file is binary, too large, or only its name or mode changed)".to_owned();
    }
    let plain = helve::untrusted::strip_escapes(patch);
    let lines = plain
        .split(['\n', '\u{2028}', '\u{2029}', '\u{85}'])
        .map(|line| {
            let line = plain_line(line);
            match line.chars().next() {
                Some('+' | '-' | ' ' | '@' | '\\') => line,
                _ => format!(" {line}"),
            }
        });
    lines.collect::<Vec<_>>().join("\n")
}
