//! The evaluator of one text, and what its commands pass to one another.

use super::ast::WordNode;
use super::output::ProofOutput;

/// What is known of the text that a command reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamContent {
    /// Names of files, line by line.
    Listed,
    /// Names of files that are known to be no secrets, each ended by a zero byte.
    Named,
    /// Whole numbers.
    Number,
    /// Nothing.
    Unknown,
}

impl StreamContent {
    pub(super) fn is_listed(self) -> bool {
        matches!(self, Self::Listed | Self::Named)
    }
}

/// Follows one text.
pub(super) struct Evaluator<'e, 'a> {
    pub(super) text: &'a str,
    pub(super) documents: &'e [WordNode<'a>],
    pub(super) output: &'e mut ProofOutput,
}
