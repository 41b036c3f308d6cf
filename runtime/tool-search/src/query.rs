//! The terms of a query, word by word.

use super::related::stem_graph;
use super::words::{each_word, normal};

/// The maximum number of terms of a query.
const MAX_WORDS: usize = 48;

/// The weight of the kind of a literal value: `https://…` is an address.
const KIND: f32 = 0.7;

/// The weight of a phrase whose words have no meaning of their own, such as "turn off".
const PHRASE: f32 = 0.7;

/// The maximum distance between the words of a phrase, as in "turn the big lamp off".
const MAX_PHRASE_GAP: usize = 4;

/// The last words of these phrases.
const LAST: [&str; 20] = [
    "again", "away", "back", "down", "far", "for", "in", "know", "long", "many", "much", "off",
    "often", "on", "out", "over", "sure", "through", "together", "up",
];

/// The weight of a word that is common in conversations but not in descriptions, where it would count as a rare word.
const COMMON_WORD_WEIGHT: f32 = 0.3;

/// These common words: of time, of persons, of degree, of conversation itself.
#[rustfmt::skip]
const COMMON_WORDS: &[&str] = &[
    "actually", "afternoon", "ago", "almost", "already", "always", "anybody", "anyone", "april",
    "around", "ask", "august", "aunt", "away", "bad", "believe", "best", "better", "big", "bit",
    "boss", "brother", "came", "case", "certainly", "colleague", "come", "comes", "coming",
    "couple", "cousin", "dad", "daughter", "day", "days", "dear", "december", "early", "eight",
    "else", "even", "evening", "ever", "everybody", "everyone", "everything", "exactly", "father",
    "february", "finally", "fine", "first", "five", "four", "friday", "friend", "friends", "fun",
    "good", "grandma", "grandpa", "great", "guess", "guy", "guys", "half", "happen", "happened",
    "happens", "hope", "hour", "hours", "hundred", "husband", "january", "july", "june", "keep",
    "kind", "know", "last", "late", "lately", "later", "least", "left", "little", "live", "long",
    "look", "looks", "lot", "lots", "man", "march", "maybe", "million", "mine", "minute", "minutes",
    "mom", "monday", "month", "months", "morning", "mother", "mum", "never", "new", "next", "nice",
    "night", "nine", "nobody", "noon", "nothing", "november", "now", "october", "often", "old",
    "part", "people", "perhaps", "person", "place", "pretty", "previous", "probably", "quite",
    "rather", "ready", "real", "right", "said", "saturday", "say", "says", "second", "see", "seem",
    "seems", "september", "seven", "simply", "since", "sister", "six", "small", "somewhere", "son",
    "soon", "sorry", "sort", "still", "straight", "stuff", "sunday", "sure", "ten", "think",
    "third", "thousand", "three", "thursday", "time", "times", "today", "together", "tomorrow",
    "tonight", "tried", "tries", "true", "try", "trying", "tuesday", "two", "uncle", "usually",
    "wait", "way", "wednesday", "week", "weekend", "weeks", "whole", "wife", "wish", "woman",
    "wrong", "year", "years", "yesterday", "yet",
];

/// A stem and its weight.
#[derive(Debug, PartialEq)]
pub(super) struct QueryTerm {
    pub(super) stem: String,
    pub(super) weight: f32,
}

/// Parses a query into terms with distinct stems.
pub(super) fn parse_query(question: &str) -> Vec<QueryTerm> {
    let mut asked = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for piece in question.split_whitespace() {
        if asked.len() >= MAX_WORDS {
            break;
        }
        let is_around = |character: char| !character.is_alphanumeric() && character != '/';
        let word = piece.trim_matches(is_around);
        if let Some(kinds) = kind(word) {
            kinds.iter().for_each(|kind| add(kind, KIND, &mut asked));
            continue;
        }
        add(word, 1.0, &mut asked);
        let word = word.to_lowercase();
        if LAST.contains(&&*word) {
            let phrases = before.iter().rev().take(MAX_PHRASE_GAP);
            let mut phrases = phrases.map(|first| format!("{}_{word}", normal(first)));
            if let Some(phrase) = phrases.find(|phrase| stem_graph().ids.contains_key(phrase)) {
                put(phrase, PHRASE, &mut asked);
            }
        }
        before.push(word);
        if piece.ends_with(['.', '!', '?']) {
            before.clear();
        }
    }
    asked.truncate(MAX_WORDS);
    asked
}

fn add(text: &str, counts: f32, to: &mut Vec<QueryTerm>) {
    each_word(text, MAX_WORDS, |word| {
        // A number is an argument, not a search term.
        if !word.bytes().all(|byte| byte.is_ascii_digit()) {
            let weight = match COMMON_WORDS.binary_search(&word) {
                Ok(_) => counts * COMMON_WORD_WEIGHT,
                Err(_) => counts,
            };
            put(normal(word), weight, to);
        }
    });
}

fn put(stem: String, weight: f32, to: &mut Vec<QueryTerm>) {
    match to.iter_mut().find(|asked| asked.stem == stem) {
        Some(asked) => asked.weight = asked.weight.max(weight),
        None => to.push(QueryTerm { stem, weight }),
    }
}

fn kind(word: &str) -> Option<&'static [&'static str]> {
    if word.contains("://") || word.starts_with("www.") {
        return Some(&["url", "web", "page"]);
    }
    if let Some((person, host)) = word.split_once('@') {
        return (!person.is_empty() && host.contains('.')).then_some(&["email", "address"]);
    }
    let (name, ending) = word.rsplit_once('.')?;
    let is_ending = (1..=5).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !ending.bytes().all(|byte| byte.is_ascii_digit());
    if !is_ending || !name.chars().any(char::is_alphabetic) {
        return None;
    }
    Some(match ending {
        "com" | "dev" | "edu" | "eu" | "gov" | "io" | "net" | "org" => &["domain", "site"],
        "csv" | "ods" | "xls" | "xlsx" => &["file", "spreadsheet"],
        "gif" | "heic" | "jpeg" | "jpg" | "png" | "webp" => &["file", "image"],
        "flac" | "m4a" | "mp3" | "ogg" | "wav" => &["file", "audio"],
        "avi" | "mkv" | "mov" | "mp4" => &["file", "video"],
        "7z" | "gz" | "tar" | "zip" => &["file", "archive"],
        "doc" | "docx" | "md" | "odt" | "pdf" | "txt" => &["file", "document"],
        _ => &["file"],
    })
}
