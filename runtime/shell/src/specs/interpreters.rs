//! Programs that run what is in a file, or what is written among their arguments.

use super::judged::CommandJudgement;
use super::word::Word;
use crate::name_list;

/// Lists of interpreters, with the options that neither are code nor choose any: `NAME` takes no value, `NAME:` takes
/// one, and `NAME!` takes a module, whose the rest is.
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

/// Judges an interpreter; none where the program is another.
pub(crate) fn judge(program: &str, arguments: &[Word]) -> Option<CommandJudgement> {
    let harmless = name_list::find(TABLE, interpreter(program))?;
    Some(judge_interpreter(harmless, arguments))
}

/// `python3.11` is `python3`.
fn interpreter(program: &str) -> &str {
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match name {
        "python" | "perl" | "ruby" | "lua" | "php" if name.len() < program.len() => name,
        _ => program,
    }
}

/// An interpreter with a file runs what is in it. With code among its arguments, or on its input, it runs anything.
fn judge_interpreter(harmless: &str, arguments: &[Word]) -> CommandJudgement {
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
        if name_list::has(harmless, text) {
            continue;
        }
        match harmless
            .split_ascii_whitespace()
            .find(|name| name.trim_end_matches([':', '!']) == text)
        {
            // The rest is the module's.
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
