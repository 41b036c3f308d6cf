//! What is found while a text is followed.

use crate::FileAccess;

use super::evaluated::EvaluatedCommands;
use super::proven::ProvenCommand;

/// What was found so far.
#[derive(Default)]
pub(super) struct ProofOutput {
    pub(super) commands: Vec<ProvenCommand>,
    /// What redirections read.
    pub(super) touches: Vec<FileAccess>,
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
        let is_known = self
            .commands
            .iter()
            .rev()
            .take(64)
            .any(|known| known.is_same(&proven));
        if !is_known {
            self.commands.push(proven);
        }
    }
}
