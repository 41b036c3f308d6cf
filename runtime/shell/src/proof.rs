//! Proofs of the effects of command lines.
//!
//! A proof exists if the strict grammar accepts the whole text, and a specification exists for each program and each of
//! its options. Only a proof yields a verdict that allows a command line to run; a command line without a proof needs
//! approval.
//!
//! The behavior of bash is the reference. There is no proof if bash parses a text in more than one way, if versions of
//! bash differ, or if the meaning of a word depends on anything outside the text.

mod arithmetic;
mod ast;
mod builtins;
mod call;
mod evaluate;
mod evaluated;
mod evaluator;
mod expand;
mod grammar;
mod heredoc;
mod listing;
mod parser;
mod proven;
mod redirects;
mod state;
mod words;

use crate::paths::{is_below, normalize};
use crate::specs::{Effect, ProofError};
use crate::{Check, FileAccess};

pub(crate) use self::evaluated::EvaluatedCommand;
use self::evaluator::{Evaluator, ProofOutput};
pub(crate) use self::proven::{ProvenCommand, Spelling};

/// The proven effect of a command line.
#[derive(Debug)]
pub(crate) struct Proof {
    pub(crate) commands: Vec<ProvenCommand>,
    file_accesses: Vec<FileAccess>,
    /// The simple commands with their words after quoting, variables and braces were expanded.
    pub(crate) evaluated: Vec<EvaluatedCommand>,
}

impl Proof {
    /// Returns the prefixes of rules that would cover the command line.
    pub(crate) fn prefixes(&self, most: usize) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for suggestion in self
            .commands
            .iter()
            .filter_map(|own| own.suggestion.as_ref())
        {
            if found.len() < most && !found.contains(suggestion) {
                found.push(suggestion.clone());
            }
        }
        found
    }

    /// Reports whether one of the commands is opaque: only a rule with its whole text covers it.
    pub(crate) fn is_opaque(&self) -> bool {
        self.commands.iter().any(|command| command.is_opaque)
    }

    /// Iterates over the paths that are read and written.
    pub(crate) fn touches(&self) -> impl Iterator<Item = &FileAccess> {
        let commands = self.commands.iter();
        let of_commands = commands.flat_map(|command| &command.file_accesses);
        of_commands.chain(&self.file_accesses)
    }

    /// Returns the verdict that the proof supports.
    pub(crate) fn check(&self) -> Check {
        let effect = self.commands.iter().map(|command| command.effect).max();
        match effect {
            None | Some(Effect::Reads) => Check::ReadOnly,
            Some(Effect::Acts) => Check::Pass,
            Some(Effect::Edits) => {
                let written = self
                    .touches()
                    .filter(|touch| touch.kind == crate::AccessKind::Write);
                Check::Edit {
                    paths: written.map(edited_place).collect(),
                }
            }
        }
    }
}

/// Proves the effect of a command line.
pub(crate) fn prove(text: &str, home: Option<&str>) -> Result<Proof, ProofError> {
    let mut output = ProofOutput {
        home: home.map(str::to_owned),
        ..ProofOutput::default()
    };
    Evaluator::script(&mut output, text, &[])?;
    if output.commands.is_empty() {
        if text.trim().is_empty() {
            return Err(ProofError("there is no command"));
        }
        let spelling = Spelling::from_text(text.trim());
        let command = ProvenCommand::new(Effect::Reads, spelling);
        output.commands.push(command.placed(text.trim(), &[]));
    }
    let proof = Proof {
        commands: output.commands,
        file_accesses: output.file_accesses,
        evaluated: output.evaluated.list,
    };
    if proof.touches().any(writes_device) {
        return Err(ProofError("it writes to a device"));
    }
    Ok(proof)
}

/// Reports whether a path is a device or an open file of a process. Writing there writes to something that the path
/// does not identify.
fn writes_device(touch: &FileAccess) -> bool {
    if touch.kind != crate::AccessKind::Write || !touch.path.starts_with('/') {
        return false;
    }
    let path = normalize(&touch.path);
    is_below(&path, "/proc")
        || is_below(&path, "/dev")
            && !matches!(&*path, "/dev/null" | "/dev/zero" | "/dev/full" | "/dev/tty")
            && !path.starts_with("/dev/shm/")
}

/// Returns the edited path. For a pattern, this is the folder before the first wildcard, in which all matches lie.
fn edited_place(touch: &FileAccess) -> String {
    if !touch.is_pattern {
        return touch.path.clone();
    }
    let known = touch.path.split(['*', '?', '[']).next().unwrap_or_default();
    match known.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/"),
        None => ".".to_owned(),
    }
}
