//! One analysis of a command line, and what is asked of it.

use std::cell::Cell;
use std::collections::HashSet;

use crate::dangerous::Severity;
use crate::facts::Confinement;
use crate::heuristics::analysis::{self, Finding, FindingKind};
use crate::heuristics::{command_facts, splitter};
use crate::proof::{self, EvaluatedCommand, Proof, ProvenCommand};
use crate::rules::{self, Pattern};
use crate::specs::{Effect, ProofError};
use crate::{AccessKind, Check, CommandPart, CommandReport, FileAccess, suggest};

/// The shell that a command line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Shell {
    /// The language that it speaks.
    pub dialect: Dialect,
    /// Whether commands can write a folder in which it looks for programs.
    pub path_is_writable: bool,
}

/// The language of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// GNU bash.
    #[default]
    Bash,
    /// Another: what a text does there is not proven.
    Other,
}

impl Shell {
    /// Sets which language the shell speaks.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets whether commands can write a folder in which the shell looks for programs.
    #[must_use]
    pub const fn with_writable_path(mut self, is_writable: bool) -> Self {
        self.path_is_writable = is_writable;
        self
    }

    fn unproven(self) -> Option<ProofError> {
        if self.dialect != Dialect::Bash {
            return Some(ProofError("the shell is not bash"));
        }
        self.path_is_writable.then_some(ProofError(
            "commands can write where programs are looked for",
        ))
    }
}

/// A command line, analysed.
///
/// ```
/// use helve_shell::{Analysis, Check, Shell};
///
/// let analysis = Analysis::new("for f in *.rs; do wc -l \"$f\"; done", None, Shell::default());
/// assert_eq!(analysis.check().check, Check::ReadOnly);
/// ```
#[derive(Debug)]
pub struct Analysis {
    line: analysis::LineAnalysis,
    proof: Result<Proof, ProofError>,
    /// Pieces of the text that may be commands, where it is not proven which are, or a command may evaluate its words.
    pieces: Vec<String>,
}

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Returns how many command lines this thread has analysed.
pub(crate) fn count() -> u64 {
    COUNT.get()
}

impl Analysis {
    /// Analyses a command line; `home` is the user's folder, where it is known.
    #[must_use]
    pub fn new(command: &str, home: Option<&str>, shell: Shell) -> Self {
        COUNT.set(COUNT.get() + 1);
        let mut line = analysis::analyse(command, home);
        let proof = match shell.unproven() {
            Some(unproven) => Err(unproven),
            None => proof::prove(command, home),
        };
        let mut pieces = Vec::new();
        if proof.as_ref().map_or(true, Proof::is_opaque) {
            pieces = if proof.is_err() && (line.is_incomplete || splitter::is_needed(command)) {
                splitter::pieces(command)
            } else {
                splitter::substitution_pieces(command)
            };
            splitter::dangers(0, &pieces, home, &mut line);
        }
        if let Ok(proof) = &proof {
            let commands = proof.evaluated.iter();
            line.add(commands.map(EvaluatedCommand::as_command).collect(), home);
        }
        Self {
            line,
            proof,
            pieces,
        }
    }

    /// Returns the verdict, with what it is about.
    #[must_use]
    pub fn check(&self) -> CommandReport {
        let check = self.verdict();
        let confinement = if check == Check::ReadOnly {
            Confinement::ReadOnly
        } else {
            Confinement::None
        };
        let mut touches = self.finding_touches();
        if let Ok(proof) = &self.proof {
            let known: HashSet<(&str, AccessKind)> = self
                .line
                .touches
                .iter()
                .map(|touch| (&*touch.path, touch.kind))
                .collect();
            let new = proof
                .touches()
                .filter(|touch| !known.contains(&(&*touch.path, touch.kind)));
            touches.extend(new.cloned());
        }
        CommandReport {
            check,
            file_accesses: touches,
            parts: self.parts(),
            confinement,
        }
    }

    /// The places that were found. A program that is not known to only read, or to edit nothing but what it says, may do
    /// anything at the places that it is given.
    fn finding_touches(&self) -> Vec<FileAccess> {
        let acting: HashSet<&str> = match &self.proof {
            Ok(proof) => {
                let commands = proof.commands.iter();
                let acting = commands.filter(|command| command.effect == Effect::Acts);
                acting.map(|command| &*command.text).collect()
            }
            Err(_) => {
                let parts = self.line.parts.iter();
                let acting =
                    parts.filter(|part| part.effect == command_facts::CommandEffect::Other);
                acting.map(|part| &*part.text).collect()
            }
        };
        let settle = |mut touch: FileAccess| {
            let part = touch.part.as_deref();
            let is_of_actor = part.is_some_and(|part| acting.contains(part));
            if touch.kind == AccessKind::Read && is_of_actor {
                touch.kind = AccessKind::Unknown;
            }
            touch
        };
        self.line.touches.iter().cloned().map(settle).collect()
    }

