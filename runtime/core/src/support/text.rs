//! Substrings and truncation at character boundaries.

use std::borrow::Cow;

/// A part of a text, with the lengths of the part and of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page<'t> {
    /// The part.
    pub text: &'t str,
    /// The number of characters of the part.
    pub characters: usize,
    /// The number of characters of the whole text.
    pub total: usize,
}

/// Returns up to `limit` characters, starting at the character `offset`.
pub fn page(text: &str, offset: usize, limit: usize) -> Page<'_> {
    let total = text.chars().count();
    let rest = &text[index_of_char(text, offset)..];
    let text = first_chars(rest, limit);
    Page {
        text,
        characters: text.chars().count(),
        total,
    }
}

/// Returns the first `most` characters of a text.
pub fn first_chars(text: &str, most: usize) -> &str {
    &text[..index_of_char(text, most)]
}

/// Returns the last `most` characters of a text.
pub fn last_chars(text: &str, most: usize) -> &str {
    if most == 0 {
        return "";
    }
    match text.char_indices().nth_back(most - 1) {
        Some((start, _)) => &text[start..],
        None => text,
    }
}

/// Returns the characters that end within the first `most` bytes of a text.
pub fn first_bytes(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Returns the characters that begin within the last `most` bytes of a text.
pub fn last_bytes(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

/// Returns the byte index of a character by its number, or the end of the text.
fn index_of_char(text: &str, number: usize) -> usize {
    // A text has at most as many characters as bytes, and its bytes are known without a scan.
    if text.len() <= number {
        return text.len();
    }
    let nth = text.char_indices().nth(number);
    nth.map_or(text.len(), |(start, _)| start)
}

/// Returns the first `most` characters of a longer text, followed by an ellipsis.
pub fn truncate(text: &str, most: usize) -> Cow<'_, str> {
    let kept = first_chars(text, most);
    if kept.len() == text.len() {
        return text.into();
    }
    format!("{kept}…").into()
}

/// Returns the last `most` characters of a longer text, in whole lines if possible, after a line that says so.
pub fn truncate_start(text: &str, most: usize) -> Cow<'_, str> {
    let kept = last_chars(text, most);
    if kept.len() == text.len() {
        return text.into();
    }
    let begins_line = text[..text.len() - kept.len()].ends_with('\n');
    let kept = match kept.find('\n') {
        Some(line) if !begins_line && line + 1 < kept.len() => &kept[line + 1..],
        _ => kept,
    };
    format!("[… the beginning is omitted …]\n{kept}").into()
}

/// Returns the two ends of a text longer than `most` characters, around a line that says how many are omitted.
pub fn truncate_middle(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let total = text.chars().count();
    if total <= most {
        return text.into();
    }
    let first = first_chars(text, most.div_ceil(2));
    let last = last_chars(text, most / 2);
    format!("{first}\n[… {} characters omitted …]\n{last}", total - most).into()
}

/// Decodes `%20` and the like; other text stays as it is. Returns `None` if the result is not UTF-8.
pub fn percent_decode(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let digits = digit(0).zip(digit(1)).filter(|_| *first == b'%');
        let decoded = digits.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = after.get(2 * usize::from(decoded.is_some())..)?;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\u{e9}\u{1f980}b";

    #[test]
    fn characters_are_counted_from_either_end() {
        let text = TEXT;
        assert_eq!(
            (first_chars(text, 2), last_chars(text, 2)),
            ("a\u{e9}", "\u{1f980}b")
        );
        assert_eq!((first_chars(text, 0), last_chars(text, 0)), ("", ""));
        assert_eq!((first_chars(text, 9), last_chars(text, 9)), (text, text));
        let page = page(text, 1, 2);
        assert_eq!(
            (page.text, page.characters, page.total),
            ("\u{e9}\u{1f980}", 2, 4)
        );
    }

    #[test]
    fn a_character_that_does_not_fit_is_left_out_whole() {
        for most in 0..=TEXT.len() + 1 {
            let (first, last) = (first_bytes(TEXT, most), last_bytes(TEXT, most));
            assert!(first.len() <= most && last.len() <= most);
            assert!(TEXT.starts_with(first) && TEXT.ends_with(last));
        }
        assert_eq!((first_bytes(TEXT, 2), last_bytes(TEXT, 4)), ("a", "b"));
        assert_eq!(
            (first_bytes(TEXT, 3), last_bytes(TEXT, 5)),
            ("a\u{e9}", "\u{1f980}b")
        );
        assert_eq!((first_bytes(TEXT, 99), last_bytes(TEXT, 99)), (TEXT, TEXT));
    }

    #[test]
    fn what_is_left_out_is_marked() {
        assert_eq!(truncate(TEXT, 4), TEXT);
        assert_eq!(truncate(TEXT, 2), "a\u{e9}…");
        assert_eq!(truncate("", 0), "");
        assert_eq!(truncate("a", 0), "…");
        assert_eq!(truncate_middle(TEXT, 4), TEXT);
        assert_eq!(
            truncate_middle(TEXT, 3),
            "a\u{e9}\n[… 1 characters omitted …]\nb"
        );
        assert_eq!(truncate_start(TEXT, 1), "[… the beginning is omitted …]\nb");
        assert_eq!(
            truncate_start("ab\ncd\n", 4),
            "[… the beginning is omitted …]\ncd\n"
        );
    }
}
