//! The proof that a command line does what it seems to do.
//!
//! A proof exists where a strict grammar reads the whole text, and a specification is there for each program with each of
//! its options. Nothing else constructs a verdict that lets a command line run: what cannot be proven asks.
//!
//! What bash does is the truth here. Where bash reads a text in more ways than one, where versions of bash differ, and
//! where the meaning of a word depends on what is not in the text, there is no proof.

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

/// What a command line does, for certain.
#[derive(Debug)]
pub(crate) struct Proof {
    pub(crate) commands: Vec<ProvenCommand>,
    file_accesses: Vec<FileAccess>,
    /// The simple commands with the words that they get, behind all quotes, variables and braces.
    pub(crate) evaluated: Vec<EvaluatedCommand>,
}

impl Proof {
    /// Returns the beginnings of rules that would cover the command line.
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

    /// Reports whether one of the commands does what only its whole text says.
    pub(crate) fn is_opaque(&self) -> bool {
        self.commands.iter().any(|command| command.is_opaque)
    }

    /// Goes through the places that are read and written.
    pub(crate) fn touches(&self) -> impl Iterator<Item = &FileAccess> {
        let commands = self.commands.iter();
        let of_commands = commands.flat_map(|command| &command.file_accesses);
        of_commands.chain(&self.file_accesses)
    }

    /// Returns the verdict that the proof is about.
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

/// Proves what a command line does.
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

/// Reports whether a place is a device, or what a process has open: to write there is to write to something else, of
/// which the path says nothing.
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

/// The place that is edited: what a pattern matches lies in the folder before its first wildcard.
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
