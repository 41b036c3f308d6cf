//! One analysis of a command line, and what is asked of it.

use std::cell::Cell;
use std::collections::HashSet;

use crate::dangerous::Severity;
use crate::facts::Confinement;
use crate::find::analysis::{self, Finding, Layer};
use crate::find::{command_facts, splitter};
use crate::proof::{self, Evaluated, Proof};
use crate::rules::{self, Pattern};
use crate::specs::{Effect, Unproven};
use crate::{Access, Check, Checked, Part, Touch, suggest};

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
    /// Says which language the shell speaks.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Says whether commands can write a folder in which the shell looks for programs.
    #[must_use]
    pub const fn with_writable_path(mut self, is_writable: bool) -> Self {
        self.path_is_writable = is_writable;
        self
    }

    fn unproven(self) -> Option<Unproven> {
        if self.dialect != Dialect::Bash {
            return Some(Unproven("the shell is not bash"));
        }
        self.path_is_writable
            .then_some(Unproven("commands can write where programs are looked for"))
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
    proof: Result<Proof, Unproven>,
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
                splitter::substituted(command)
            };
            splitter::dangers(0, &pieces, home, &mut line);
        }
        if let Ok(proof) = &proof {
            let commands = proof.evaluated().iter();
            line.add(commands.map(Evaluated::as_command).collect(), home);
        }
        Self {
            line,
            proof,
            pieces,
        }
    }

    /// Returns the verdict, with what it is about.
    #[must_use]
    pub fn check(&self) -> Checked {
        let check = self.verdict();
        let confinement = if check == Check::ReadOnly {
            Confinement::ReadOnly
        } else {
            Confinement::None
        };
        let mut touches = self.finding_touches();
        if let Ok(proof) = &self.proof {
            let known: HashSet<(&str, Access)> = self
                .line
                .touches
                .iter()
                .map(|touch| (&*touch.path, touch.access))
                .collect();
            let new = proof
                .touches()
                .filter(|touch| !known.contains(&(&*touch.path, touch.access)));
            touches.extend(new.cloned());
        }
        Checked {
            check,
            touches,
            parts: self.parts(),
            confinement,
        }
    }

    /// The places that were found. A program that is not known to only read, or to edit nothing but what it says, may do
    /// anything at the places that it is given.
    fn finding_touches(&self) -> Vec<Touch> {
        let acting: HashSet<&str> = match &self.proof {
            Ok(proof) => {
                let commands = proof.commands().iter();
                let acting = commands.filter(|command| command.effect() == Effect::Acts);
                acting.map(proof::Proven::text).collect()
            }
            Err(_) => {
                let parts = self.line.parts.iter();
                let acting = parts.filter(|part| part.effect == command_facts::Effect::Acts);
                acting.map(|part| &*part.text).collect()
            }
        };
        let settle = |mut touch: Touch| {
            let part = touch.part.as_deref();
            let is_of_actor = part.is_some_and(|part| acting.contains(part));
            if touch.access == Access::Read && is_of_actor {
                touch.access = Access::Unknown;
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
        let finding = self.worst();
        match &self.proof {
            Ok(proof) => match finding {
                Some(finding) => self.stopped_by(finding),
                None => proof.check(),
            },
            Err(unproven) => match finding {
                Some(finding) => self.stopped_by(finding),
                None => {
                    let part = match &*self.line.parts {
                        [part] => Some(&*part.text),
                        _ => None,
                    };
                    stopped(unproven.0, Severity::Risky, false, part)
                }
            },
        }
    }

    fn stopped_by(&self, finding: &Finding) -> Check {
        let part = self.line.parts.get(finding.part);
        let part = part.map(|part| &*part.text);
        stopped(&finding.reason, finding.severity(), finding.safety, part)
    }

    /// What weighs most against the command line. A proof answers what was only unclear.
    pub(crate) fn worst(&self) -> Option<&Finding> {
        let is_proven = self.proof.is_ok();
        let counts = move |finding: &&Finding| {
            !is_proven || matches!(finding.layer, Layer::Dangerous | Layer::Secret)
        };
        crate::find::judgement::worst(self.line.findings.iter().filter(counts))
    }

    /// The commands, each followed by the ways to read it that serve to deny.
    fn parts(&self) -> Vec<Part> {
        let pair = |text: &str, read_only| {
            [read_only, true].map(|read_only| Part {
                text: text.to_owned(),
                read_only,
            })
        };
        match &self.proof {
            Ok(proof) => {
                let commands = proof.commands().iter();
                commands
                    .flat_map(|command| pair(command.text(), command.only_reads()))
                    .collect()
            }
            Err(_) => {
                let parts = self.line.parts.iter();
                parts.flat_map(|part| pair(&part.text, false)).collect()
            }
        }
    }

    /// Says what of the command line a rule covers, for each of [`Checked::parts`].
    #[must_use]
    pub fn covers(&self, rule: &str) -> Vec<bool> {
        let Some(pattern) = Pattern::parse(rule) else {
            return vec![false; self.parts().len()];
        };
        let touched: Vec<bool> = self
            .line
            .parts
            .iter()
            .map(|part| part.is_unknown(self.proof.is_ok()) || rules::touches_part(&pattern, part))
            .collect();
        let pieces = self.pieces.iter().any(|piece| pattern.touches(piece));
        let Ok(proof) = &self.proof else {
            let entries = touched.iter().enumerate();
            return entries
                .flat_map(|(at, touched)| [false, *touched || at == 0 && pieces])
                .collect();
        };
        let commands = proof.commands();
        let mut denied: Vec<bool> = commands
            .iter()
            .map(|command| rules::touches(&pattern, command) || pieces && command.is_opaque())
            .collect();
        for (part, _) in self.line.parts.iter().zip(touched).filter(|(_, is)| *is) {
            let same = commands.iter().position(|own| own.text() == part.text);
            let at = same
                .or_else(|| {
                    commands
                        .iter()
                        .position(|own| own.text().contains(&part.text))
                })
                .unwrap_or(0);
            if let Some(entry) = denied.get_mut(at) {
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
        let prefixes = self.prefixes(suggest::MOST);
        prefixes
            .iter()
            .map(|prefix| suggest::rule(prefix))
            .collect()
    }

    pub(crate) fn prefixes(&self, most: usize) -> Vec<String> {
        let proof = self.proof.as_ref().ok();
        proof.map(|proof| proof.prefixes(most)).unwrap_or_default()
    }
}

/// Writes the verdict that keeps a command line from running by itself.
fn stopped(reason: &str, severity: Severity, safety: bool, part: Option<&str>) -> Check {
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
