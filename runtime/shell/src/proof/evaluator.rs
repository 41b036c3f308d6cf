//! The evaluator of one text, and what its commands pass to one another.

use super::ast::Word;
use super::output::Output;

/// What is known of the text that a command reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Names of files, line by line.
    Listed,
    /// Names of files that are known to be no secrets, each ended by a zero byte.
    Named,
    /// Whole numbers.
    Number,
    /// Nothing.
    Unknown,
}

impl Source {
    pub(super) fn is_listed(self) -> bool {
        matches!(self, Self::Listed | Self::Named)
    }
}

/// Follows one text.
pub(super) struct Evaluator<'e, 'a> {
    pub(super) text: &'a str,
    pub(super) documents: &'e [Word<'a>],
    pub(super) output: &'e mut Output,
}
