//! The evaluator of one text, what its commands pass to one another, and what is found on the way.

use std::ops::Range;

use super::ast::WordNode;
use super::evaluated::EvaluatedCommands;
use super::proven::ProvenCommand;
use crate::FileAccess;

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

impl<'a> Evaluator<'_, 'a> {
    /// Returns what stands at a place of the text.
    pub(super) fn source(&self, span: &Range<usize>) -> &'a str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

/// What was found so far.
#[derive(Default)]
pub(super) struct ProofOutput {
    pub(super) commands: Vec<ProvenCommand>,
    /// What redirections read.
    pub(super) file_accesses: Vec<FileAccess>,
    pub(super) evaluated: EvaluatedCommands,
    pub(super) steps: usize,
    pub(super) depth: usize,
    /// How many substitutions are around what is looked at.
    pub(super) inside: usize,
    pub(super) home: Option<String>,
    /// Whether a descriptor other than the input may be open on what is read: to write to it as to a file
    /// (`2<f >/dev/stderr`) would write to what is read.
    pub(super) has_open_input: bool,
    /// Whether an expansion of the line may be refused by bash, which ends the line.
    pub(super) may_fail: bool,
}

impl ProofOutput {
    /// Adds a command; of the rounds of a loop that do the same one is enough.
    pub(super) fn push(&mut self, mut proven: ProvenCommand) {
        if self.inside > 0 {
            proven.suggestion = None;
        }
        let mut last = self.commands.iter().rev().take(64);
        if !last.any(|known| known.is_same(&proven)) {
            self.commands.push(proven);
        }
    }
}
