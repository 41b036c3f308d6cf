//! A word of a command, with the known part of its value.

use crate::name_list::NameList;

/// A word of a command after quotes, known variables and braces were expanded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// The whole value, or its known beginning.
    pub(crate) text: String,
    /// Whether `text` is the whole value. Otherwise the result of a glob, an unknown variable or a substitution
    /// follows.
    pub(crate) is_exact: bool,
    /// Whether an unquoted glob or expansion may become no word or several words, each beginning with `text`.
    ///
    /// For an expansion that is split into words, `text` is empty: the second word may begin with any text.
    pub(crate) may_be_many: bool,
    /// Whether the word begins with a `~` that bash expands.
    pub(crate) is_tilde: bool,
    /// The whole pattern, if the word is inexact only because of `*`, `?` and `[…]`.
    pub(crate) pattern: Option<String>,
    /// Whether the unknown part is a path from a listing of the same line (`find … | xargs cat`), which was judged with
    /// the listing.
    pub(crate) is_listed: bool,
    /// Whether a listed path reaches the program unchanged. Otherwise blanks, quotes and line breaks in the name of a
    /// file may have changed the path, and only programs that reveal little of their files may receive the path.
    pub(crate) is_whole: bool,
}

impl Word {
    /// Creates a word whose value is known.
    pub(crate) fn from_text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_exact: true,
            ..Self::default()
        }
    }

    /// Creates a word of which only the beginning is known.
    pub(crate) fn with_known_prefix(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Reports whether the word is or may become an option: a word that is split, or whose known beginning is empty,
    /// may begin with any text.
    pub(crate) fn may_be_option(&self) -> bool {
        self.text.starts_with('-') || self.text.is_empty() && !self.is_exact
    }

    /// Reports whether the value is known and contained in a list of names.
    pub(crate) fn is_one_of(&self, list: NameList) -> bool {
        self.is_exact && list.has(&self.text)
    }

    /// Returns the value, if known.
    pub(crate) fn known(&self) -> Option<&str> {
        self.is_exact.then_some(&*self.text)
    }
}
