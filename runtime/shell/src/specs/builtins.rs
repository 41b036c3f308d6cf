//! Commands of the shell itself, and programs that read their arguments in a way of their own.

use super::judged::{CommandJudgement, ProofError};
use super::word::Word;
use crate::{environment, name_list};

/// Builtins that change the shell, or read a text in its language: the analysis of the line has to follow these.
const CHANGE_THE_SHELL: &str = ". [[ (( bg bind builtin caller compgen complete compopt coproc \
                                declare disown enable eval exec export fc fg getopts history let \
                                local logout mapfile popd pushd read readarray readonly set shift \
                                shopt source suspend trap typeset ulimit unalias unset";

/// Calls that only read: the oracle runs them.
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

/// Judges a command of the shell; none where the name is of another program.
pub(crate) fn judge(
    program: &str,
    arguments: &[Word],
) -> Option<Result<CommandJudgement, ProofError>> {
    if name_list::has(CHANGE_THE_SHELL, program) {
        return Some(Err(ProofError("it changes the shell")));
    }
    Some(Ok(match program {
        // No argument of these does anything but be shown.
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
        "pwd" => only(arguments, "-L -P --logical --physical"),
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

/// Accepts nothing but the words of a list.
fn only(arguments: &[Word], accepted: &str) -> CommandJudgement {
    CommandJudgement::new_reading_if(arguments.iter().all(|word| word.is_one_of(accepted)))
}

/// Accepts numbers: what ends here runs no more than is written.
fn numbers(arguments: &[Word]) -> CommandJudgement {
    let is_number =
        |word: &Word| !word.may_be_many && word.text.bytes().all(|b| b.is_ascii_digit());
    CommandJudgement::new_reading_if(arguments.iter().all(is_number))
}

/// Accepts operands, and no option.
fn only_text(arguments: &[Word]) -> CommandJudgement {
    CommandJudgement::new_reading_if(!arguments.iter().any(Word::may_be_option))
}

/// Accepts options of these letters, then names that nothing happens to.
fn queries(arguments: &[Word], letters: &str) -> CommandJudgement {
    CommandJudgement::new_reading_if(arguments.iter().all(|word| {
        let options = word.text.strip_prefix('-').unwrap_or_default();
        !word.may_be_option()
            || word.is_exact && options.chars().all(|letter| letters.contains(letter))
    }))
}

/// `cd`: the analysis that follows the folders of a line interprets it; here it is a place that is looked at.
fn folder(arguments: &[Word]) -> CommandJudgement {
    let options = arguments.iter().take_while(|word| word.is_one_of("-L -P"));
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

/// Reports whether the first word is, or may be, the `-v` of `printf`.
fn names_variable(arguments: &[Word]) -> bool {
    arguments.first().is_some_and(|word| {
        word.text.starts_with("-v") || !word.is_exact && matches!(&*word.text, "" | "-")
    }) && arguments.len() > 1
}

/// `printf`: `-v` and `%n` set a variable, whose subscript may run something.
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
            // With a `\`, the letter of the conversion could be written as an escape.
            _ => return false,
        }
    }
    true
}

/// `test`: the operand of `-v` and `-R` is a variable whose subscript may run something.
///
/// What a word means to `test` depends on how many there are and on the others, so no word may become several, and where
/// a word that is not known could be `-v`, what follows it must be known to be no subscript.
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

/// `printenv NAME`: without a name it shows all variables.
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

/// `ps`: every option says what is listed and how.
fn ps(arguments: &[Word]) -> CommandJudgement {
    let is_known = arguments.iter().all(|word| word.is_exact);
    let is_plain = |word: &Word| {
        word.text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-,=:+%_/".contains(&b))
    };
    // `ps e` shows the variables of programs; `ps -e` does not.
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

/// `xxd`: one dash before long options too; the second operand is written, and `-r` writes what it reads.
fn xxd(arguments: &[Word]) -> CommandJudgement {
    const FLAGS: &str = "-a -b -C -d -e -E -i -p -ps -u -v -h";
    const VALUED: &str = "-c -cols -g -l -len -s -o";
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
