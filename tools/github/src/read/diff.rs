//! The changes of a pull request, file by file.

use helve::ToolError;
use serde_json::Value;

use super::{name, row};
use crate::client::{Answer, Api, JSON};
use crate::endpoint::PER_PAGE;
use crate::listing::Listing;
use crate::repository::RepositoryName;
use crate::text::{ShownText, one_line, plain_line};
use crate::value::{count, items, text};

/// The items of a page of a list of files.
const FILES_PER_PAGE: usize = 100;

/// The most files of a pull request that the API lists.
const MAX_FILES: usize = 3_000;

/// What is said after the last of them.
const NOT_LISTED: &str = "GitHub lists at most 3000 files, and there may be more";

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
    let remark = match is_last_listed(page, FILES_PER_PAGE, listing.rows.len()) {
        true => NOT_LISTED,
        false => "",
    };
    Ok(listing.render_with(api.cx, remark))
}

/// Reports whether a page ends with the last file that the API lists, after which there may be more.
fn is_last_listed(page: usize, per_page: usize, files: usize) -> bool {
    (page - 1) * per_page + files >= MAX_FILES
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
    if is_last_listed(page, PER_PAGE, files.len()) {
        line = format!("{line}; {NOT_LISTED}");
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
            let part = part(&patch(file), start, room);
            return Ok(format!(
                "{}\n{}",
                row([&*file_row(file), &*part.note]),
                part.text
            ));
        }
        if is_last_listed(page, FILES_PER_PAGE, items(&value, "").len()) {
            return Err(ToolError::failed(format!(
                "`{}` is not among the first {MAX_FILES} files of {repository}#{number}, and GitHub lists no more: whether it \
                 is changed is not known",
                one_line(path, 200)
            )));
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
    // What other characters end is a part of its line: it would have a sign of its own.
    let lines = plain.split('\n').map(|line| {
        let line = plain_line(line);
        match line.chars().next() {
            Some('+' | '-' | ' ' | '@' | '\\') => line,
            _ => format!(" {line}"),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a part of a patch, which ends with a line if one ends in it. A part that begins or ends within a line says so,
/// and begins with the sign of the line, so that no word of the file looks like a line of the patch.
fn part(patch: &str, start: usize, most: usize) -> ShownText {
    let total = patch.chars().count();
    let begin = patch.char_indices().nth(start).map(|(at, _)| at);
    let Some(begin) = begin.filter(|_| start < total) else {
        return ShownText {
            text: String::new(),
            note: format!("the text ends at character {total}"),
        };
    };
    let (before, rest) = patch.split_at(begin);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let sign = before[line..].chars().next();
    let cut = rest.char_indices().nth(most).map(|(at, _)| at);
    let (shown, is_whole) = match cut {
        None => (rest, true),
        Some(cut) => match rest[..cut].rfind('\n') {
            Some(end) => (&rest[..=end], true),
            None => (&rest[..cut], false),
        },
    };
    let end = start + shown.chars().count();
    let note = match (start, end) {
        (0, end) if end == total => String::new(),
        (_, end) if end == total => format!("characters {start} to {end} of {total}"),
        _ => format!("characters {start} to {end} of {total}; more with `start` {end}"),
    };
    let mut text = sign.map(|sign| format!("{sign}…")).unwrap_or_default();
    text.push_str(shown.trim_end_matches('\n'));
    if !is_whole {
        text.push('…');
    }
    ShownText { text, note }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        /// Each line of each part begins with the sign of its line, and nothing is left out.
        #[test]
        fn parts_are_lines_of_the_patch(
            lines in prop::collection::vec("[+ @-][a=+@\u{2028}\u{85}\r -]{0,12}", 1..8),
            most in 3_usize..30,
        ) {
            let whole = patch(&json!({ "patch": lines.join("\n") }));
            prop_assert_eq!(whole.lines().count(), lines.len(), "{:?}", whole);
            for (shown, line) in whole.lines().zip(&lines) {
                prop_assert_eq!(shown.chars().next(), line.chars().next());
            }
            let (mut start, total) = (0, whole.chars().count());
            let mut joined = String::new();
            while start < total {
                let shown = part(&whole, start, most);
                let line_start = start == 0 || whole.chars().nth(start - 1) == Some('\n');
                let first = shown.text.lines().next().unwrap_or_default();
                prop_assert!(line_start || first.chars().nth(1) == Some('…'), "{:?}", shown);
                let end = shown.note.rsplit("`start` ").next().and_then(|end| end.parse().ok());
                let end = end.filter(|_| shown.note.contains("more with")).unwrap_or(total);
                prop_assert!(end > start && shown.text.chars().count() <= most + 3, "{:?}", shown);
                joined.extend(whole.chars().skip(start).take(end - start));
                start = end;
            }
            prop_assert_eq!(joined, whole);
        }
    }

    #[test]
    fn a_part_within_a_line_has_its_sign() {
        let patch = "@@ -1 +1 @@\n+let a = \"=== src/auth.rs · modified · +0 -0\";\n-gone";
        let within = part(patch, 22, 400);
        assert_eq!(
            (&*within.text, &*within.note),
            (
                "+…=== src/auth.rs · modified · +0 -0\";\n-gone",
                "characters 22 to 64 of 64"
            )
        );
        let first = part(patch, 0, 20);
        assert_eq!(
            (&*first.text, &*first.note),
            (
                "@@ -1 +1 @@",
                "characters 0 to 12 of 64; more with `start` 12"
            )
        );
        let long = part(patch, 12, 8);
        assert_eq!(
            (&*long.text, &*long.note),
            (
                "+let a =…",
                "characters 12 to 20 of 64; more with `start` 20"
            )
        );
        assert_eq!(part(patch, 99, 8).note, "the text ends at character 64");
        assert_eq!(part(patch, 0, 400).note, "");
    }
}
