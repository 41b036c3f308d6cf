//! Comments and reviews, each with its author.

use helve::ToolError;
use serde_json::Value;

use super::{name, row};
use crate::client::{Api, JSON};
use crate::endpoint::Endpoint;
use crate::listing::Listing;
use crate::lockdown::Lockdown;
use crate::text::{MAX_BODY_CHARS, ShownText, body, day, one_line};
use crate::value::{author, number, short_sha, text};

/// The most characters of a comment that are shown in a list.
const MAX_COMMENT_CHARS: usize = 2_000;

/// A list of comments, or of what has the form of one.
#[derive(Debug)]
pub(super) struct CommentList<'a> {
    pub(super) endpoint: Endpoint,
    pub(super) one: &'static str,
    pub(super) many: &'static str,
    /// What they are of, in words.
    pub(super) of: &'a str,
    pub(super) lockdown: Lockdown,
    /// Whether the files of comments on lines are named.
    pub(super) shows_places: bool,
}

/// Reads a page of comments.
pub(super) async fn list(
    api: &Api<'_>,
    wanted: CommentList<'_>,
    page: usize,
) -> Result<String, ToolError> {
    let what = format!("{} {}", wanted.many, wanted.of);
    let answer = api.get(&wanted.endpoint.page(page), JSON, &what).await?;
    let value = answer.value()?;
    let rows = value.as_array().map_or(&[][..], Vec::as_slice).iter();
    let rows = rows.map(|item| {
        let shown = shown_body(item, wanted.lockdown, 0, MAX_COMMENT_CHARS);
        let place = wanted.shows_places.then(|| place(item));
        render(item, wanted.one, &shown, &place.unwrap_or_default())
    });
    let listing = Listing {
        one: wanted.one,
        many: wanted.many,
        of: wanted.of.to_owned(),
        page,
        has_next: answer.has_next,
        total: None,
        rows: rows.collect(),
    };
    Ok(listing.render(api.cx))
}

/// Reads one comment.
pub(super) async fn one(
    api: &Api<'_>,
    endpoint: &Endpoint,
    id: u64,
    lockdown: Lockdown,
    start: usize,
) -> Result<String, ToolError> {
    let item = api.read(endpoint, &format!("the comment {id}")).await?;
    let shown = shown_body(&item, lockdown, start, MAX_BODY_CHARS);
    // The comment may be one on a pull request of anybody, who named its files.
    let place = (!lockdown.is_on()).then(|| place(&item));
    Ok(render(&item, "comment", &shown, &place.unwrap_or_default()))
}

fn shown_body(item: &Value, lockdown: Lockdown, start: usize, most: usize) -> ShownText {
    body(lockdown.text(item, "/body"), start, most)
}

/// Renders a comment: a line that says whose it is, then its indented text.
fn render(item: &Value, word: &str, shown: &ShownText, place: &str) -> String {
    let id = number(item, "/id").map(|id| format!("{word} {id}"));
    let by = format!("by {}", author(item));
    let moment = ["/submitted_at", "/created_at"].map(|pointer| text(item, pointer));
    let moment = moment.into_iter().find(|moment| !moment.is_empty());
    let state = one_line(text(item, "/state"), 30).to_ascii_lowercase();
    let commit = match item.get("commit_id") {
        Some(_) => format!("at {}", short_sha(item, "/commit_id")),
        None => String::new(),
    };
    let line = row([
        &*id.unwrap_or_else(|| word.to_owned()),
        &*by,
        day(moment.unwrap_or_default()),
        &*state,
        place,
        &*commit,
        &*shown.note.replace("more with", "more with `comment` and"),
    ]);
    match shown.text.trim().is_empty() {
        true => line,
        false => format!("{line}\n{}", shown.text),
    }
}

/// Returns the place of a comment on a line.
fn place(item: &Value) -> String {
    let path = name(item, "/path");
    if path.is_empty() {
        return String::new();
    }
    let lines = ["/line", "/original_line"].map(|pointer| number(item, pointer));
    let line = match lines {
        [Some(line), _] => format!(":{line}"),
        [None, Some(line)] => format!(":{line} (outdated)"),
        _ => String::new(),
    };
    let reply = number(item, "/in_reply_to_id").map(|id| format!(" in reply to {id}"));
    format!("{path}{line}{}", reply.unwrap_or_default())
}
