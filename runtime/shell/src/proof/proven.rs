//! A command of which it is proven what it does, and the ways to write it.

use super::state::touch_from;
use crate::FileAccess;
use crate::specs::{self, Effect};

/// One command of a command line, at whatever depth.
#[derive(Debug)]
pub(crate) struct ProvenCommand {
    /// As it is written; empty until it is known where the command stands.
    pub(crate) text: String,
    pub(crate) spellings: Vec<Spelling>,
    pub(crate) effect: Effect,
    /// Whether only a rule with exactly this text covers it.
    pub(crate) is_opaque: bool,
    pub(crate) file_accesses: Vec<FileAccess>,
    pub(crate) suggestion: Option<String>,
}

impl ProvenCommand {
    /// Creates a command that touches no file and that no rule is suggested for.
    pub(super) fn new(effect: Effect, spelling: Spelling) -> Self {
        Self {
            text: String::new(),
            spellings: vec![spelling],
            effect,
            is_opaque: false,
            file_accesses: Vec::new(),
            suggestion: None,
        }
    }

    /// Puts the command where it stands: names its text, and sees its places from each folder that it may run in.
    pub(super) fn placed(mut self, text: &str, folders: &[String]) -> Self {
        let mut accesses = Vec::new();
        for access in self.file_accesses {
            touch_from(folders, access, text, &mut accesses);
        }
        self.file_accesses = accesses;
        self.text = text.to_owned();
        self
    }

    pub(crate) fn only_reads(&self) -> bool {
        self.effect == Effect::Reads
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

    pub(super) fn from_text(text: &str) -> Self {
        Self {
            known: text.len(),
            is_exact: true,
            text: text.to_owned(),
            named: 0,
        }
    }
}
