//! Text of others for a person at a terminal.

use crate::controls::{strip_escapes, strip_invisible};

/// Removes from a text what a terminal would act upon or not show: escape sequences, invisible and direction-changing
/// characters, and control characters except the ends of lines and tabs.
///
/// ```
/// use helve::untrusted;
///
/// assert_eq!(untrusted::visible("a\u{1b}[2Jb\u{200b}\r\nc\td"), "ab\nc\td");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let text = strip_escapes(text);
    let text = strip_invisible(&text);
    let is_shown = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
    text.chars().filter(is_shown).collect()
}

/// Renders rows as lines whose columns are aligned, two blanks apart. A cell with an end of a line would break its row.
///
/// ```
/// use helve::untrusted;
///
/// let rows = [["tea", "active", "Tea"], ["morning", "paused", ""]].map(|row| row.map(str::to_owned));
/// assert_eq!(untrusted::columns(&rows), "tea      active  Tea\nmorning  paused\n");
/// ```
#[must_use]
pub fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or_default());
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(&format!("{cell:width$}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
