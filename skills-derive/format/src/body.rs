//! The body of a SKILL.md, and what a reader of it would stumble over.

mod hidden;
pub(crate) mod links;
mod size;

use crate::problem::Finding;

pub(crate) use hidden::check as check_invisible;

/// Applies the rules that need no more than the text of the SKILL.md.
pub(crate) fn check(text: &str, body_start: usize) -> Vec<Finding> {
    let mut findings = size::check(text, body_start);
    findings.extend(check_invisible(text));
    findings
}

/// Returns the first line of a body that says something, without its Markdown: what a skill without a description is
/// about. Cut at 1,024 characters.
pub(crate) fn first_line(body: &str) -> Option<String> {
    const MAX_LINE_BYTES: usize = 1024;
    let lines = body.lines().map(|line| line.trim_start_matches('#').trim());
    let mut spoken = lines.filter(|line| line.chars().any(char::is_alphanumeric));
    spoken
        .next()
        .map(|line| line.chars().take(MAX_LINE_BYTES).collect())
}