    /// Reports whether the command line only reads, dangerous places aside.
    pub(crate) fn only_reads(&self) -> bool {
        self.verdict() == Check::ReadOnly
    }

    fn verdict(&self) -> Check {
        let part = |at: usize| self.line.parts.get(at).map(|part| &*part.text);
        if let Some(finding) = self.most_severe() {
            let (severity, safety) = (finding.severity(), finding.is_safety_question);
            return blocking_check(&finding.reason, severity, safety, part(finding.part));
        }
        match &self.proof {
            Ok(proof) => proof.check(),
            Err(unproven) => {
                let only = part(0).filter(|_| self.line.parts.len() == 1);
                blocking_check(unproven.0, Severity::Risky, false, only)
            }
        }
    }

    /// What weighs most against the command line. A proof answers what was only unclear.
    fn most_severe(&self) -> Option<&Finding> {
        let is_proven = self.proof.is_ok();
        let counts = move |finding: &&Finding| {
            !is_proven || matches!(finding.kind, FindingKind::Dangerous | FindingKind::Secret)
        };
        crate::heuristics::severity::most_severe(self.line.findings.iter().filter(counts))
    }

    /// The commands, each followed by the ways to read it that serve to deny.
    fn parts(&self) -> Vec<CommandPart> {
        let pair = |text: &str, read_only| {
            [read_only, true].map(|read_only| CommandPart {
                text: text.to_owned(),
                read_only,
            })
        };
        if let Ok(proof) = &self.proof {
            let commands = proof.commands.iter();
            let parts = commands.flat_map(|command| pair(&command.text, command.only_reads()));
            return parts.collect();
        }
        let parts = self.line.parts.iter();
        parts.flat_map(|part| pair(&part.text, false)).collect()
    }

    /// Returns what of the command line a rule covers, for each of [`CommandReport::parts`].
    #[must_use]
    pub fn covers(&self, rule: &str) -> Vec<bool> {
        let Some(pattern) = Pattern::parse(rule) else {
            return vec![false; self.parts().len()];
        };
        let touched: Vec<bool> = self
            .line
            .parts
            .iter()
            .map(|part| {
                part.is_unknown(self.proof.is_ok())
                    || part.spellings.iter().any(|text| pattern.touches(text))
            })
            .collect();
        let pieces = self.pieces.iter().any(|piece| pattern.touches(piece));
        let Ok(proof) = &self.proof else {
            let entries = touched.iter().enumerate();
            return entries
                .flat_map(|(at, touched)| [false, *touched || at == 0 && pieces])
                .collect();
        };
        let commands = &proof.commands;
        let mut denied: Vec<bool> = commands
            .iter()
            .map(|command| rules::touches(&pattern, command) || pieces && command.is_opaque)
            .collect();
        for (part, _) in self.line.parts.iter().zip(touched).filter(|(_, is)| *is) {
            let same = commands.iter().position(|own| own.text == part.text);
            let within = |own: &ProvenCommand| own.text.contains(&part.text);
            let at = same.or_else(|| commands.iter().position(within));
            if let Some(entry) = denied.get_mut(at.unwrap_or(0)) {
                *entry = true;
            }
        }
        let entries = commands.iter().zip(denied);
        entries
            .flat_map(|(command, denied)| [rules::allows(&pattern, command), denied])
            .collect()
    }

    /// Suggests rules that would cover the command line.
    ///
    /// At most five, each about a program and its first argument; none that would let another program run, and none
    /// for what no rule covers.
    #[must_use]
    pub fn suggestions(&self) -> Vec<String> {
        let prefixes = self.prefixes(suggest::MAX_SUGGESTIONS).into_iter();
        prefixes.map(|prefix| prefix + ":*").collect()
    }

    pub(crate) fn prefixes(&self, most: usize) -> Vec<String> {
        let proof = self.proof.as_ref().ok();
        proof.map(|proof| proof.prefixes(most)).unwrap_or_default()
    }
}

/// Writes the verdict that keeps a command line from running by itself.
fn blocking_check(reason: &str, severity: Severity, safety: bool, part: Option<&str>) -> Check {
    let part = part.map(str::to_owned);
    match severity {
        Severity::Fatal => Check::Deny {
            reason: format!("{reason}: no mode runs that"),
            part,
        },
        Severity::Immune | Severity::Risky => Check::Ask {
            reason: reason.to_owned(),
            safety: safety || severity == Severity::Immune,
            in_bypass: severity == Severity::Immune,
            part,
        },
    }
}
