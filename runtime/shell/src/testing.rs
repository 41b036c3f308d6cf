//! Access to the specs for integration tests.

use crate::specs::{self, Effect, Word};

/// An option, or the operands, of a program with a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecEntry {
    /// The words that identify the program: `ls`, or `git log`.
    pub program: String,
    /// The kind of the operands.
    pub operands: &'static str,
    /// The effect of the option; `operands` for the program without options.
    pub kind: String,
    /// The spellings of the option with its value, each as a list of words.
    pub spellings: Vec<Vec<String>>,
}

/// Returns all options of all specs, and each program without options.
#[must_use]
pub fn specs() -> Vec<SpecEntry> {
    let mut entries = Vec::new();
    specs::each_spec(|before, spec| {
        let program = format!("{before} {}", spec.name).trim_start().to_owned();
        let operands = spec.operands.name();
        let mut add = |kind: String, spellings: Vec<Vec<String>>| {
            entries.push(SpecEntry {
                program: program.clone(),
                operands,
                kind,
                spellings,
            });
        };
        add("operands".to_owned(), vec![Vec::new()]);
        for letter in spec.flags.chars() {
            add("flag".to_owned(), vec![vec![format!("-{letter}")]]);
        }
        for name in spec.long.iter() {
            add("flag".to_owned(), vec![vec![format!("--{name}")]]);
        }
        if spec.takes_number {
            add("number".to_owned(), vec![vec!["-2".to_owned()]]);
        }
        for opt in spec.options {
            let kind = format!("{:?}", opt.effect).to_lowercase();
            add(kind, opt.spellings());
        }
    });
    entries
}

/// Returns read-only calls of programs that no table of options covers, each with its program.
pub fn samples() -> impl Iterator<Item = (&'static str, String)> {
    specs::samples()
}

/// Returns the programs that a proven command line runs, including the helper programs that they start.
#[must_use]
pub fn programs(command: &str) -> Vec<String> {
    let proof = crate::proof::prove(command, Some("/home/u"));
    let commands = proof.map_or_else(|_| Vec::new(), |proof| proof.commands);
    let mut programs: Vec<String> = Vec::new();
    for spelling in commands.iter().flat_map(|command| &command.spellings) {
        let first = spelling.text.split(' ').next().unwrap_or_default();
        let name = first.rsplit('/').next().unwrap_or_default();
        let helpers = specs::helpers(name).iter().copied();
        programs.extend(helpers.chain([name]).map(str::to_owned));
    }
    programs
}

/// Judges a command with known words: returns `reads`, `edits`, `acts` or `opaque`.
///
/// # Errors
///
/// Returns the reason if nothing is known of the command.
pub fn judge(words: &[&str]) -> Result<&'static str, &'static str> {
    let words: Vec<Word> = words.iter().map(|text| Word::from_text(*text)).collect();
    specs::judge(&words)
        .map(|judged| match judged.effect {
            _ if judged.is_opaque => "opaque",
            Effect::Reads => "reads",
            Effect::Edits => "edits",
            Effect::Acts => "acts",
        })
        .map_err(|why| why.0)
}

/// Returns the number of command lines that this thread has analysed.
#[must_use]
pub fn analyses() -> u64 {
    crate::verdict::count()
}

/// Reports whether the heuristic analysis alone would classify a command line as one that only reads. The heuristic
/// analysis only serves denials and explanations, and the oracle has to detect its mistakes.
#[must_use]
pub fn only_reads_without_proof(command: &str) -> bool {
    let analysis = crate::heuristics::analysis::analyse(command, None);
    let reads = analysis
        .parts
        .iter()
        .all(|part| part.effect == crate::heuristics::command_facts::CommandEffect::Reads);
    reads && analysis.findings.is_empty() && !analysis.parts.is_empty()
}
