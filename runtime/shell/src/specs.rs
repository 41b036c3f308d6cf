//! What programs do with their arguments, as far as it is known for certain.
//!
//! A spec lists what is known of a program: its options, what their values are, what its operands are. What a spec does
//! not name is not proven, whatever it looks like: an unlisted option, an abbreviation of a long option, a sub-command,
//! a word that is not known before the line runs and could be an option.
//!
//! The oracle (`tests/oracle`) runs every entry in a sandbox: nothing else is started, and nothing is written. What no run
//! of it covers is not listed.

mod awk;
mod builtins;
mod checksums;
mod common;
mod editors;
mod files;
mod find;
mod getopt;
mod git;
mod interpreters;
mod judged;
mod machine;
mod runners;
mod search;
mod sed;
mod special;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod word;
mod wrappers;

pub(crate) use judged::{CommandJudgement, Effect, InnerCommand, ProofError};
pub(crate) use runners::always_runs;
pub(crate) use word::Word;

use crate::{name_list, paths};

/// Returns what a command does; the first word is the program.
pub(crate) fn judge(words: &[Word]) -> Result<CommandJudgement, ProofError> {
    let Some(path) = words.first().and_then(Word::known) else {
        return Err(ProofError("the program is not known before it runs"));
    };
    if words[0].is_tilde {
        return Ok(CommandJudgement::new_acting());
    }
    let Some(program) = program_name(path) else {
        // A program of a folder that anybody may write to is not the one that has its name.
        return Ok(CommandJudgement::new_acting());
    };
    if let Some(judged) = wrappers::judge(program, &words[1..]) {
        return judged;
    }
    let mut own;
    let words = if name_list::has(METADATA_ONLY, program)
        || words.iter().all(|word| !word.is_listed || word.is_whole)
    {
        words
    } else {
        own = words.to_vec();
        own.iter_mut()
            .for_each(|word| word.is_listed &= word.is_whole);
        &own
    };
    let arguments = &words[1..];
    if !path.contains('/')
        && let Some(judged) = builtins::judge(program, arguments)
    {
        return judged;
    }
    match program {
        "find" => return find::judge(arguments),
        "git" => return Ok(git::judge(arguments)),
        "awk" | "gawk" | "mawk" | "nawk" => return Ok(awk::judge(arguments)),
        "sed" => return Ok(sed::judge(arguments)),
        "" => return Err(ProofError("the program has no name")),
        _ => {}
    }
    let special = SPECIAL.iter().find_map(|table| {
        let at = table.binary_search_by(|row| row.name.cmp(program)).ok()?;
        (table[at].judge)(arguments)
    });
    let special = special
        .or_else(|| machine::special::judge_version(program, arguments))
        .or_else(|| editors::judge(program, arguments))
        .or_else(|| machine::judge(program, arguments));
    if let Some(judged) = special {
        return Ok(judged);
    }
    if let Some(spec) = TABLES.iter().find_map(|table| table::find(table, program)) {
        return Ok(common::judge(spec, arguments));
    }
    Ok(runners::judge(program, arguments))
}

/// Programs that say of their files no more than their names, sizes and kinds.
const METADATA_ONLY: &str = "basename dirname du echo file ls printf realpath stat test [ wc";

static SPECIAL: [&[table::SpecialProgram]; 2] = [special::TABLE, machine::special::TABLE];

static TABLES: [&[table::Spec]; 7] = [
    text::TABLE,
    files::TABLE,
    files::SYSTEM,
    search::GREPS,
    search::TABLE,
    checksums::TABLE,
    machine::TABLE,
];

/// Returns the name of a program that is found by its name, or that lies in a folder of the system.
fn program_name(path: &str) -> Option<&str> {
    match path.rsplit_once('/') {
        None => Some(path),
        Some((folder, name)) => paths::holds_programs(folder).then_some(name),
    }
}

/// Calls of programs that no table of options covers, each with its program: they only read.
pub(crate) fn samples() -> impl Iterator<Item = (&'static str, String)> {
    let of_tables = SPECIAL.iter().copied().flatten();
    of_tables
        .flat_map(|row| row.samples.iter().map(|sample| (row.name, *sample)))
        .chain(builtins::SAMPLES.iter().copied())
        .chain(OTHER.iter().copied())
        .map(|(program, sample)| (program, sample.to_owned()))
        .chain(machine::special::version_samples())
}

/// Calls of the programs that have a file of their own here.
const OTHER: &[(&str, &str)] = &[
    ("awk", "awk '{print $1}' a.txt"),
    ("bash", "bash -c 'ls src'"),
    ("find", "find src -name '*.rs' -type f"),
    ("gawk", "gawk -F, '{print $2}' data.csv"),
    ("git", "git --no-pager --version"),
    ("git", "git remote -v"),
    ("git", "git symbolic-ref --short HEAD"),
    ("mawk", "mawk 'END {print NR}' a.txt"),
    ("nawk", "nawk '/alpha/' a.txt"),
];

/// Returns the programs that one starts to do its own work.
pub(crate) fn helpers(program: &str) -> &'static [&'static str] {
    match program {
        "egrep" | "fgrep" => &["grep"],
        // Parts of git that are programs of their own, two of them scripts.
        "git" => &[
            "basename",
            "git-bisect",
            "git-sh-i18n--envsubst",
            "git-submodule",
            "sed",
            "uname",
        ],
        "tar" => &["gzip", "bzip2", "xz"],
        "yq" => &["jq"],
        "zcat" => &["gzip"],
        _ => &[],
    }
}

/// Calls a function for each table of options, with the words that choose it.
pub(crate) fn each_spec(mut call: impl FnMut(&'static str, &'static table::Spec)) {
    for spec in TABLES.iter().copied().flatten() {
        call("", spec);
    }
    for spec in editors::TABLE.iter().chain(wrappers::TABLE) {
        call("", spec);
    }
    call("", &sed::SPEC);
    git::each_spec(|spec| call("git", spec));
}
