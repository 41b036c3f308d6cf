//! The evaluator of a text, the content of streams between commands, and the output of the evaluation.

use std::ops::Range;

use super::ast::WordNode;
use super::evaluated::EvaluatedCommands;
use super::proven::ProvenCommand;
use crate::FileAccess;

/// The known properties of the text that a command reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamContent {
    /// Names of files, one on each line.
    Listed,
    /// Names of files that are known not to be secrets, each terminated by a NUL byte.
    Named,
    /// Whole numbers.
    Number,
    /// Unknown content.
    Unknown,
}

impl StreamContent {
    pub(super) fn is_listed(self) -> bool {
        matches!(self, Self::Listed | Self::Named)
    }
}

/// The evaluator of one text.
pub(super) struct Evaluator<'e, 'a> {
    pub(super) text: &'a str,
    pub(super) documents: &'e [WordNode<'a>],
    pub(super) output: &'e mut ProofOutput,
}

impl<'a> Evaluator<'_, 'a> {
    /// Returns the text of a range.
    pub(super) fn source(&self, span: &Range<usize>) -> &'a str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

/// The results so far.
#[derive(Default)]
pub(super) struct ProofOutput {
    pub(super) commands: Vec<ProvenCommand>,
    /// The files that redirections read.
    pub(super) file_accesses: Vec<FileAccess>,
    pub(super) evaluated: EvaluatedCommands,
    pub(super) steps: usize,
    pub(super) depth: usize,
    /// The nesting depth of substitutions.
    pub(super) inside: usize,
    pub(super) home: Option<String>,
    /// Whether a descriptor other than the standard input may be open on an input file: writing to the descriptor as a
    /// file (`2<f >/dev/stderr`) would write to the input file.
    pub(super) has_open_input: bool,
    /// Whether bash may reject an expansion of the line, which ends the line.
    pub(super) may_fail: bool,
}

impl ProofOutput {
    /// Adds a command. Equal commands of the iterations of a loop are added once.
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
