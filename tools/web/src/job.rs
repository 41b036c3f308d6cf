//! The worker's job: reads the text of a page. Nothing of a page is parsed outside of the worker.

use regex::RegexBuilder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use helve::worker::JobContext;

use crate::charset;
use crate::feed;
use crate::html::{self, HtmlOptions};
use crate::json;
use crate::media::Media;
use crate::page::{Extent, PageFacts};
use crate::pdf;

helve::worker_job! {
    /// The job that reads the text of a page.
    pub(crate) static READ_PAGE: "helve/web_page" = run;
}

/// The greatest number of matches that are shown.
const MAX_MATCHES: usize = 20;

/// The characters that are shown before and behind a match.
const AROUND: usize = 200;

/// The greatest length of a place with the text around it, in characters.
const MAX_EXCERPT: usize = AROUND * 10;

/// The greatest length of a text, in bytes.
const MAX_TEXT: usize = 4 << 20;

/// The form of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Form {
    Markdown,
    Plain,
    /// As the server sent it.
    Raw,
}

/// What is wanted of a page.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PageRequest {
    pub(crate) url: String,
    pub(crate) media: Media,
    /// The encoding, as the server names it.
    pub(crate) charset: Option<String>,
    pub(crate) form: Form,
    pub(crate) selector: Option<String>,
    pub(crate) find: Option<String>,
    /// The first character.
    pub(crate) start: usize,
    /// The greatest number of characters.
    pub(crate) limit: usize,
    /// Whether a long JSON document is described.
    pub(crate) outlines: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum PageResponse {
    Read(Box<PageWindow>),
    /// Why there is no text.
    Unreadable(String),
}

/// The part of a text that was asked for; the text itself is the data of the job.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PageWindow {
    pub(crate) facts: PageFacts,
    /// The characters of the whole text.
    pub(crate) total: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The places that match, where a pattern was given.
    pub(crate) matches: Option<MatchCount>,
    /// Whether the text describes the document.
    pub(crate) is_outline: bool,
}

/// The places that match a pattern.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MatchCount {
    /// All of them.
    pub(crate) found: usize,
    /// Those that are in the text that is shown.
    pub(crate) shown: usize,
    /// Those that are so long that only their beginning is shown.
    pub(crate) cut: usize,
}

fn run(port: &mut JobContext, request: Value) -> Result<Value, String> {
    let request: PageRequest =
        serde_json::from_value(request).map_err(|error| error.to_string())?;
    let bytes = port.take_data();
    let response = match read(&bytes, &request) {
        Ok((text, window)) => {
            port.write(text.as_bytes())
                .map_err(|error| error.to_string())?;
            PageResponse::Read(Box::new(window))
        }
        Err(why) => PageResponse::Unreadable(why),
    };
    serde_json::to_value(response).map_err(|error| error.to_string())
}

/// Reads a page.
///
/// # Errors
/// Says why there is no text.
pub(crate) fn read(bytes: &[u8], request: &PageRequest) -> Result<(String, PageWindow), String> {
    let host = url::Url::parse(&request.url).ok();
    let domain = host
        .as_ref()
        .and_then(|url| url.domain()?.rsplit('.').next());
    let (text, facts): (PageText, _) = if request.media == Media::Pdf {
        let (text, facts) = pdf::read(bytes, request.selector.as_deref())?;
        (text.into(), facts)
    } else {
        let decoded = charset::decode(bytes, request.charset.as_deref(), domain);
        let (text, mut facts) = text_of(decoded.text, request)?;
        if decoded.encoding != encoding_rs::UTF_8 {
            facts.encoding = Some(decoded.encoding.name().to_owned());
        }
        facts.replaced = decoded.replaced;
        (text, facts)
    };
    let total = text.text.chars().count();
    let mut window = PageWindow {
        facts,
        total,
        start: 0,
        end: total,
        matches: None,
        is_outline: false,
    };
    if let Some(pattern) = &request.find {
        let (found, matches) = find(&text.text, pattern, request.limit)?;
        window.matches = Some(matches);
        return Ok((found, window));
    }
    if request.outlines
        && total > request.limit
        && request.start == 0
        && let Some(outline) = text.outline
    {
        window.is_outline = true;
        return Ok((outline.chars().take(request.limit).collect(), window));
    }
    window.start = request.start.min(total);
    window.end = window.start.saturating_add(request.limit).min(total);
    let shown = text
        .text
        .chars()
        .skip(window.start)
        .take(window.end - window.start);
    Ok((shown.collect(), window))
}

/// The whole text of a page.
struct PageText {
    text: String,
    /// A description of a long document.
    outline: Option<String>,
}

impl From<String> for PageText {
    fn from(text: String) -> Self {
        Self {
            text,
            outline: None,
        }
    }
}

