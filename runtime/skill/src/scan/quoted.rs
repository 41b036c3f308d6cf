//! Attempts that a text quotes to warn of them.

use std::borrow::Cow;

use helve_core::support::text::first_bytes;

/// The phrases of a warning.
const WARNING_PHRASES: &[&str] = &[
    "beware",
    "warn",
    "watch out",
    "careful",
    "caution",
    "attack",
    "inject",
    "malicious",
    "untrusted",
    "suspicious",
    "adversar",
    "refuse",
    "reject",
    "red flag",
    "as data",
    "never follow",
    "never obey",
    "not follow",
    "not obey",
    "don't follow",
    "don't obey",
];

/// The greatest length of a quotation, in bytes.
const MAX_QUOTATION_BYTES: usize = 400;

/// Reports whether a lower-case text contains a warning.
pub(super) fn warns(lower: &str) -> bool {
    WARNING_PHRASES.iter().any(|word| lower.contains(word))
}

/// Removes text in quotation marks and in code; an unclosed mark quotes nothing.
pub(super) fn without_quotes(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut from = 0;
    while let Some((start, end)) = next_quote(text, from) {
        kept.push_str(&text[from..start]);
        // Keeps the words before and after a quotation apart.
        kept.push_str(" \u{2026} ");
        from = end;
    }
    if from == 0 {
        return text.into();
    }
    kept.push_str(&text[from..]);
    kept.into()
}

/// Returns the range of the next quotation, including its marks.
fn next_quote(text: &str, from: usize) -> Option<(usize, usize)> {
    text[from..].char_indices().find_map(|(at, mark)| {
        let start = from + at;
        let closing = match mark {
            '"' | '`' => mark,
            '\u{201c}' | '\u{201e}' => '\u{201d}',
            '\u{2018}' => '\u{2019}',
            '\u{ab}' => '\u{bb}',
            // An apostrophe follows a letter.
            '\'' if !text[..start].ends_with(char::is_alphanumeric) => mark,
            _ => return None,
        };
        let inner = start + mark.len_utf8();
        let ends = |(at, _): &(usize, &str)| {
            let after = inner + at + closing.len_utf8();
            closing != '\'' || !text[after..].starts_with(char::is_alphanumeric)
        };
        let near = first_bytes(&text[inner..], MAX_QUOTATION_BYTES);
        let (length, _) = near.match_indices(closing).find(ends)?;
        Some((start, inner + length + closing.len_utf8()))
    })
}

#[cfg(test)]
mod tests {
    use super::without_quotes;

    #[test]
    fn quotations_go_and_the_rest_stays() {
        for (text, left) in [
            ("say \"x y\" now", "say  \u{2026}  now"),
            ("`a` b 'c d' e", " \u{2026}  b  \u{2026}  e"),
            ("don't and won't", "don't and won't"),
            ("it 'isn't so' here", "it  \u{2026}  here"),
            ("\u{201c}x\u{201d}\u{ab}y\u{bb}", " \u{2026}  \u{2026} "),
            ("open \"only", "open \"only"),
        ] {
            assert_eq!(without_quotes(text), left, "{text}");
        }
    }
}
