//! A command with a proven effect, and its spellings.

use super::state::touch_from;
use crate::FileAccess;
use crate::specs::{self, Effect};

/// One command of a command line, at any nesting depth.
#[derive(Debug)]
pub(crate) struct ProvenCommand {
    /// The text of the command; empty until the position of the command is known.
    pub(crate) text: String,
    pub(crate) spellings: Vec<Spelling>,
    pub(crate) effect: Effect,
    /// Whether only a rule with exactly this text covers the command.
    pub(crate) is_opaque: bool,
    pub(crate) file_accesses: Vec<FileAccess>,
    pub(crate) suggestion: Option<String>,
}

impl ProvenCommand {
    /// Creates a command that accesses no file and has no suggested rule.
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

    /// Sets the text of the command, and resolves its paths from each folder in which the command may run.
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

/// One spelling of a command, which rules are matched against.
#[derive(Debug, Clone)]
pub(crate) struct Spelling {
    pub(crate) text: String,
    /// The length of the prefix that consists of known words without blanks, in bytes.
    pub(crate) known: usize,
    /// Whether the whole text is known.
    pub(crate) is_exact: bool,
    /// The length of the prefix that a rule must name, in bytes: up to and including the program behind a wrapper.
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
            // A `~` that the shell does not expand is an ordinary character.
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
