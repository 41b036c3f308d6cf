//! Writes code.

use super::dom::{Dom, NodeId};
use super::markdown::PageWriter;
use super::measure::Measures;
use super::text_writer::Gap;

/// Writes a block of code, with its blanks as they are.
pub(super) fn block(writer: &mut PageWriter<'_>, id: NodeId) {
    let text = shown_text(writer.dom, writer.measures, id);
    let text = text.trim_matches('\n');
    if text.trim().is_empty() {
        return;
    }
    if writer.out.is_inline() {
        writer.out.words(text);
        return;
    }
    writer.out.request(Gap::Block);
    if writer.is_markdown() {
        let fence = fence(text);
        let language = language(writer.dom, id).unwrap_or_default();
        writer.out.raw(&format!("{fence}{language}"));
        writer.out.lines(text);
        writer.out.request(Gap::Line);
        writer.out.raw(&fence);
    } else {
        writer.out.lines(text);
    }
    writer.out.request(Gap::Block);
}

/// Writes code within a line.
pub(super) fn inline(writer: &mut PageWriter<'_>, id: NodeId) {
    let dom = writer.dom;
    let has_blocks = dom
        .descendants(id)
        .any(|id| matches!(dom.name(id), "a" | "p" | "div" | "pre"));
    let text = shown_text(dom, writer.measures, id);
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    if !writer.is_markdown() || has_blocks || text.contains('`') {
        writer.children(id);
        return;
    }
    if !text.is_empty() {
        writer.out.raw(&format!("`{text}`"));
    }
}

/// Returns the text of an element with its blanks, without what is not shown.
fn shown_text(dom: &Dom, measures: &Measures, top: NodeId) -> String {
    let mut text = String::new();
    let mut open = vec![top];
    while let Some(id) = open.pop() {
        if !measures.get(id).is_shown() {
            continue;
        }
        text.push_str(dom.text(id).unwrap_or_default());
        match dom.name(id) {
            "br" => text.push('\n'),
            "div" | "p" | "li" | "tr" if !text.is_empty() && !text.ends_with('\n') => {
                text.push('\n')
            }
            _ => {}
        }
        let start = open.len();
        open.extend(dom.children(id));
        open[start..].reverse();
    }
    text
}

/// Returns a fence that is longer than any in the text.
fn fence(text: &str) -> String {
    let (mut longest, mut length) = (2, 0);
    for c in text.chars() {
        length = if c == '`' { length + 1 } else { 0 };
        longest = longest.max(length);
    }
    "`".repeat(longest + 1)
}

/// Returns the language of a block of code, as its classes name it.
fn language(dom: &Dom, id: NodeId) -> Option<String> {
    let inner = dom.children(id).find(|child| dom.name(*child) == "code");
    let outer = dom.parent(id);
    let above = outer.and_then(|outer| dom.parent(outer));
    let around = [inner, Some(id), outer, above].into_iter().flatten();
    around
        .filter_map(|id| dom.attribute(id, "class"))
        .find_map(|classes| {
            let mut classes = classes.split_ascii_whitespace();
            classes.find_map(|class| {
                let prefixes = [
                    "language-",
                    "lang-",
                    "highlight-source-",
                    "highlight-",
                    "brush:",
                ];
                let name = prefixes
                    .iter()
                    .find_map(|prefix| class.strip_prefix(prefix))?;
                let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-');
                let is_fit = !name.is_empty() && name.len() <= 20 && name.chars().all(is_name);
                (is_fit && !matches!(name, "default" | "none" | "text")).then(|| name.to_owned())
            })
        })
}
