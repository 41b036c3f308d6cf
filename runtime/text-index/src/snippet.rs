//! The part of a text that shows why the text was found.

use std::collections::HashSet;
use std::ops::Range;

use crate::query::QueryTerms;
use crate::terms::each_term;
use crate::tokens::tokens;

/// The length of a snippet, without the marks of what is left out, in bytes.
const WIDTH: usize = 240;

/// The most text before the first match of a snippet, in bytes.
const LEAD: usize = 60;

/// A part of a text, on one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snippet {
    /// The text. `…` stands for what is left out before and after it.
    pub text: String,
    /// Where the text has what was asked for, in bytes of the text.
    pub matches: Vec<Range<usize>>,
}

/// A match in a text, and the number of the term that it has.
struct Match {
    range: Range<usize>,
    term: u32,
}

impl Snippet {
    /// Returns the part of a text with the most terms of a question, or its beginning.
    pub(crate) fn new(text: &str, asked: &QueryTerms) -> Self {
        let matches = find(text, asked);
        let first = best_window(&matches);
        let begin = matches.get(first).map_or(0, |found| found.range.start);
        let begin = text.floor_char_boundary(
            begin
                .saturating_sub(LEAD)
                .min(text.len().saturating_sub(WIDTH)),
        );
        let begin = word_start(text, begin, LEAD / 2);
        let end = text.floor_char_boundary(begin + WIDTH);
        let end = word_end(text, end, begin);
        let shown = matches.iter().map(|found| found.range.clone());
        let shown = shown.filter(|range| range.start >= begin && range.end <= end);
        Self::cut(text, begin..end, shown)
    }

    fn cut(text: &str, part: Range<usize>, matches: impl Iterator<Item = Range<usize>>) -> Self {
        let mut snippet = Self::default();
        if !text[..part.start].trim().is_empty() {
            snippet.text.push('…');
        }
        let lead = snippet.text.len();
        let mut from = part.start;
        for range in matches {
            snippet.push(&text[from..range.start], lead);
            let start = snippet.text.len();
            snippet.text.push_str(&text[range.clone()]);
            snippet.matches.push(start..snippet.text.len());
            from = range.end;
        }
        snippet.push(&text[from..part.end], lead);
        snippet.text.truncate(snippet.text.trim_end().len());
        if !text[part.end..].trim().is_empty() {
            snippet.text.push('…');
        }
        snippet
    }

    /// Appends text on one line.
    fn push(&mut self, text: &str, lead: usize) {
        for character in text.chars() {
            if !character.is_whitespace() && !character.is_control() {
                self.text.push(character);
            } else if self.text.len() > lead && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        }
    }
}

fn find(text: &str, asked: &QueryTerms) -> Vec<Match> {
    let mut numbers: Vec<String> = Vec::new();
    let mut matches = Vec::new();
    for token in tokens(text) {
        let mut found = None;
        each_term(&token, |_, term| {
            if found.is_none() && asked.matches(term) {
                let known = numbers.iter().position(|known| known == term);
                found = Some(known.unwrap_or_else(|| {
                    numbers.push(term.to_owned());
                    numbers.len() - 1
                }));
            }
        });
        if let Some(number) = found {
            let term = u32::try_from(number).unwrap_or(u32::MAX);
            matches.push(Match {
                range: token.range(),
                term,
            });
        }
    }
    matches
}

/// Returns the match with which the window begins that has the most terms, then the most matches.
fn best_window(matches: &[Match]) -> usize {
    let score = |first: usize| {
        let start = matches[first].range.start;
        let inside = matches[first..].iter();
        let inside = inside.take_while(|found| found.range.end <= start + WIDTH - LEAD);
        let (mut terms, mut count) = (HashSet::new(), 0);
        for found in inside {
            terms.insert(found.term);
            count += 1;
        }
        (terms.len(), count)
    };
    // A text that repeats a word has a match every few bytes; the first ones show it as well.
    let places = 0..matches.len().min(1_000);
    places
        .rev()
        .max_by_key(|place| score(*place))
        .unwrap_or_default()
}

/// Returns the start of the word after a position, if it is near.
fn word_start(text: &str, position: usize, most: usize) -> usize {
    if position == 0 || text[..position].ends_with(char::is_whitespace) {
        return position;
    }
    let near = &text[position..text.floor_char_boundary(position + most)];
    let space = near
        .char_indices()
        .find(|(_, character)| character.is_whitespace());
    space.map_or(position, |(place, character)| {
        position + place + character.len_utf8()
    })
}

/// Returns the end of the word before a position, if it is near.
fn word_end(text: &str, position: usize, after: usize) -> usize {
    if position >= text.len() || text[position..].starts_with(char::is_whitespace) {
        return position;
    }
    let near = text
        .ceil_char_boundary(position.saturating_sub(LEAD / 2))
        .max(after);
    let space = text[near..position].rfind(char::is_whitespace);
    space.map_or(position, |place| near + place)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn snippet(text: &str, question: &str) -> Snippet {
        Snippet::new(text, &QueryTerms::parse(question))
    }

    #[test]
    fn matches_are_shown_in_one_line() {
        let text = format!(
            "{}\n\tthe  broken\npipe was fixed. {}",
            "x ".repeat(200),
            "y ".repeat(200)
        );
        let found = snippet(&text, "fixing pipes");
        assert!(
            found.text.starts_with("…x ") && found.text.ends_with(" y…"),
            "{}",
            found.text
        );
        assert!(
            found.text.contains("x the broken pipe was fixed. y"),
            "{}",
            found.text
        );
        let words: Vec<_> = found
            .matches
            .iter()
            .map(|range| &found.text[range.clone()])
            .collect();
        assert_eq!(words, ["pipe", "fixed"]);
    }

    #[test]
    fn short_texts_are_whole() {
        let found = snippet(" 日本語の文書 ", "日本");
        assert_eq!(found.text, "日本語の文書");
        assert_eq!(found.matches.len(), 1);
    }

    proptest! {
        #[test]
        fn any_text_has_a_bounded_snippet(text in "[a-c日本\\n .é]{0,700}", question in "[a-c日本 \"]{0,12}") {
            let found = snippet(&text, &question);
            prop_assert!(found.text.len() <= WIDTH + LEAD + 6);
            for range in found.matches {
                prop_assert!(found.text.is_char_boundary(range.start) && found.text.is_char_boundary(range.end));
            }
        }
    }
}
