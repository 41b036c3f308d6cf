//! The arguments of a command.

use crate::script::ScriptWord;

/// The arguments of a command, with helpers for queries.
pub(super) struct Arguments<'w, 'a>(pub(super) &'w [ScriptWord<'a>]);

impl<'w, 'a> Arguments<'w, 'a> {
    pub(super) fn texts(&self) -> impl Iterator<Item = &'w str> {
        self.0.iter().skip(1).map(|word| &*word.text)
    }

    pub(super) fn operands(&self) -> impl Iterator<Item = &'w str> {
        self.texts().filter(|text| !text.starts_with('-'))
    }

    /// Iterates over the operands: the words that are not options.
    pub(super) fn places(&self) -> impl Iterator<Item = &'w ScriptWord<'a>> {
        let words = self.0.iter().skip(1);
        words.filter(|word| !word.text.starts_with('-'))
    }

    /// Reports whether `rm` also removes the root folder (`--no-preserve-root`).
    pub(super) fn includes_root(&self) -> bool {
        self.texts()
            .any(|text| text.len() > 5 && "--no-preserve-root".starts_with(text))
    }

    pub(super) fn first(&self) -> &'w str {
        self.texts().next().unwrap_or_default()
    }

    /// Reports whether a short option occurs in any bundle, or a long option anywhere, possibly abbreviated.
    pub(super) fn has(&self, letters: &[char], long: &str) -> bool {
        self.texts().take_while(|text| *text != "--").any(|text| {
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            match text.strip_prefix("--") {
                Some(_) => !long.is_empty() && name.len() > 4 && long.starts_with(name),
                None => text.starts_with('-') && text[1..].contains(letters),
            }
        })
    }

    pub(super) fn has_word(&self, words: &[&str]) -> bool {
        self.texts().any(|text| words.contains(&text))
    }
}
