//! Explains YAML errors to the author of a skill.

use saphyr_parser::{Marker, ScanError, Span};

use super::characters::position;
use crate::codes;
use crate::problem::{Finding, Position};

/// Explains a parse error. `last` is the preceding value, with its key.
pub(super) fn scan_error(
    yaml: &str,
    error: &ScanError,
    last: Option<(&str, &str, Span)>,
) -> Finding {
    let marker = *error.marker();
    let at = position(marker);
    let found = yaml.chars().nth(marker.index());
    // The parser accepts a plain value up to the `: `, and only then rejects the mapping.
    if let (Some(':'), Some((key, text, span))) = (found, last)
        && span.end == marker
    {
        let message = "unquoted `: ` makes this a nested mapping";
        let finding = Finding::new(codes::NESTED_MAPPING, message).with_position(at);
        return finding.with_help(quoting_help(key, text, &rest_of_line(yaml, marker)));
    }
    if found == Some('*') && error.info().contains("unknown anchor") {
        return alias(at);
    }
    let message = format!("invalid YAML: {}", error.info());
    let finding = Finding::new(codes::INVALID_YAML, message).with_position(at);
    let before = marker.index().checked_sub(1);
    let before = before.and_then(|index| yaml.chars().nth(index));
    match (before, found) {
        (_, Some('@' | '`' | '%')) => {
            finding.with_help("a value that begins with this character must be quoted")
        }
        (Some('\t'), _) | (_, Some('\t')) => finding.with_help("write spaces instead of the tab"),
        _ => finding,
    }
}

pub(super) fn not_fields(at: Position) -> Finding {
    Finding::new(
        codes::NOT_FIELDS,
        "the front matter is not a list of `field: value` lines",
    )
    .with_position(at)
}

pub(super) fn alias(at: Position) -> Finding {
    Finding::new(
        codes::ANCHOR,
        "aliases (`*…`) are not allowed in front matter",
    )
    .with_position(at)
    .with_help("write the value out, or quote it if the `*` belongs to the text")
}

pub(super) fn anchor(at: Position) -> Finding {
    Finding::new(
        codes::ANCHOR,
        "anchors (`&…`) are not allowed in front matter",
    )
    .with_position(at)
    .with_help("write the value out, or quote it if the `&` belongs to the text")
}

pub(super) fn tag(at: Position) -> Finding {
    Finding::new(codes::TAG, "tags (`!…`) are not allowed in front matter")
        .with_position(at)
        .with_help("every value is text: drop the tag, or quote the value")
}

pub(super) fn flow(at: Position) -> Finding {
    Finding::new(
        codes::FLOW,
        "lists and mappings in brackets are refused by the reference validator",
    )
    .with_position(at)
    .with_help("write each entry on a line of its own, or quote the value if the bracket belongs to the text")
}

pub(super) fn tab(at: Position) -> Finding {
    Finding::new(
        codes::TAB,
        "a tab outside of quotes is refused by the reference validator",
    )
    .with_position(at)
    .with_help("write spaces instead of the tab")
}

pub(super) fn indentation(at: Position) -> Finding {
    Finding::new(
        codes::INDENTATION,
        "mappings of one level that are indented differently are refused by the reference validator",
    )
    .with_position(at)
    .with_help("indent them alike")
}

pub(super) fn comment_cuts(key: &str, text: &str, at: Position) -> Finding {
    let message = format!("` #` begins a comment: `{key}` ends here");
    let text = abbreviate(text);
    Finding::new(codes::COMMENT_CUTS, message)
        .with_position(at)
        .with_help(match text.contains(['"', '\\']) {
            false => format!("quote it if the text goes on: {key}: \"{text} #…\""),
            true => format!(
                "write `{key}: >-` and put the text on the next lines, indented, if it goes on"
            ),
        })
}

/// Returns the last words of a text, which are enough to find it.
fn abbreviate(text: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 40;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = text.chars().count();
    match length > MAX_SHOWN_CHARS {
        true => format!(
            "…{}",
            text.chars()
                .skip(length - MAX_SHOWN_CHARS)
                .collect::<String>()
        ),
        false => text,
    }
}

/// Renders the value in quotes, as it can be written.
fn quoting_help(key: &str, text: &str, rest: &str) -> String {
    let has = |quotes: &[char]| text.contains(quotes) || rest.contains(quotes);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match (has(&['"', '\\']), has(&['\''])) {
        (false, _) => format!("quote it: {key}: \"{text}: …\""),
        (true, false) => format!("quote it: {key}: '{text}: …'"),
        (true, true) => format!("write `{key}: >-` and put the text on the next lines, indented"),
    }
}

fn rest_of_line(yaml: &str, marker: Marker) -> String {
    yaml.chars()
        .skip(marker.index())
        .take_while(|&c| c != '\n')
        .collect()
}
