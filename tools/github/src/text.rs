//! Texts of others: on one line, indented, and cut.

use helve::untrusted::{strip_escapes, strip_invisible};

/// The most characters of a body that are shown at once.
pub(crate) const MAX_BODY_CHARS: usize = 4_000;

/// Puts a text on one line, without invisible characters, and limits its length in characters.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    // No more is read than could be shown.
    let end = text.char_indices().nth(most.saturating_mul(4) + 64);
    let text = &text[..end.map_or(text.len(), |(end, _)| end)];
    let (mut line, mut chars) = (String::new(), 0);
    let plain = strip_escapes(text);
    for word in strip_invisible(&plain).split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
            chars += 1;
        }
        for character in word.chars() {
            if chars >= most {
                line.truncate(line.trim_end().len());
                line.push('…');
                return line;
            }
            line.push(character);
            chars += 1;
        }
    }
    line
}

/// A part of a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShownText {
    /// The part, each line indented, so that no line looks like one of ours.
    pub(crate) text: String,
    /// How much it is of how much, and how to go on; empty if it is all.
    pub(crate) note: String,
}

/// Returns a part of a body.
pub(crate) fn body(text: &str, start: usize, most: usize) -> ShownText {
    let total = text.chars().count();
    let part: String = text.chars().skip(start).take(most).collect();
    let end = start.saturating_add(most).min(total);
    let note = if start == 0 && end == total {
        String::new()
    } else if start >= total {
        format!("the text ends at character {total}")
    } else if end < total {
        format!("characters {start} to {end} of {total}; more with `start` {end}")
    } else {
        format!("characters {start} to {end} of {total}")
    };
    ShownText {
        text: indent(&part),
        note,
    }
}

/// Indents each line by two blanks.
pub(crate) fn indent(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + 16);
    let plain = strip_escapes(text);
    for line in split_lines(&plain) {
        if !lines.is_empty() {
            lines.push('\n');
        }
        if !line.trim().is_empty() {
            lines.push_str("  ");
            lines.push_str(&plain_line(line));
        }
    }
    lines
}

/// Keeps what is shown of a line, which stays one line.
pub(crate) fn plain_line(line: &str) -> String {
    let shown = line.chars().map(|c| {
        if matches!(c, '\u{2028}' | '\u{2029}') {
            ' '
        } else {
            c
        }
    });
    shown.filter(|c| *c == '\t' || !c.is_control()).collect()
}

/// Splits a text at everything that a reader may take for the end of a line.
fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
        .flat_map(|line| line.split(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']))
}

/// Returns the day of a moment that the API writes.
pub(crate) fn day(moment: &str) -> &str {
    let is_day = moment.len() >= 10
        && moment
            .bytes()
            .take(10)
            .enumerate()
            .all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
    if is_day { &moment[..10] } else { "?" }
}

/// Returns the last lines of a log, without escapes, times and other control characters, and how many there are.
pub(crate) fn log_tail(log: &str, most: usize) -> (Vec<String>, usize) {
    const MAX_LINE_CHARS: usize = 1_000;
    let lines: Vec<&str> = log.lines().collect();
    let total = lines.len();
    let shown = lines[total.saturating_sub(most)..].iter();
    let shown = shown.map(|line| {
        let line = strip_escapes(without_time(line.trim_start_matches('\u{feff}')));
        // What comes after a carriage return overwrites the line.
        let line = line
            .trim_end_matches('\r')
            .rsplit('\r')
            .next()
            .unwrap_or_default();
        let line = plain_line(line);
        let short: String = line.chars().take(MAX_LINE_CHARS).collect();
        let rest = line.chars().count().saturating_sub(MAX_LINE_CHARS);
        match rest {
            0 => format!("  {short}"),
            rest => format!("  {short}… ({rest} more characters)"),
        }
    });
    (shown.collect(), total)
}

/// Removes the time with which a line of a log begins, such as `2026-11-20T10:00:00.1234567Z `.
fn without_time(line: &str) -> &str {
    match line.split_once(' ') {
        Some((time, rest))
            if time.len() <= 32
                && time.ends_with('Z')
                && time.get(10..11) == Some("T")
                && day(time) != "?" =>
        {
            rest
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_of_others_stay_in_their_place() {
        assert_eq!(
            one_line(" a\nb\t\u{1b}[31mc\u{1b}[0m\u{e0041}\u{202e}d ", 20),
            "a b cd"
        );
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("ab cdef", 3), "ab…");
        assert_eq!(
            indent("a\n--- by admin (OWNER)\r\u{2028}b"),
            "  a\n  --- by admin (OWNER)\n\n  b"
        );
        let shown = body("0123456789", 2, 5);
        assert_eq!(
            (&*shown.text, &*shown.note),
            ("  23456", "characters 2 to 7 of 10; more with `start` 7")
        );
        assert_eq!(body("abc", 0, 5).note, "");
        assert_eq!(body("abc", 9, 5).note, "the text ends at character 3");
        assert_eq!(day("2026-11-20T10:00:00Z"), "2026-11-20");
        assert_eq!(day("yesterday é"), "?");
    }

    #[test]
    fn logs_lose_their_times_and_escapes() {
        let log = "\u{feff}2026-11-20T10:00:00.1234567Z one\n2026-11-20T10:00:01Z \u{1b}[31mtwo\u{1b}]0;title\u{7}\n 1%\r 99%\rdone\r\n";
        let (lines, total) = log_tail(log, 2);
        assert_eq!(
            (lines, total),
            (vec!["  two".to_owned(), "  done".to_owned()], 3)
        );
        assert_eq!(log_tail(log, 9).0[0], "  one");
    }

    proptest! {
        #[test]
        fn a_line_is_one_short_line(text in "\\PC{0,80}|[\\x00-\\x7f]{0,80}") {
            let line = one_line(&text, 20);
            prop_assert!(line.chars().count() <= 21, "{line}");
            prop_assert!(!line.chars().any(char::is_control), "{line:?}");
        }

        #[test]
        fn every_line_of_a_body_is_indented(text in "[a\\n\\r\\x0b\\x1b\\[\\]\u{2028}\u{85} #-]{0,60}") {
            for line in indent(&text).lines() {
                prop_assert!(line.is_empty() || line.starts_with("  "), "{line:?}");
            }
        }
    }
}
