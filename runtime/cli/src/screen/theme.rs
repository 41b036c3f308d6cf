//! What looks how. Few colours, and none that says what no word or sign says too.

use anstyle::{AnsiColor, Style};

const fn colored(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

/// Text as it is.
pub(crate) const PLAIN: Style = Style::new();
/// What stands beside the matter.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What weighs.
pub(crate) const STRONG: Style = Style::new().bold();
/// Names of tools, code within text, keys to press.
pub(crate) const NAME: Style = colored(AnsiColor::Cyan);
/// What went well, and what is added.
pub(crate) const GOOD: Style = colored(AnsiColor::Green);
/// What failed, and what is removed.
pub(crate) const BAD: Style = colored(AnsiColor::Red);
/// What somebody should look at.
pub(crate) const NOTICE: Style = colored(AnsiColor::Yellow);
/// A question.
pub(crate) const QUESTION: Style = colored(AnsiColor::Yellow).bold();
