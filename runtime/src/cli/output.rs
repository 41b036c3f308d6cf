//! Writing to the terminal: a closed pipe is no error, and nothing that a tool or a model says steers the terminal.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use super::screen::{self, Colors, Line, Stream};
use crate::support::text::truncate;

/// Writes text to standard output, made harmless where that is a terminal.
pub(super) fn print(text: &str) {
    // A screen at work writes it above its live lines.
    let sent = screen::send(|| harmless(text).into_owned(), Stream::Stdout);
    if sent {
        return;
    }
    let mut stdout = io::stdout().lock();
    let text = if stdout.is_terminal() {
        harmless(text)
    } else {
        Cow::Borrowed(text)
    };
    written(
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    );
}

/// Writes a line to standard output.
pub(super) fn line(text: &str) {
    print(&format!("{text}\n"));
}

/// Writes styled lines to standard output.
pub(super) fn lines(lines: &[Line]) {
    let colors = Colors::of_stdout();
    let mut text = String::new();
    for line in lines {
        line.write(colors, &mut text);
        text.push('\n');
    }
    let mut stdout = io::stdout().lock();
    written(
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    );
}

/// The first failure to write to standard output.
static UNWRITTEN: OnceLock<io::Error> = OnceLock::new();

/// Keeps in mind that standard output could not be written, on a full disk for instance. Whoever closed the pipe has seen
/// enough.
pub(super) fn written(outcome: io::Result<()>) {
    if let Err(error) = outcome
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = UNWRITTEN.set(error);
    }
}

/// Returns why something is missing on standard output.
pub(super) fn unwritten() -> Option<&'static io::Error> {
    UNWRITTEN.get()
}

/// Writes a line to standard error.
pub(super) fn note(text: &str) {
    let line = || format!("{}\n", harmless(text));
    if screen::send(line, Stream::Stderr) {
        return;
    }
    let _ = writeln!(io::stderr().lock(), "{}", harmless(text));
}

/// Writes an error with its causes to standard error.
pub(super) fn error(error: &dyn std::error::Error) {
    let mut text = format!("error: {error}");
    let mut link = error.source();
    while let Some(cause) = link {
        text.push_str("\n  because: ");
        text.push_str(&cause.to_string());
        link = cause.source();
    }
    note(&text);
}

/// Replaces control characters, which could move the cursor, retitle the window or hide what was printed before.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_bidi_control(c);
    if text.contains(is_harmful) {
        text.replace("\r\n", "\n")
            .replace(is_harmful, "\u{fffd}")
            .into()
    } else {
        text.into()
    }
}

/// Puts a text of somebody else on one line, so that it cannot pass for more than one.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    let breaks = |c: char| matches!(c, '\n' | '\t' | '\u{2028}' | '\u{2029}');
    let text = harmless(text);
    if text.contains(breaks) {
        text.replace(breaks, "\u{fffd}").into()
    } else {
        text
    }
}

/// Characters that reorder the text around them.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Shortens a text to its first line and so many characters.
pub(super) fn first_line(text: &str, most: usize) -> String {
    truncate(text.lines().next().unwrap_or_default(), most).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{first_line, harmless, one_line};

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(
            harmless("a\u{1b}[2Jb\r\nc\td\u{202e}"),
            "a\u{fffd}[2Jb\nc\td\u{fffd}"
        );
        assert_eq!(harmless("plain\n"), "plain\n");
    }

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(one_line("a\n  b\u{1b}\tc"), "a\u{fffd}  b\u{fffd}\u{fffd}c");
        assert_eq!(one_line("plain"), "plain");
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(first_line("äöü\nx", 2), "äö…");
        assert_eq!(first_line("äöü\nx", 3), "äöü");
    }
}
