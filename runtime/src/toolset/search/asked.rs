//! What a question asks for, word by word, apart from the things that it only mentions.

use super::words::{each_word, normal};

/// How many words of a question are looked for.
const WORDS: usize = 48;

/// How much a word counts that is quoted or is a name: more likely an argument of the call than what is to be done.
const QUOTED: f32 = 0.4;
const NAMED: f32 = 0.6;

/// How much the kind of a thing counts that is written out: `https://…` is an address.
const KIND: f32 = 0.7;

/// A word, as a stem, and how much it counts.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) stem: String,
    pub(super) counts: f32,
}

/// Reads a question; each stem is there once.
pub(super) fn asked(question: &str) -> Vec<Asked> {
    let mut asked = Vec::new();
    let (mut quoted, mut begins) = (false, true);
    for piece in question.split_whitespace() {
        let opens = piece.starts_with(['"', '“', '«', '„']);
        let word = piece.trim_matches(|character: char| !character.is_alphanumeric() && character != '/');
        let counts = if quoted || opens {
            QUOTED
        } else if !begins && is_name(word) {
            NAMED
        } else {
            1.0
        };
        match kind(word) {
            Some(kinds) => kinds.iter().for_each(|kind| add(kind, KIND, &mut asked)),
            None => add(word, counts, &mut asked),
        }
        let closes = piece.trim_end_matches(['.', ',', '!', '?', ';', ':']).ends_with(['"', '”', '»', '“']);
        quoted = (quoted || opens) && !(closes && (quoted || piece.chars().count() > 1));
        begins = piece.ends_with(['.', '!', '?', ':', '\u{2026}']);
        if asked.len() >= WORDS {
            break;
        }
    }
    asked.truncate(WORDS);
    asked
}

fn add(text: &str, counts: f32, to: &mut Vec<Asked>) {
    each_word(text, WORDS, |word| {
        let stem = normal(word);
        match to.iter_mut().find(|asked| asked.stem == stem) {
            Some(asked) => asked.counts = asked.counts.max(counts),
            None => to.push(Asked { stem, counts }),
        }
    });
}

/// Says whether a word within a sentence is written as a name is; `PDF` is an abbreviation.
fn is_name(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_uppercase) && characters.any(char::is_lowercase)
}

/// Says what kind of thing is written out.
fn kind(word: &str) -> Option<&'static [&'static str]> {
    if word.contains("://") || word.starts_with("www.") {
        return Some(&["url", "web", "page"]);
    }
    if let Some((person, host)) = word.split_once('@') {
        return (!person.is_empty() && host.contains('.')).then_some(&["email", "address"]);
    }
    let (name, ending) = word.rsplit_once('.')?;
    let is_name = name.chars().any(char::is_alphabetic);
    let is_ending = (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_name || !is_ending || ending.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match ending {
        "com" | "org" | "net" | "io" | "dev" | "eu" | "gov" | "edu" => Some(&["domain", "site"]),
        "xlsx" | "xls" | "csv" | "ods" => Some(&["file", "spreadsheet"]),
        "jpg" | "jpeg" | "png" | "gif" | "webp" | "heic" => Some(&["file", "image"]),
        "mp3" | "wav" | "ogg" | "flac" | "m4a" => Some(&["file", "audio"]),
        "mp4" | "mov" | "mkv" | "avi" => Some(&["file", "video"]),
        "zip" | "tar" | "gz" | "7z" => Some(&["file", "archive"]),
        "doc" | "docx" | "pdf" | "odt" | "md" | "txt" => Some(&["file", "document"]),
        _ => Some(&["file"]),
    }
}
