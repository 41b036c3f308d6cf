//! Tables of words.

use crate::name_list;

/// Words separated by blanks, which keeps long tables readable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordList(pub(crate) &'static str);

impl WordList {
    pub(crate) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split_ascii_whitespace()
    }

    pub(crate) fn contains(self, word: &str) -> bool {
        name_list::has(self.0, word)
    }
}
