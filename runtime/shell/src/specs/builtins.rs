//! Shell builtins, and programs with their own argument syntax.

use super::judged::{CommandJudgement, ProofError};
use super::word::Word;
use crate::environment;
use crate::name_list::{NameList, names};

/// Builtins that change the shell, or that read shell code: the evaluation of the line has to interpret these.
const CHANGE_THE_SHELL: NameList = NameList::new(
    ". [[ (( bg bind builtin caller compgen complete compopt coproc \
                                declare disown enable eval exec export fc fg getopts history let \
                                local logout mapfile popd pushd read readarray readonly set shift \
                                shopt source suspend trap typeset ulimit unalias unset",
);

/// Read-only calls, which the oracle runs.
pub(super) const SAMPLES: &[(&str, &str)] = &[
    (":", ": x"),
    ("[", "[ -f a.txt ]"),
    ("break", "for i in 1 2; do break; done"),
    ("cd", "cd src && ls"),
    ("continue", "for i in 1 2; do continue 1; done"),
    ("echo", "echo -n a"),
    ("exit", "exit 0"),
    ("expr", "expr 1 + 2"),
    ("false", "false"),
    ("printenv", "printenv HOME"),
    ("printf", "printf '%s\\n' a"),
    ("ps", "ps -ef"),
    ("ps", "ps aux"),
    ("pwd", "pwd -P"),
    ("sleep", "sleep 0"),
    ("test", "test -n a"),
    ("true", "true"),
    ("type", "type -a ls"),
    ("wait", "wait"),
    ("xxd", "xxd -l 16 a.txt"),
];

/// Judges a builtin or program of this module; returns `None` for other names.
pub(crate) fn judge(
    program: &str,
    arguments: &[Word],
) -> Option<Result<CommandJudgement, ProofError>> {
    if CHANGE_THE_SHELL.has(program) {
        return Some(Err(ProofError("it changes the shell")));
    }
    Some(Ok(match program {
        // The arguments of these programs are only displayed.
        ":" | "true" | "false" | "echo" | "expr" => CommandJudgement::new_reading(),
        "printf" if names_variable(arguments) => {
            return Some(Err(ProofError(
                "it sets a variable in a way that is not followed",
            )));
        }
        "printf" => printf(arguments),
        "test" => test(arguments),
        "[" => match arguments.split_last() {
            Some((last, rest)) if last.known() == Some("]") => test(rest),
            _ => CommandJudgement::new_opaque(),
        },
        "pwd" => only(arguments, names!("-L -P --logical --physical")),
        "type" => queries(arguments, "afPpt"),
        "cd" => folder(arguments),
        "wait" | "sleep" => only_text(arguments),
        "exit" | "break" | "continue" => numbers(arguments),
        "printenv" => printenv(arguments),
        "ps" => ps(arguments),
        "xxd" => xxd(arguments),
        _ => return None,
    }))
}

/// Accepts only the words of a list.
fn only(arguments: &[Word], accepted: NameList) -> CommandJudgement {
    CommandJudgement::new_reading_if(arguments.iter().all(|word| word.is_one_of(accepted)))
}

/// Accepts numbers: `exit`, `break` and `continue` only end commands early, so no more commands run than are written.
fn numbers(arguments: &[Word]) -> CommandJudgement {
    let is_number =
        |word: &Word| !word.may_be_many && word.text.bytes().all(|b| b.is_ascii_digit());
    CommandJudgement::new_reading_if(arguments.iter().all(is_number))
}

/// Accepts operands, and no options.
fn only_text(arguments: &[Word]) -> CommandJudgement {
    CommandJudgement::new_reading_if(!arguments.iter().any(Word::may_be_option))
}

/// Accepts options with these letters, followed by names that the program does not modify.
fn queries(arguments: &[Word], letters: &str) -> CommandJudgement {
    CommandJudgement::new_reading_if(arguments.iter().all(|word| {
        let options = word.text.strip_prefix('-').unwrap_or_default();
        !word.may_be_option()
            || word.is_exact && options.chars().all(|letter| letters.contains(letter))
    }))
}

/// Judges `cd`. The evaluation of the line interprets the change of folder; here the folder counts as read.
fn folder(arguments: &[Word]) -> CommandJudgement {
    let options = arguments
        .iter()
        .take_while(|word| word.is_one_of(names!("-L -P")));
    let rest = match &arguments[options.count()..] {
        [dashes, rest @ ..] if dashes.known() == Some("--") => rest,
        rest => rest,
    };
    match rest {
        [] => CommandJudgement::new_reading(),
        [word] if word.is_exact && word.text != "-" => CommandJudgement::new_reading_of(word),
        _ => CommandJudgement::new_opaque(),
    }
}

/// Reports whether the first word is, or may be, the option `-v` of `printf`.
fn names_variable(arguments: &[Word]) -> bool {
    arguments.first().is_some_and(|word| {
        word.text.starts_with("-v") || !word.is_exact && matches!(&*word.text, "" | "-")
    }) && arguments.len() > 1
}

