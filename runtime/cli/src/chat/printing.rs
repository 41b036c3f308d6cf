//! Lines of a chat that are not part of the conversation.

use crate::output;
use crate::screen::{Line, Size, theme};

/// Prints a hint.
pub(super) fn print_hint(text: &str) {
    let width = Size::of_stdout().columns;
    let lines = text.lines().map(|line| Line::styled(line, theme::DIM));
    output::lines(&lines.flat_map(|line| line.wrap(width)).collect::<Vec<_>>());
}

/// Prints rows of a name and its description.
pub(super) fn print_rows(rows: &[(String, String)]) {
    let columns = Size::of_stdout().columns;
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0) + 2;
    let mut lines = Vec::new();
    for (name, about) in rows {
        let missing = width - name.chars().count();
        let line = Line::styled("  ", theme::PLAIN)
            .with(name, theme::NAME)
            .with(&" ".repeat(missing), theme::PLAIN)
            .with(about, theme::PLAIN);
        lines.extend(line.wrap_hanging(columns, width + 2));
    }
    output::lines(&lines);
}
