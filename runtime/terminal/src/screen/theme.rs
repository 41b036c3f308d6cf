//! The styles of the output. Color is never the only carrier of information.

use anstyle::{AnsiColor, Style};

const fn colored(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

/// Text as it is.
pub const PLAIN: Style = Style::new();
/// Secondary text.
pub const DIM: Style = Style::new().dimmed();
/// Emphasized text.
pub const STRONG: Style = Style::new().bold();
/// Names of tools, code within text, keys to press.
pub const NAME: Style = colored(AnsiColor::Cyan);
/// Success and additions.
pub const GOOD: Style = colored(AnsiColor::Green);
/// Failure and deletions.
pub const BAD: Style = colored(AnsiColor::Red);
/// Text that needs attention.
pub const NOTICE: Style = colored(AnsiColor::Yellow);
/// A question.
pub const QUESTION: Style = colored(AnsiColor::Yellow).bold();
