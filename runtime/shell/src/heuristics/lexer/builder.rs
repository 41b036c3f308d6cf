//! The construction of words, and the known values of variables.

use std::borrow::Cow;

use super::{LexerStop, Token};
use crate::heuristics::braces;
use crate::script::{Assignment, ScriptWord};

/// The variables that the text sets exactly once, to a constant value.
#[derive(Debug, Default)]
pub(crate) struct KnownVariables<'a>(Vec<(&'a str, Option<ScriptWord<'a>>)>);

impl<'a> KnownVariables<'a> {
    fn get(&self, name: &str) -> Option<&ScriptWord<'a>> {
        self.0.iter().find(|(known, _)| *known == name)?.1.as_ref()
    }

    /// Records an assignment. The value of a variable that is set twice, or conditionally, is unknown.
    pub(crate) fn note(&mut self, assignment: &Assignment<'a>, is_certain: bool) {
        let is_fixed = is_certain && !assignment.value.is_dynamic;
        match self
            .0
            .iter_mut()
            .find(|(known, _)| *known == assignment.name)
        {
            Some((_, value)) => *value = None,
            None => {
                let value = is_fixed.then(|| assignment.value.clone());
                self.0.push((assignment.name, value));
            }
        }
    }
}

/// A word under construction.
#[derive(Default)]
pub(super) struct WordBuilder<'a> {
    pub(super) word: ScriptWord<'a>,
    text: String,
    pub(super) has_glob: bool,
    has_braces: bool,
}

/// Placeholders for unquoted braces and commas, until they are expanded.
pub(crate) const BRACES: [char; 3] = ['\u{e003}', '\u{e004}', '\u{e005}'];

impl<'a> WordBuilder<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && !self.word.is_quoted && !self.word.is_dynamic
    }

    pub(super) fn push(&mut self, character: char) {
        self.text.push(character);
    }

    pub(super) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn push_brace(&mut self, character: char) {
        self.has_braces |= character == '{';
        self.text.push(match character {
            '{' => BRACES[0],
            ',' => BRACES[1],
            _ => BRACES[2],
        });
    }

    pub(super) fn variable(&mut self, name: &'a str, in_quotes: bool, known: &KnownVariables<'a>) {
        let is_first = self.text.is_empty() && !self.word.is_dynamic;
        if let Some(value) = known.get(name) {
            let is_one_word =
                in_quotes || !value.text.is_empty() && !value.text.contains([' ', '\t', '\n']);
            if is_one_word {
                self.word.is_home |= is_first && value.is_home;
                self.has_glob |= value.is_glob && !in_quotes;
                self.text.push_str(&value.text);
                return;
            }
        }
        match name {
            "HOME" if is_first => {
                self.word.is_home = true;
                self.text.push('~');
            }
            "PWD" if is_first => self.text.push('.'),
            _ => {
                self.word.is_dynamic = true;
                self.word.variables.push(name);
            }
        }
    }

    pub(super) fn finish(mut self) -> Result<Token<'a>, LexerStop> {
        if !self.has_braces {
            self.text = braces::unmark(&self.text);
            return Ok(Token::Word(self.into_word()));
        }
        let Some(texts) = braces::expand(&self.text) else {
            return Err(LexerStop::Unclear("its braces stand for too many words"));
        };
        let words = texts.into_iter().map(|text| {
            WordBuilder {
                word: self.word.clone(),
                text,
                has_glob: self.has_glob,
                has_braces: false,
            }
            .into_word()
        });
        let mut words: Vec<_> = words.collect();
        Ok(if words.len() == 1 {
            Token::Word(words.remove(0))
        } else {
            Token::Words(words)
        })
    }

    fn into_word(self) -> ScriptWord<'a> {
        // A lone `[` is the program of that name.
        let is_glob = self.has_glob && self.text != "[";
        ScriptWord {
            text: Cow::Owned(self.text),
            is_glob,
            ..self.word
        }
    }
}
