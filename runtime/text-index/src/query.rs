//! What a question asks the index for.

use std::collections::HashSet;

use helve_tool_search::words::is_stop_word;

use crate::terms::{TermKind, each_term};
use crate::tokens::{Script, Token, fold, tokens};

/// The greatest number of terms of a question, and of its phrases.
const MAX_TERMS: usize = 48;

/// The terms of a question.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct QueryTerms {
    /// Terms of which a document has one at least.
    any: Vec<QueryTerm>,
    /// What stands in quotation marks, which a document has as it stands there.
    phrases: Vec<Phrase>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct QueryTerm {
    text: String,
    /// Whether the term of the document only begins so.
    is_prefix: bool,
}

/// Adjacent terms of tokens of one script.
#[derive(Debug, PartialEq, Eq)]
struct Phrase {
    script: Script,
    terms: Vec<QueryTerm>,
}

impl QueryTerms {
    /// Reads a question: words, and phrases in quotation marks. Stop words count where nothing else is asked.
    pub(crate) fn parse(question: &str) -> Self {
        let mut parsed = Self::default();
        let mut stop_words = Vec::new();
        let mut pieces = question.split(['"', '“', '”', '„']).enumerate().peekable();
        while let Some((place, piece)) = pieces.next() {
            // A mark without its second one is none.
            if place % 2 == 1 && pieces.peek().is_some() {
                parsed.phrases.extend(phrases(piece));
            } else {
                parsed.add_words(piece, &mut stop_words);
            }
        }
        if parsed.any.is_empty() && parsed.phrases.is_empty() {
            parsed.any = stop_words;
        }
        let mut seen = HashSet::new();
        parsed.any.retain(|term| seen.insert(term.clone()));
        parsed.any.truncate(MAX_TERMS);
        parsed.phrases.truncate(MAX_TERMS);
        parsed
    }

    fn add_words(&mut self, text: &str, stop_words: &mut Vec<QueryTerm>) {
        let mut folded = String::new();
        for token in tokens(text).take(MAX_TERMS * 4) {
            folded.clear();
            fold(token.text, &mut folded);
            let into = match is_stop_word(&folded) {
                true => &mut *stop_words,
                false => &mut self.any,
            };
            each_query_term(&token, |_, term| into.push(term));
        }
    }

    /// Returns whether nothing is asked.
    pub(crate) fn is_empty(&self) -> bool {
        self.any.is_empty() && self.phrases.is_empty()
    }

    /// Returns whether a term of a document is one that is asked for.
    pub(crate) fn matches(&self, term: &str) -> bool {
        let phrases = self.phrases.iter().flat_map(|phrase| &phrase.terms);
        let mut asked = self.any.iter().chain(phrases);
        asked.any(|asked| match asked.is_prefix {
            true => term.starts_with(&asked.text),
            false => term == asked.text,
        })
    }

    /// Returns the expression of FTS5. Its terms consist of letters and digits alone.
    pub(crate) fn expression(&self) -> String {
        self.expression_with(&self.words(), " OR ")
    }

    /// Returns the expression of the documents that have all terms; `None` if one or none is asked for.
    pub(crate) fn strict_expression(&self) -> Option<String> {
        let is_several = self.any.len() > 1;
        is_several.then(|| self.expression_with(&self.words(), " AND "))
    }

    /// Returns whether a phrase is asked for.
    pub(crate) fn has_phrases(&self) -> bool {
        !self.phrases.is_empty()
    }

    /// Returns the terms of which a document has one at least, each as an expression.
    pub(crate) fn words(&self) -> Vec<String> {
        self.any.iter().map(QueryTerm::expression).collect()
    }

    /// Returns the expression of the phrases, and of some words.
    pub(crate) fn expression_with(&self, words: &[String], operator: &str) -> String {
        let phrases = self.phrases.iter().map(Phrase::expression);
        let words = (!words.is_empty()).then(|| format!("({})", words.join(operator)));
        let all: Vec<String> = phrases.chain(words).collect();
        all.join(" AND ")
    }
}

impl QueryTerm {
    fn expression(&self) -> String {
        let star = if self.is_prefix { "*" } else { "" };
        format!("\"{}\"{star}", self.text)
    }
}

impl Phrase {
    fn expression(&self) -> String {
        let column = match self.script {
            Script::Spaced => "words",
            Script::Unspaced => "parts",
        };
        let terms: Vec<&str> = self.terms.iter().map(|term| &*term.text).collect();
        let is_prefix = self.terms.last().is_some_and(|term| term.is_prefix);
        let star = if is_prefix { "*" } else { "" };
        format!("{{title {column}}} : \"{}\"{star}", terms.join(" "))
    }
}

/// Returns the phrases of a text: one for each stretch of words, and one for each run of characters.
fn phrases(text: &str) -> Vec<Phrase> {
    let mut phrases: Vec<Phrase> = Vec::new();
    for token in tokens(text).take(MAX_TERMS) {
        let script = token.script;
        let mut terms = Vec::new();
        each_query_term(&token, |kind, term| {
            // The parts of an identifier stand in another column than the words around it.
            if script == Script::Unspaced || kind == TermKind::Word {
                terms.push(term);
            }
        });
        match phrases.last_mut() {
            Some(phrase) if phrase.script == script && script == Script::Spaced => {
                phrase.terms.append(&mut terms);
            }
            _ if terms.is_empty() => {}
            _ => phrases.push(Phrase { script, terms }),
        }
    }
    phrases
}

/// Calls a function with the terms to ask for where a question has a token. The last character of a run is asked for
/// only where it is the only one, as the beginning of a pair.
fn each_query_term(token: &Token<'_>, mut see: impl FnMut(TermKind, QueryTerm)) {
    let mut is_single = true;
    each_term(token, |kind, term| {
        let is_prefix = kind == TermKind::Last;
        if is_prefix && !is_single {
            return;
        }
        is_single = false;
        let text = term.to_owned();
        see(kind, QueryTerm { text, is_prefix });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(question: &str) -> String {
        QueryTerms::parse(question).expression()
    }

    #[test]
    fn words_are_alternatives_and_stop_words_are_left_out() {
        assert_eq!(
            expression("Where is the getUserName of users?"),
            r#"("getusernam" OR "get" OR "user" OR "name")"#
        );
        assert_eq!(expression("who is it"), r#"("who" OR "is" OR "it")"#);
        assert_eq!(expression("?!"), "");
    }

    #[test]
    fn phrases_are_required() {
        assert_eq!(
            expression("rust \"broken pipes\" \"日本語 x\""),
            "{title words} : \"break pipe\" AND {title parts} : \"日本 本語\" AND \
             {title words} : \"x\" AND (\"rust\")"
        );
        assert_eq!(expression("a \"lone mark"), r#"("lone" OR "mark")"#);
    }

    #[test]
    fn a_single_character_begins_a_pair() {
        assert_eq!(expression("猫"), r#"("猫"*)"#);
        assert_eq!(expression("黒猫"), r#"("黒猫")"#);
    }

    #[test]
    fn syntax_is_text() {
        let question = "NOT title : x* NEAR(a, b) ^c - d } { ( \0 OR";
        assert!(
            !expression(question)
                .replace(" OR ", "")
                .contains([':', '{', '^', '-'])
        );
    }
}
