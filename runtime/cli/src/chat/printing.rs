//! Lines of a chat that are not part of the conversation.

use helve_terminal::output;
use helve_terminal::screen::{Line, Size, theme};

/// Prints a hint.
pub(super) fn print_hint(text: &str) {
    let width = Size::of_stdout().columns;
    let lines = text.lines().map(|line| Line::styled(line, theme::DIM));
    output::lines(&lines.flat_map(|line| line.wrap(width)).collect::<Vec<_>>());
}

/// Prints a text of several lines, and indents what is left of an indented line.
#[cfg(any(feature = "agents", feature = "skills"))]
pub(super) fn print_wrapped(text: &str) {
    let width = Size::of_stdout().columns;
    let lines = text.lines().flat_map(|line| {
        let indent = if line.starts_with(' ') { 4 } else { 0 };
        Line::styled(line, theme::PLAIN).wrap_hanging(width, indent)
    });
    output::lines(&lines.collect::<Vec<_>>());
}

/// Prints rows of a name and its description. The description of a long name is on a line of its own, so that the others
/// have space.
pub(super) fn print_rows(rows: &[(String, String)]) {
    let columns = Size::of_stdout().columns;
    let widths = rows.iter().map(|(name, _)| name.chars().count());
    let width = widths.filter(|width| *width <= columns * 2 / 5).max();
    let width = width.unwrap_or(0) + 2;
    let mut lines = Vec::new();
    for (name, about) in rows {
        let mut line = Line::styled("  ", theme::PLAIN).with(name, theme::NAME);
        let mut missing = width.checked_sub(name.chars().count());
        if missing.is_none() {
            lines.extend(line.wrap_hanging(columns, 4));
            line = Line::styled("  ", theme::PLAIN);
            missing = Some(width);
        }
        let line = line
            .with(&" ".repeat(missing.unwrap_or(0)), theme::PLAIN)
            .with(about, theme::PLAIN);
        lines.extend(line.wrap_hanging(columns, width + 2));
    }
    output::lines(&lines);
}
