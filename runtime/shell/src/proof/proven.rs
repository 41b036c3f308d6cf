//! A command of which it is proven what it does, and the ways to write it.

use crate::FileAccess;
use crate::specs::{self, Effect};

/// One command of a command line, at whatever depth.
#[derive(Debug)]
pub(crate) struct ProvenCommand {
    /// As it is written.
    pub(super) text: String,
    pub(super) spellings: Vec<Spelling>,
    pub(super) effect: Effect,
    /// Whether only a rule with exactly this text covers it.
    pub(super) is_opaque: bool,
    pub(super) file_accesses: Vec<FileAccess>,
    pub(super) suggestion: Option<String>,
}

impl ProvenCommand {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn spellings(&self) -> &[Spelling] {
        &self.spellings
    }

    pub(crate) fn effect(&self) -> Effect {
        self.effect
    }

    pub(crate) fn only_reads(&self) -> bool {
        self.effect == Effect::Reads
    }

    pub(crate) fn is_opaque(&self) -> bool {
        self.is_opaque
    }

    pub(crate) fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.text == other.text
            && self.effect == other.effect
            && self.is_opaque == other.is_opaque
            && self.file_accesses == other.file_accesses
            && self.spellings.len() == other.spellings.len()
            && self
                .spellings
                .iter()
                .zip(&other.spellings)
                .all(|(one, another)| one.text == another.text && one.named == another.named)
    }
}

/// One way to write a command, which a rule is held against.
#[derive(Debug, Clone)]
pub(crate) struct Spelling {
    pub(crate) text: String,
    /// How many bytes of it are words that are known, each without blanks.
    pub(crate) known: usize,
    /// Whether all of it is known.
    pub(crate) is_exact: bool,
    /// How many bytes of it a rule has to name: up to the program behind a wrapper.
    pub(crate) named: usize,
}

impl Spelling {
    pub(super) fn from_words(words: &[specs::Word]) -> Self {
        let mut text = String::with_capacity(64);
        let mut known = None;
        for (at, word) in words.iter().enumerate() {
            let before = text.len();
            if at > 0 {
                text.push(' ');
            }
            // A `~` that the shell does not replace is a name like any other.
            if word.text.starts_with('~') && !word.is_tilde {
                text.push_str("./");
            }
            text.push_str(&word.text);
            if !word.is_exact || word.text.contains([' ', '\t', '\n']) {
                known.get_or_insert(before);
            }
        }
        Self {
            known: known.unwrap_or(text.len()),
            is_exact: words.iter().all(|word| word.is_exact),
            text,
            named: 0,
        }
    }

    pub(super) fn from_text(text: String, named: usize) -> Self {
        Self {
            known: text.len(),
            is_exact: true,
            text,
            named,
        }
    }
}
