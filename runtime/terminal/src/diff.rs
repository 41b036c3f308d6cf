//! A unified diff on a terminal.

use crate::screen::{Line, theme};

/// Colours the lines of a diff.
pub fn render_lines(unified: &str) -> Vec<Line> {
    let style = |line: &str| match line.as_bytes().first() {
        Some(b'+') => theme::GOOD,
        Some(b'-') => theme::BAD,
        Some(b'@' | b'\\') => theme::DIM,
        _ => theme::PLAIN,
    };
    let lines = unified.lines();
    lines.map(|line| Line::styled(line, style(line))).collect()
}

/// Counts what is added and what is removed: `+3 -1`.
pub fn render_counts(unified: &str) -> String {
    let count = |sign| {
        unified
            .lines()
            .filter(|line| line.starts_with(sign))
            .count()
    };
    format!("+{} -{}", count('+'), count('-'))
}
