//! The tokens of a text: words, and runs of characters of scripts that do not separate words.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// A token and its place in the text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    pub(crate) script: Script,
}

/// How words are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// By spaces and punctuation.
    Spaced,
    /// Not at all, as in Chinese, Japanese and Thai.
    Unspaced,
}

impl Token<'_> {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// Iterates over the tokens of a text. An identifier with underscores is one token.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut characters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, script) = loop {
            let (start, character) = characters.next()?;
            if let Some(script) = script_of(character) {
                break (start, script);
            }
        };
        let goes_on = |&(_, next): &(usize, char)| match script_of(next) {
            Some(other) => other == script,
            None => is_combining_mark(next) || (next == '_' && script == Script::Spaced),
        };
        while characters.next_if(goes_on).is_some() {}
        let end = characters.peek().map_or(text.len(), |(place, _)| *place);
        let text = text[start..end].trim_end_matches('_');
        Some(Token {
            text,
            start,
            script,
        })
    })
}

/// Returns the script of a character of words.
fn script_of(character: char) -> Option<Script> {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric().then_some(Script::Spaced);
    }
    if is_unspaced(character) {
        return Some(Script::Unspaced);
    }
    character.is_alphanumeric().then_some(Script::Spaced)
}

/// Returns whether a character is of a script that does not separate words, or, as Hangul, gives them endings.
fn is_unspaced(character: char) -> bool {
    matches!(
        u32::from(character),
        // Thai and Lao, Myanmar, Khmer, with their vowel signs.
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff
        // Kana, bopomofo and what belongs to them.
        | 0x3005..=0x3007 | 0x3031..=0x3035 | 0x3041..=0x3096 | 0x309d..=0x309f | 0x30a1..=0x30ff
        | 0x3105..=0x312f | 0x31f0..=0x31ff | 0xff66..=0xff9f
        // Ideographs, Hangul.
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff
        | 0xac00..=0xd7a3
    )
}

/// Appends a word in its folded form: the normal form NFKC, lower case, Latin letters without diacritics. What is not
/// a letter or a digit is left out.
pub(crate) fn fold(word: &str, into: &mut String) {
    if word.is_ascii() {
        let letters = word.bytes().filter(u8::is_ascii_alphanumeric);
        into.extend(letters.map(|letter| char::from(letter.to_ascii_lowercase())));
        return;
    }
    for character in word.nfkc().flat_map(char::to_lowercase) {
        match character {
            'ß' => into.push_str("ss"),
            'æ' => into.push_str("ae"),
            'œ' => into.push_str("oe"),
            'ø' => into.push('o'),
            'đ' => into.push('d'),
            'ł' => into.push('l'),
            'ı' => into.push('i'),
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                let mut base = None;
                decompose_canonical(character, |part| {
                    base.get_or_insert(part);
                });
                into.push(base.unwrap_or(character));
            }
            _ if character.is_alphanumeric() => into.push(character),
            _ => {}
        }
    }
}

/// Returns the characters of a run without separated words, in the normal form NFKC.
pub(crate) fn run_characters(run: &str) -> Vec<char> {
    let characters = run.nfkc().flat_map(char::to_lowercase);
    characters
        .filter(|character| character.is_alphanumeric() || is_combining_mark(*character))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        tokens(text).map(|token| token.text).collect()
    }

    fn folded(word: &str) -> String {
        let mut into = String::new();
        fold(word, &mut into);
        into
    }

    #[test]
    fn scripts_and_identifiers_are_tokens() {
        assert_eq!(
            split("Don't call get_user_name_()!"),
            ["Don", "t", "call", "get_user_name"]
        );
        assert_eq!(
            split("Rustの日本語処理 2026年"),
            ["Rust", "の日本語処理", "2026", "年"]
        );
        assert_eq!(split("__init__"), ["init"]);
        assert_eq!(split("cafe\u{301}s"), ["cafe\u{301}s"]);
    }

    #[test]
    fn words_are_folded() {
        let words = [
            "Müller",
            "Mu\u{308}ller",
            "STRASSE",
            "Straße",
            "ＲＵＳＴ",
            "Łódź",
            "İzmir",
            "Ελλάδα",
        ];
        let folded: Vec<_> = words.map(folded).to_vec();
        assert_eq!(
            folded,
            [
                "muller",
                "muller",
                "strasse",
                "strasse",
                "rust",
                "lodz",
                "izmir",
                "ελλάδα"
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_has_tokens_in_order(text in "\\PC{0,60}") {
            let mut end = 0;
            for token in tokens(&text) {
                prop_assert!(token.start >= end && !token.text.is_empty());
                prop_assert_eq!(&text[token.range()], token.text);
                end = token.range().end;
            }
        }
    }
}
