//! Cutting text to a number of characters: at its end, in its middle, at its beginning.

use std::borrow::Cow;

/// A part of a text, and how much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page<'t> {
    pub(crate) text: &'t str,
    /// Characters of the part.
    pub(crate) characters: usize,
    /// Characters of the whole.
    pub(crate) total: usize,
}

/// Returns up to `limit` characters from the character `offset` on.
pub(crate) fn page(text: &str, offset: usize, limit: usize) -> Page<'_> {
    let total = text.chars().count();
    let rest = &text[at(text, offset)..];
    let text = head(rest, limit);
    Page {
        text,
        characters: text.chars().count(),
        total,
    }
}

/// Returns the first characters of a text.
pub(crate) fn head(text: &str, most: usize) -> &str {
    &text[..at(text, most)]
}

/// Returns the last characters of a text.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    if most == 0 {
        return "";
    }
    match text.char_indices().nth_back(most - 1) {
        Some((start, _)) => &text[start..],
        None => text,
    }
}

/// Returns where the character of this number begins, or the end of the text.
fn at(text: &str, characters: usize) -> usize {
    // Bytes bound characters from above, and are known without a scan.
    if text.len() <= characters {
        return text.len();
    }
    match text.char_indices().nth(characters) {
        Some((start, _)) => start,
        None => text.len(),
    }
}

/// Keeps the end of a text that is longer than `most`, whole lines of it where there are some, and says before it that it
/// is the end.
pub(crate) fn to_tail(text: &str, most: usize) -> Cow<'_, str> {
    let shown = tail(text, most);
    if shown.len() == text.len() {
        return text.into();
    }
    let begins_line = text[..text.len() - shown.len()].ends_with('\n');
    let shown = match shown.find('\n') {
        Some(line) if !begins_line && line + 1 < shown.len() => &shown[line + 1..],
        _ => shown,
    };
    format!("[… what came before is left out …]\n{shown}").into()
}

/// Keeps the beginning and the end of a text that is longer than `most`, half of it each, and says between them how much
/// is left out.
pub(crate) fn middle(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let total = text.chars().count();
    if total <= most {
        return text.into();
    }
    let (first, last) = (head(text, most.div_ceil(2)), tail(text, most / 2));
    format!(
        "{first}\n[… {} characters left out …]\n{last}",
        total - most
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_between_characters() {
        let text = "a\u{e9}\u{1f980}b";
        assert_eq!((head(text, 2), tail(text, 2)), ("a\u{e9}", "\u{1f980}b"));
        assert_eq!((head(text, 0), tail(text, 0)), ("", ""));
        assert_eq!((head(text, 9), tail(text, 9)), (text, text));
        assert_eq!(middle(text, 4), text);
        assert_eq!(middle(text, 3), "a\u{e9}\n[… 1 characters left out …]\nb");
        assert_eq!(to_tail(text, 1), "[… what came before is left out …]\nb");
        let page = page(text, 1, 2);
        assert_eq!(
            (page.text, page.characters, page.total),
            ("\u{e9}\u{1f980}", 2, 4)
        );
    }
}
