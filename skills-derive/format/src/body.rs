//! The rules for the body of a SKILL.md.

mod hidden;
pub(crate) mod links;
mod size;

use crate::problem::Finding;

pub(crate) use hidden::check as check_invisible;

/// Applies the rules that only need the text of the SKILL.md.
pub(crate) fn check(text: &str, body_start: usize) -> Vec<Finding> {
    let mut findings = size::check(text, body_start);
    findings.extend(check_invisible(text));
    findings
}

/// Returns the first paragraph of a text without front matter, or its first heading, as the description of its skill. The
/// paragraph is truncated to 1,024 characters.
pub(crate) fn first_paragraph(text: &str) -> Option<String> {
    const MAX_CHARS: usize = 1024;
    let is_spoken = |line: &&str| line.chars().any(char::is_alphanumeric);
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| is_spoken(line) && !line.starts_with('#'));
    let Some(first) = first else {
        return first_line(text);
    };
    let rest = lines.take_while(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = std::iter::once(first).chain(rest).collect();
    Some(lines.join(" ").chars().take(MAX_CHARS).collect())
}

/// Returns the first line of a body with text, without its Markdown, as the description of a skill without one. The
/// line is truncated to 1,024 characters.
pub(crate) fn first_line(body: &str) -> Option<String> {
    const MAX_LINE_BYTES: usize = 1024;
    let lines = body.lines().map(|line| line.trim_start_matches('#').trim());
    let mut spoken = lines.filter(|line| line.chars().any(char::is_alphanumeric));
    spoken
        .next()
        .map(|line| line.chars().take(MAX_LINE_BYTES).collect())
}
