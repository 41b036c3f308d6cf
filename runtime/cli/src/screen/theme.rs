//! The styles of the output. Color is never the only carrier of information.

use anstyle::{AnsiColor, Style};

const fn colored(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

/// Text as it is.
pub(crate) const PLAIN: Style = Style::new();
/// Secondary text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Emphasized text.
pub(crate) const STRONG: Style = Style::new().bold();
/// Names of tools, code within text, keys to press.
pub(crate) const NAME: Style = colored(AnsiColor::Cyan);
/// Success and additions.
pub(crate) const GOOD: Style = colored(AnsiColor::Green);
/// Failure and deletions.
pub(crate) const BAD: Style = colored(AnsiColor::Red);
/// Text that needs attention.
pub(crate) const NOTICE: Style = colored(AnsiColor::Yellow);
/// A question.
pub(crate) const QUESTION: Style = colored(AnsiColor::Yellow).bold();
