//! The terms under which a text is found.

use helve_tool_search::words::{identifier_words, normal};

use crate::tokens::{Script, Token, fold, run_characters, tokens};

/// The length of the longest term, in bytes: longer ones are data.
const MAX_TERM_BYTES: usize = 64;

/// The terms of a text, separated by spaces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    /// The stems of the words, one a word.
    pub(crate) words: String,
    /// The stems of the parts of identifiers, and pairs of characters of scripts that do not separate words.
    pub(crate) parts: String,
}

impl Terms {
    /// Returns the terms of a text.
    pub(crate) fn new(text: &str) -> Self {
        let mut terms = Self::default();
        terms.words.reserve(text.len());
        for token in tokens(text) {
            each_term(&token, |kind, term| {
                let into = match kind {
                    TermKind::Word => &mut terms.words,
                    TermKind::Part | TermKind::Last => &mut terms.parts,
                };
                into.push_str(term);
                into.push(' ');
            });
        }
        terms
    }
}

/// What a term is of its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermKind {
    /// The whole word.
    Word,
    /// A part of an identifier, or a pair of characters.
    Part,
    /// The last character of a run, which makes it one that begins a term, as every other character of the run does.
    Last,
}

/// Calls a function with each term of a token.
pub(crate) fn each_term(token: &Token<'_>, mut see: impl FnMut(TermKind, &str)) {
    match token.script {
        Script::Spaced => each_word_term(token.text, see),
        Script::Unspaced => {
            let characters = run_characters(token.text);
            let mut term = String::with_capacity(8);
            for pair in characters.windows(2) {
                term.clear();
                term.extend(pair);
                see(TermKind::Part, &term);
            }
            if let Some(last) = characters.last() {
                term.clear();
                term.push(*last);
                see(TermKind::Last, &term);
            }
        }
    }
}

fn each_word_term(word: &str, mut see: impl FnMut(TermKind, &str)) {
    let mut parts = word.split('_').flat_map(identifier_words);
    let is_one = parts.next().is_none_or(|first| first.len() == word.len());
    let mut folded = String::with_capacity(word.len());
    fold(word, &mut folded);
    if !folded.is_empty() && folded.len() <= MAX_TERM_BYTES {
        see(TermKind::Word, &normal(&folded));
    }
    if is_one {
        return;
    }
    for part in word.split('_').flat_map(identifier_words) {
        folded.clear();
        fold(part, &mut folded);
        if !folded.is_empty() && folded.len() <= MAX_TERM_BYTES {
            see(TermKind::Part, &normal(&folded));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> (String, String) {
        let terms = Terms::new(text);
        (terms.words.trim().to_owned(), terms.parts.trim().to_owned())
    }

    #[test]
    fn words_are_stems_and_identifiers_have_parts() {
        let found = terms("The users were calling getUserName, HTTP_PORT");
        assert_eq!(found.0, "the user were call getusernam httpport");
        assert_eq!(found.1, "get user name http port");
    }

    #[test]
    fn runs_are_pairs() {
        assert_eq!(terms("日本語 猫").1, "日本 本語 語 猫");
        assert_eq!(terms("ｶﾞｽ").1, "ガス ス");
    }

    #[test]
    fn long_words_are_left_out() {
        assert_eq!(terms(&format!("{} x", "a".repeat(65))).0, "x");
    }
}
