//! The specs of programs: the proven effects of programs with their arguments.
//!
//! A spec lists the options of a program, the meaning of their values, and the meaning of the operands. Anything that a
//! spec does not list is not proven: an unlisted option, an abbreviated long option, a sub-command, or a word that is
//! known only at run time and could be an option.
//!
//! The oracle (`tests/oracle`) runs every entry in a sandbox, and checks that no other program is started and no file
//! is written. Entries that the oracle does not cover are not listed.

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

use crate::name_list::NameList;
use crate::paths;

/// Returns the effect of a command; the first word is the program.
pub(crate) fn judge(words: &[Word]) -> Result<CommandJudgement, ProofError> {
    let Some(path) = words.first().and_then(Word::known) else {
        return Err(ProofError("the program is not known before it runs"));
    };
    if words[0].is_tilde {
        return Ok(CommandJudgement::new_acting());
    }
    let Some(program) = program_name(path) else {
        // A program in a folder that any user may write to may differ from the known program of that name.
        return Ok(CommandJudgement::new_acting());
    };
    if let Some(judged) = wrappers::judge(program, &words[1..]) {
        return judged;
    }
    let mut own;
    let words = if METADATA_ONLY.has(program)
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

/// Programs that reveal only the names, sizes and kinds of files.
const METADATA_ONLY: NameList =
    NameList::new("basename dirname du echo file ls printf realpath stat test [ wc");

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

/// Returns the name of a program that is written as a bare name, or that lies in a system folder of programs.
fn program_name(path: &str) -> Option<&str> {
    match path.rsplit_once('/') {
        None => Some(path),
        Some((folder, name)) => paths::holds_programs(folder).then_some(name),
    }
}

/// Returns read-only calls of programs that no table of options covers, each with its program.
pub(crate) fn samples() -> impl Iterator<Item = (&'static str, String)> {
    let of_tables = SPECIAL.iter().copied().flatten();
    of_tables
        .flat_map(|row| row.samples.iter().map(|sample| (row.name, *sample)))
        .chain(builtins::SAMPLES.iter().copied())
        .chain(OTHER.iter().copied())
        .map(|(program, sample)| (program, sample.to_owned()))
        .chain(machine::special::version_samples())
}

/// Calls of the programs that have their own module here.
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

/// Returns the helper programs that a program starts.
pub(crate) fn helpers(program: &str) -> &'static [&'static str] {
    match program {
        "egrep" | "fgrep" => &["grep"],
        // Parts of git that are separate programs; two of them are scripts.
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

/// Calls a function for each table of options, with the words that identify the program.
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