/// Judges `printf`: `-v` and `%n` set a variable, and the subscript of a variable may run a command.
fn printf(arguments: &[Word]) -> CommandJudgement {
    let (format, values) = match arguments {
        [dashes, format, values @ ..] if dashes.known() == Some("--") => (format, values),
        [format, values @ ..] => {
            // A lone `-v` has no variable to set.
            if format.may_be_option() && !values.is_empty() || format.may_be_many {
                return CommandJudgement::new_opaque();
            }
            (format, values)
        }
        [] => return CommandJudgement::new_reading(),
    };
    if format.may_be_many || !format.is_exact && !values.is_empty() {
        return CommandJudgement::new_opaque();
    }
    CommandJudgement::new_reading_if(!format.is_exact || is_harmless_format(&format.text))
}

/// Reports whether every conversion of a format only prints.
fn is_harmless_format(format: &str) -> bool {
    let mut rest = format;
    while let Some((_, behind)) = rest.split_once('%') {
        let behind = behind.trim_start_matches(['#', '-', '+', ' ', '0', '\'']);
        let behind = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '*');
        let behind = behind.strip_prefix('.').map_or(behind, |behind| {
            behind.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '*' | '-'))
        });
        let behind = behind.trim_start_matches(['h', 'j', 'l', 'L', 't', 'z']);
        let mut characters = behind.chars();
        match characters.next() {
            Some(
                'd' | 'i' | 'o' | 'u' | 'x' | 'X' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A'
                | 'c' | 's' | 'b' | 'q' | 'Q' | '%',
            ) => rest = characters.as_str(),
            Some('(') => match behind.split_once(")T") {
                Some((_, behind)) => rest = behind,
                None => return false,
            },
            // A `\` could encode the letter of the conversion as an escape.
            _ => return false,
        }
    }
    true
}

/// Judges `test`: the operand of `-v` or `-R` is a variable, and its subscript may run a command.
///
/// The meaning of a word depends on the number of words and on the other words, so no word may become several. If a
/// word whose value is unknown could be `-v`, the following word must be known not to contain a subscript.
fn test(arguments: &[Word]) -> CommandJudgement {
    for (at, word) in arguments.iter().enumerate() {
        if word.may_be_many {
            return CommandJudgement::new_opaque();
        }
        let may_be_operator = if word.is_exact {
            matches!(&*word.text, "-v" | "-R")
        } else {
            matches!(&*word.text, "" | "-" | "-v" | "-R")
        };
        let Some(next) = arguments.get(at + 1).filter(|_| may_be_operator) else {
            continue;
        };
        if !next.is_exact || next.text.contains('[') {
            return CommandJudgement::new_opaque();
        }
    }
    CommandJudgement::new_reading()
}

/// Judges `printenv NAME`: without a name, it prints all variables.
fn printenv(arguments: &[Word]) -> CommandJudgement {
    let mut names = arguments
        .iter()
        .filter(|word| !word.text.starts_with('-'))
        .peekable();
    CommandJudgement::new_reading_if(
        names.peek().is_some()
            && names.all(|word| word.is_exact && !environment::is_secret(&word.text)),
    )
}

/// Judges `ps`: every option selects or formats the output.
fn ps(arguments: &[Word]) -> CommandJudgement {
    let is_known = arguments.iter().all(|word| word.is_exact);
    let is_plain = |word: &Word| {
        word.text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-,=:+%_/".contains(&b))
    };
    // `ps e` displays the environment of processes; `ps -e` does not.
    let shows_variables = arguments.iter().enumerate().any(|(at, word)| {
        const VALUED: [&str; 8] = ["-C", "-G", "-U", "-g", "-o", "-p", "-t", "-u"];
        let is_value = at > 0 && VALUED.contains(&&*arguments[at - 1].text);
        let is_bundle = word.text.bytes().all(|b| b.is_ascii_alphabetic());
        is_bundle && !is_value && word.text.contains('e')
    });
    if is_known && !shows_variables && arguments.iter().all(is_plain) {
        CommandJudgement::new_reading()
    } else {
        CommandJudgement::new_acting()
    }
}

/// Judges `xxd`: long options may also have one dash; the second operand is written, and `-r` converts the input back
/// to binary.
fn xxd(arguments: &[Word]) -> CommandJudgement {
    const FLAGS: NameList = NameList::new("-a -b -C -d -e -E -i -p -ps -u -v -h");
    const VALUED: NameList = NameList::new("-c -cols -g -l -len -s -o");
    let mut files = arguments;
    while let Some((word, rest)) = files.split_first() {
        files = match rest {
            _ if word.is_one_of(FLAGS) => rest,
            _ if !word.is_one_of(VALUED) => break,
            [value, rest @ ..] if value.is_exact => rest,
            _ => return CommandJudgement::new_opaque(),
        };
    }
    match files {
        [] => CommandJudgement::new_reading(),
        [file] if !file.text.starts_with('-') && file.is_exact => {
            CommandJudgement::new_reading_of(file)
        }
        _ => CommandJudgement::new_opaque(),
    }
}
