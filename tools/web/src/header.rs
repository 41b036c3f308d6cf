//! The lines above the text of a page: what it is, and how much of it is shown.

use crate::fetch::Fetched;
use crate::fetch::header as http_header;
use crate::job::{MatchCount, PageWindow};
use crate::page::Extent;

/// Returns the type of a response without its parameters.
pub(crate) fn content_type(page: &Fetched) -> String {
    let full = http_header(&page.response, "content-type").unwrap_or("no type");
    let essence = full.split(';').next().unwrap_or_default();
    essence
        .trim()
        .chars()
        .take(80)
        .collect::<String>()
        .to_ascii_lowercase()
}

/// Returns the lines above the text.
pub(crate) fn render(page: &Fetched, window: &PageWindow) -> String {
    let mut lines = vec![first_line(page, window)];
    let facts = &window.facts;
    let mut about = Vec::new();
    if let Some(title) = &facts.title {
        about.push(format!("title: {title}"));
    }
    if let Some(site) = facts
        .site
        .as_ref()
        .filter(|site| facts.title.as_ref() != Some(site))
    {
        about.push(format!("site: {site}"));
    }
    if let Some(published) = &facts.published {
        about.push(format!("published: {published}"));
    }
    if let Some(url) = facts
        .canonical
        .as_ref()
        .filter(|url| **url != page.url.as_str())
    {
        about.push(format!("the page names as its address: {url}"));
    }
    if let Some(url) = facts.refresh.as_ref().filter(|url| !url.is_empty()) {
        about.push(format!("the page goes on by itself to: {url}"));
    }
    lines.extend(about);
    let remarks = remarks(window);
    if !remarks.is_empty() {
        lines.push(format!("({})", remarks.join("; ")));
    }
    lines.join("\n")
}

fn first_line(page: &Fetched, window: &PageWindow) -> String {
    let status = match page.response.status {
        200 => String::new(),
        status => format!(", status {status}"),
    };
    let PageWindow {
        total, start, end, ..
    } = window;
    let shown = match window.matches {
        Some(matches) => format!(
            "{} in {total} characters",
            count(matches.found, "match", "matches")
        ),
        None if window.is_outline => format!("outline of {total} characters of JSON"),
        None if *start == 0 && end == total => format!("all {total} characters"),
        None => format!("characters {start} to {end} of {total}"),
    };
    format!("[{}{status}, {}: {shown}]", page.url, content_type(page))
}

fn remarks(window: &PageWindow) -> Vec<String> {
    let facts = &window.facts;
    let mut remarks = facts.remarks.clone();
    match facts.extent {
        Extent::Content => remarks.push("the content of the page, without navigation".to_owned()),
        Extent::Selected => remarks.push("what the selector names".to_owned()),
        Extent::Whole => {}
    }
    if facts.hidden > 0 {
        let hidden = count(facts.hidden, "character", "characters");
        remarks.push(format!("without {hidden} that a reader does not see"));
    }
    if facts.images > 0 {
        remarks.push(count(facts.images, "image", "images"));
    }
    if let Some(encoding) = &facts.encoding {
        remarks.push(format!("encoded as {encoding}"));
    }
    if facts.replaced > 0 {
        let places = count(facts.replaced, "place that is", "places that are");
        remarks.push(format!("{places} no text, shown as \u{fffd}"));
    }
    if facts.is_cut {
        remarks.push("the page is longer than what is read of one".to_owned());
    }
    remarks
}

/// Returns a number with its noun.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Returns how to go on, in the words of the tool.
pub(crate) fn next_step(window: &PageWindow) -> Option<String> {
    if window.is_outline {
        return Some(
            "[an outline: give `selector`, such as \"/items/0\", `find`, or `start` for the document itself]".to_owned(),
        );
    }
    if let Some(matches) = window.matches {
        return matches_step(matches);
    }
    if window.start >= window.total && window.total > 0 {
        return Some(format!("[the text has only {} characters]", window.total));
    }
    (window.end < window.total).then(|| {
        format!(
            "[characters {} to {} of {}; go on with start={}, or search with `find`]",
            window.start, window.end, window.total, window.end
        )
    })
}

fn matches_step(matches: MatchCount) -> Option<String> {
    let MatchCount { found, shown, cut } = matches;
    if found == 0 {
        return Some(
            "[nothing matches; `find` is a regular expression without regard to case]".to_owned(),
        );
    }
    let left = (shown < found).then(|| {
        format!("{shown} of {found} places are shown: give a `find` that matches less, or more `max_chars`")
    });
    let cut = (cut > 0).then(|| {
        format!(
            "{} cut where `…` is: read on with `start` from the character of the place",
            count(cut, "place is", "places are")
        )
    });
    let notes: Vec<String> = left.into_iter().chain(cut).collect();
    (!notes.is_empty()).then(|| format!("[{}]", notes.join("; ")))
}
