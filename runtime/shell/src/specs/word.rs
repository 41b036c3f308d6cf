//! A word of a command, as far as its value is known.

use crate::name_list;

/// One word of a command, after quoting, known variables and braces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// The whole value, or its known beginning.
    pub(crate) text: String,
    /// Whether `text` is the whole value. Otherwise more follows: what a glob, an unknown variable or a substitution
    /// becomes.
    pub(crate) is_exact: bool,
    /// Whether an unquoted glob or expansion may become none or several words, each beginning with `text`.
    ///
    /// A splitting expansion has an empty `text`: its second word begins with anything.
    pub(crate) may_be_many: bool,
    /// Whether the word begins with a `~` that bash expands.
    pub(crate) is_tilde: bool,
    /// The whole pattern, where only `*`, `?` and `[…]` keep the word from being exact.
    pub(crate) pattern: Option<String>,
    /// Whether what is not known is a path that a listing of the same line names (`find … | xargs cat`), which was
    /// judged with the listing.
    pub(crate) is_listed: bool,
    /// Whether such a path reaches the program as it was listed. Otherwise blanks, quotes and ends of lines in the name
    /// of a file may have made another path of it, and only what says little of its files may be given it.
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

    /// Reports whether it is an option, or may become one: what splits, or has an empty beginning, begins with anything.
    pub(crate) fn may_be_option(&self) -> bool {
        self.text.starts_with('-') || self.text.is_empty() && !self.is_exact
    }

    /// Reports whether its value is known, and in a list of names.
    pub(crate) fn is_one_of(&self, list: &str) -> bool {
        self.is_exact && name_list::has(list, &self.text)
    }

    /// Returns the value, where it is known.
    pub(crate) fn known(&self) -> Option<&str> {
        self.is_exact.then_some(&*self.text)
    }
}
