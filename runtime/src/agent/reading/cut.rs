//! Cutting text to a number of characters: at its end, in its middle, at its beginning.

use std::borrow::Cow;

/// A part of a text, and how much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    /// Characters of the part.
    pub(super) characters: usize,
    /// Characters of the whole.
    pub(super) total: usize,
}

/// Returns up to `limit` characters from the character `offset` on.
pub(super) fn page(text: &str, offset: usize, limit: usize) -> Page<'_> {
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
pub(super) fn head(text: &str, most: usize) -> &str {
    &text[..at(text, most)]
}

/// Returns the last characters of a text.
pub(super) fn tail(text: &str, most: usize) -> &str {
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

/// Keeps the beginning and the end of a text that is longer than `most`, half of it each, and says between them how much
/// is left out.
pub(super) fn middle(text: &str, most: usize) -> Cow<'_, str> {
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
