//! Interpreters: programs that run a script file, or code among their arguments.

use super::judged::CommandJudgement;
use super::word::Word;
use crate::name_list::{self, NameIndex, NameList};

/// Lists of interpreters, with the options that are neither code nor select code. `NAME` takes no value, `NAME:` takes
/// a value, and `NAME!` takes a module, which receives the remaining arguments.
const TABLE: &[(&str, &str)] = &[
    ("awk gawk mawk nawk", ""),
    ("bash dash sh", "-e -u -x -eu -ex -eux"),
    ("ksh", "-e -u -x"),
    ("lua", "-W"),
    (
        "node",
        "--test --watch --no-warnings --trace-warnings --enable-source-maps",
    ),
    ("perl", "-w -c -T -t"),
    ("php", "-l -n"),
    (
        "python python3",
        "-u -B -O -OO -s -E -I -v -q -b -bb -W: -m!",
    ),
    ("ruby", "-w -W0 -W1 -W2 -c"),
    ("zsh", "-e -u -x -f"),
];

static OPTIONS_OF: NameIndex<NameList> = NameIndex::new(|| name_list::index_lists(TABLE));

/// Judges an interpreter; returns `None` for another program.
pub(crate) fn judge(program: &str, arguments: &[Word]) -> Option<CommandJudgement> {
    let harmless = OPTIONS_OF.get(interpreter(program))?;
    Some(judge_interpreter(*harmless, arguments))
}

/// Returns the name of an interpreter without a version: `python3` for `python3.11`.
fn interpreter(program: &str) -> &str {
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match name {
        "python" | "perl" | "ruby" | "lua" | "php" if name.len() < program.len() => name,
        _ => program,
    }
}

/// Judges the arguments of an interpreter. With a script file, it runs that file; with code among the arguments or on
/// the standard input, it may run anything.
fn judge_interpreter(harmless: NameList, arguments: &[Word]) -> CommandJudgement {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.known() else {
            return CommandJudgement::new_opaque();
        };
        if !text.starts_with('-') {
            return CommandJudgement::new_acting();
        }
        if matches!(text, "--version" | "--help" | "-V") && arguments.len() == 1 {
            return CommandJudgement::new_acting();
        }
        if harmless.has(text) {
            continue;
        }
        match harmless
            .iter()
            .find(|name| name.trim_end_matches([':', '!']) == text)
        {
            // The remaining arguments belong to the module.
            Some(name) if name.ends_with('!') && rest.next().is_some_and(|word| word.is_exact) => {
                return CommandJudgement::new_acting();
            }
            Some(name) if name.ends_with(':') => {
                rest.next();
            }
            _ => return CommandJudgement::new_opaque(),
        }
    }
    CommandJudgement::new_opaque()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_interpreter_is_listed_twice() {
        name_list::assert_disjoint(TABLE.iter().map(|(names, _)| *names));
    }
}