fn text_of(text: String, request: &PageRequest) -> Result<(PageText, PageFacts), String> {
    let selector = request.selector.as_deref();
    match request.media {
        _ if request.form == Form::Raw => {
            if selector.is_some() {
                return Err("`selector` needs the format `markdown` or `text`".to_owned());
            }
            Ok(plain(text))
        }
        Media::Html => {
            let options = HtmlOptions {
                url: &request.url,
                is_plain: request.form == Form::Plain,
                selector,
            };
            let page = html::read(&text, &options)?;
            Ok((page.text.into(), page.facts))
        }
        Media::Json => json_text(text, selector),
        Media::Feed if selector.is_none() => {
            let (text, facts) = feed::read(&text, &request.url);
            Ok((text.into(), facts))
        }
        _ if selector.is_some() => Err(
            "the document is neither HTML nor JSON, so `selector` names nothing in it; use `find`"
                .to_owned(),
        ),
        _ => {
            let (text, mut facts) = plain(text);
            let heading = text.text.lines().find(|line| !line.trim().is_empty());
            let heading = heading.and_then(|line| line.strip_prefix("# "));
            facts.title = heading.map(|title| title.trim().chars().take(300).collect());
            Ok((text, facts))
        }
    }
}

fn plain(mut text: String) -> (PageText, PageFacts) {
    let mut facts = PageFacts::default();
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        facts.is_cut = true;
    }
    (text.into(), facts)
}

fn json_text(text: String, pointer: Option<&str>) -> Result<(PageText, PageFacts), String> {
    let value = match json::read(&text, pointer) {
        Ok(value) => value,
        Err(why) if pointer.is_some() => return Err(why),
        Err(why) => {
            let (text, mut facts) = plain(text);
            facts.remarks.push(format!("as the server sent it: {why}"));
            return Ok((text, facts));
        }
    };
    let (outline, pretty) = (json::outline(&value), serde_json::to_string_pretty(&value));
    let (mut text, mut facts) = plain(pretty.map_err(|error| error.to_string())?);
    text.outline = Some(outline);
    if pointer.is_some() {
        facts.extent = Extent::Selected;
    }
    Ok((text, facts))
}

/// Returns the places that match, each with the text around it, and their number.
fn find(text: &str, pattern: &str, limit: usize) -> Result<(String, MatchCount), String> {
    let regex = RegexBuilder::new(pattern)
        .case_insensitive(true)
        .multi_line(true)
        .size_limit(1 << 20)
        .build();
    let regex = regex.map_err(|error| format!("`find` is no regular expression: {error}"))?;
    let (mut shown, mut count, mut shown_to) = (String::new(), MatchCount::default(), 0);
    let (mut at_byte, mut at_char, mut chars) = (0, 0, 0);
    for found in regex.find_iter(text) {
        count.found += 1;
        at_char += text[at_byte..found.start()].chars().count();
        at_byte = found.start();
        if shown_to > 0 && found.end() <= shown_to {
            count.shown += 1;
            continue;
        }
        if count.shown >= MAX_MATCHES || chars > limit {
            continue;
        }
        let from = text[..found.start()].char_indices().rev().nth(AROUND - 1);
        let from = from.map_or(0, |(at, _)| at).max(shown_to);
        let to = text[found.end()..].char_indices().nth(AROUND);
        let to = to.map_or(text.len(), |(at, _)| found.end() + at);
        let whole = text[from..to].trim_start();
        let first = to - whole.len();
        let whole = whole.trim_end();
        let excerpt: String = whole.chars().take(MAX_EXCERPT).collect();
        let is_cut = excerpt.len() < whole.len();
        chars += excerpt.chars().count();
        count.shown += 1;
        count.cut += usize::from(is_cut);
        if !shown.is_empty() {
            shown.push_str("\n\n");
        }
        let mark = if is_cut { "…" } else { "" };
        shown.push_str(&format!("--- at character {at_char} ---\n{excerpt}{mark}"));
        // What is cut is not shown.
        shown_to = match is_cut {
            true => first + excerpt.len(),
            false => to,
        };
    }
    Ok((shown, count))
}

#[cfg(test)]
mod tests {
    use super::{MatchCount, find};

    #[test]
    fn places_that_are_not_shown_are_counted() {
        let count = |found, shown, cut| MatchCount { found, shown, cut };
        let far = format!("foo{}", "x".repeat(1_000)).repeat(5);
        assert_eq!(find(&far, "foo", 100).unwrap().1, count(5, 1, 0));
        assert_eq!(find(&far, "foo", 10_000).unwrap().1, count(5, 5, 0));
        let near = "foo ".repeat(10);
        let (text, found) = find(&near, "FOO", 100).unwrap();
        assert_eq!(found, count(10, 10, 0));
        assert_eq!(text, format!("--- at character 0 ---\n{}", near.trim()));
        let long = format!("BEGIN{}END", "y".repeat(50_000));
        let (text, found) = find(&long, "(?s)BEGIN.*END", 10_000).unwrap();
        assert_eq!(found, count(1, 1, 1));
        assert!(text.ends_with("yyy…"));
        let many = format!("foo{}", "x".repeat(1_000)).repeat(30);
        assert_eq!(find(&many, "foo", 100_000).unwrap().1, count(30, 20, 0));
    }
}
