//! Text for the terminal: nothing that a tool or a model wrote steers the terminal or imitates another line.

use std::borrow::Cow;

use helve_core::support::text::truncate;

/// Replaces control characters, which could move the cursor, retitle the window or hide what was printed before.
pub fn replace_controls(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_bidi_control(c);
    if text.contains(is_harmful) {
        text.replace("\r\n", "\n")
            .replace(is_harmful, "\u{fffd}")
            .into()
    } else {
        text.into()
    }
}

/// Joins untrusted text into one line, so that it cannot pass for several lines.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let breaks = |c: char| matches!(c, '\n' | '\t' | '\u{2028}' | '\u{2029}');
    let text = replace_controls(text);
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
pub fn first_line(text: &str, most: usize) -> String {
    truncate(text.lines().next().unwrap_or_default(), most).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{first_line, one_line, replace_controls};

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(
            replace_controls("a\u{1b}[2Jb\r\nc\td\u{202e}"),
            "a\u{fffd}[2Jb\nc\td\u{fffd}"
        );
        assert_eq!(replace_controls("plain\n"), "plain\n");
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
