//! Long outputs of any kind.

use super::lines::is_failure;
use helve_core::support::text::truncate;

/// The length up to which an output is not reduced, in bytes.
const MAX_UNREDUCED_BYTES: usize = 8_192;
/// The length of the beginning and of the end that are kept, in bytes.
const HEAD_BYTES: usize = 2_400;
const TAIL_BYTES: usize = 3_600;
/// The maximum number of lines between them that look like errors and are kept, and the maximum length of each in
/// characters.
const MAX_FAILURE_LINES: usize = 24;
const MAX_LINE_CHARS: usize = 160;

/// Keeps the beginning, the end, and lines in between that look like errors; `None` if the text is not long.
pub(super) fn reduce(text: &str) -> Option<String> {
    if text.len() <= MAX_UNREDUCED_BYTES {
        return None;
    }
    let (head, rest) = text.split_at(head_end(text));
    let (middle, tail) = rest.split_at(tail_start(rest));
    let troubles: Vec<&str> = middle.lines().filter(|line| is_failure(line)).collect();
    let left_out = middle.lines().count() - troubles.len().min(MAX_FAILURE_LINES);
    let mut short = String::with_capacity(MAX_UNREDUCED_BYTES);
    short.push_str(head.trim_end_matches('\n'));
    short.push_str(&match troubles.len() {
        0 => format!("\n[… {} omitted …]\n", format_line_count(left_out)),
        all if all <= MAX_FAILURE_LINES => format!(
            "\n[… {} omitted, except lines that look like errors: …]\n",
            format_line_count(left_out)
        ),
        all => format!(
            "\n[… {} left out, all but the first {MAX_FAILURE_LINES} of {all} that look like errors: …]\n",
            format_line_count(left_out)
        ),
    });
    for line in troubles.iter().take(MAX_FAILURE_LINES) {
        short.push_str(&truncate(line, MAX_LINE_CHARS));
        short.push('\n');
    }
    if !troubles.is_empty() {
        short.push_str("[…]\n");
    }
    short.push_str(tail);
    Some(short)
}

/// Returns the end of the beginning: after a line, unless lines are very long.
fn head_end(text: &str) -> usize {
    let end = text.floor_char_boundary(HEAD_BYTES);
    match text[..end].rfind('\n') {
        Some(at) if at >= HEAD_BYTES / 2 => at + 1,
        _ => end,
    }
}

/// Returns the start of the end: at a line, unless lines are very long.
fn tail_start(text: &str) -> usize {
    let start = text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES));
    match text[start..].find('\n') {
        Some(at) if at <= TAIL_BYTES / 2 => start + at + 1,
        _ => start,
    }
}

fn format_line_count(lines: usize) -> String {
    match lines {
        1 => "1 line".to_owned(),
        _ => format!("{lines} lines"),
    }
}
