//! The analysis of a command line, and its results.

use std::cell::Cell;
use std::collections::HashSet;

use crate::dangerous::DangerLevel;
use crate::facts::Confinement;
use crate::heuristics::analysis::{self, Finding, FindingKind};
use crate::heuristics::{command_facts, splitter};
use crate::proof::{self, EvaluatedCommand, Proof, ProvenCommand};
use crate::rules::{self, Pattern};
use crate::specs::{Effect, ProofError};
use crate::{AccessKind, Check, CommandPart, CommandReport, FileAccess, suggest};

/// The shell that runs a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Shell {
    /// The language of the shell.
    pub dialect: Dialect,
    /// Whether commands can write to a folder that the shell searches for programs.
    pub path_is_writable: bool,
}

/// The language of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// GNU bash.
    #[default]
    Bash,
    /// Another dialect, for which nothing is proven.
    Other,
}

impl Shell {
    /// Sets the dialect of the shell.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets whether commands can write to a folder that the shell searches for programs.
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

/// The analysis of a command line.
///
/// ```
/// # mod helve { pub mod permission { pub use helve_shell as shell; } }
/// # use helve_shell::Check;
/// use helve::permission::shell::{Analysis, Shell};
///
/// let analysis = Analysis::new("for f in *.rs; do wc -l \"$f\"; done", None, Shell::default());
/// assert_eq!(analysis.check().check, Check::ReadOnly);
/// ```
#[derive(Debug)]
pub struct Analysis {
    line: analysis::LineAnalysis,
    proof: Result<Proof, ProofError>,
    /// Pieces of the text that may be commands; used if there is no proof, or if a command may evaluate its words.
    pieces: Vec<String>,
}

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Returns the number of command lines that this thread has analysed.
pub(crate) fn count() -> u64 {
    COUNT.get()
}

impl Analysis {
    /// Analyses a command line; `home` is the user's home folder, if known.
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

    /// Returns the verdict, with the facts that it is based on.
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

    /// Returns the file accesses that the heuristic analysis found. A program that is not known to only read, or to
    /// only edit its operands, has an unknown effect on the paths among its arguments.
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

    /// Reports whether the command line only reads. Dangerous paths are not considered.
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
                blocking_check(unproven.0, DangerLevel::Risky, false, only)
            }
        }
    }

    /// Returns the most severe finding. A proof resolves findings that are only unclear.
    fn most_severe(&self) -> Option<&Finding> {
        let is_proven = self.proof.is_ok();
        let counts = move |finding: &&Finding| {
            !is_proven || matches!(finding.kind, FindingKind::Dangerous | FindingKind::Secret)
        };
        crate::heuristics::severity::most_severe(self.line.findings.iter().filter(counts))
    }

    /// Returns the commands, each followed by its alternative spellings, which serve deny rules.
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

    /// Returns for each of [`CommandReport::parts`] whether a rule covers it.
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
    /// Returns at most five rules, each for a program and its first argument. No rule is suggested that would allow
    /// another program to run, or for a command that no rule covers.
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

/// Creates the verdict that prevents a command line from running without approval.
fn blocking_check(reason: &str, severity: DangerLevel, safety: bool, part: Option<&str>) -> Check {
    let part = part.map(str::to_owned);
    match severity {
        DangerLevel::Fatal => Check::Deny {
            reason: format!("{reason}: no mode runs that"),
            part,
        },
        DangerLevel::Immune | DangerLevel::Risky => Check::Ask {
            reason: reason.to_owned(),
            safety: safety || severity == DangerLevel::Immune,
            in_bypass: severity == DangerLevel::Immune,
            part,
        },
    }
}
