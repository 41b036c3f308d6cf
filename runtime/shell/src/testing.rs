//! What tests of the whole need to see of the specs.

use crate::specs::{self, Effect, Word};

/// An option, or the operands, of a program that a spec names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecEntry {
    /// The words that choose the program: `ls`, or `git log`.
    pub program: String,
    /// What the operands are.
    pub operands: &'static str,
    /// What the option is said to do; `operands` for the program without options.
    pub kind: String,
    /// The option with its value, as words; each is one way to write it.
    pub spellings: Vec<Vec<String>>,
}

/// Returns every option that a spec names, and every program without one.
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
        for name in spec.long.split_ascii_whitespace() {
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

/// Returns calls of programs that no table of options covers, each with its program: they only read.
pub fn samples() -> impl Iterator<Item = (&'static str, String)> {
    specs::samples()
}

/// Returns the programs that a proven command line runs, with those that they start to do their own work.
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

/// Judges a command whose words are known: `reads`, `edits`, `acts`, `opaque`.
///
/// # Errors
///
/// Returns why where nothing is known of the command.
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

/// Returns how many command lines this thread has analysed.
#[must_use]
pub fn analyses() -> u64 {
    crate::verdict::count()
}

/// Reports whether a command line would be let through as one that only reads, were there no proof: by the analysis that
/// only serves denials and explanations. The oracle has to find out that it is wrong.
#[must_use]
pub fn only_reads_without_proof(command: &str) -> bool {
    let analysis = crate::heuristics::analysis::analyse(command, None);
    let reads = analysis
        .parts
        .iter()
        .all(|part| part.effect == crate::heuristics::command_facts::CommandEffect::Reads);
    reads && analysis.findings.is_empty() && !analysis.parts.is_empty()
}
