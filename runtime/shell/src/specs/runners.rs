//! Programs with the effect `Acts`, and their options and sub-commands that start a program that the caller chooses.
//!
//! A rule about the program does not cover such a command: a rule that allows `tar` does not allow everything.

mod programs;

use self::programs::{RUN_ANYTHING, TABLE};
use super::interpreters;
use super::judged::CommandJudgement;
use super::word::Word;
use crate::name_list::{self, NameIndex, NameList};

static RUNS_ANYTHING: NameIndex<()> = NameIndex::new(|| name_list::index([(RUN_ANYTHING, ())]));
static SIGNS_OF: NameIndex<&str> = NameIndex::new(|| name_list::index(TABLE.iter().copied()));

/// Reports whether a program runs other programs so freely that no rule about its first argument determines its effect.
pub(crate) fn always_runs(program: &str) -> bool {
    RUNS_ANYTHING.contains_key(program)
}

/// Judges a program without a spec.
pub(crate) fn judge(program: &str, arguments: &[Word]) -> CommandJudgement {
    if let Some(judged) = interpreters::judge(program, arguments) {
        return judged;
    }
    let is_opaque = always_runs(program)
        || arguments.iter().any(|word| is_program_option(&word.text))
        || SIGNS_OF
            .get(program)
            .is_some_and(|signs| has_sign(arguments, signs))
        || match program {
            "cargo" => arguments.iter().any(|word| is_toolchain_path(&word.text)),
            "cmake" => arguments.iter().any(|word| sets_tool(&word.text)),
            "go" => arguments
                .iter()
                .any(|word| word.text == "-C" || word.text.contains("extld")),
            "sqlite3" => arguments.iter().any(|word| runs_from_sql(&word.text)),
            "make" => arguments.iter().any(sets_program),
            "tar" => is_remote_or_filtered(arguments),
            "rustc" => arguments.iter().any(|word| word.text.contains("linker")),
            _ => false,
        };
    CommandJudgement::new_opaque_if(is_opaque)
}

/// Reports whether a word is in a list, or is unknown and may be any option.
fn has_sign(arguments: &[Word], signs: &str) -> bool {
    arguments.iter().any(|word| {
        !word.is_exact && word.may_be_option()
            || signs
                .split_ascii_whitespace()
                .any(|sign| is_sign(&word.text, sign))
    })
}

/// Words in names of options whose value is, for any program, a program, code, a plugin or a configuration.
const NAMES: NameList = NameList::new(
    "bootstrap cmd command config configfile configuration editor eval exec \
                     executable execute extension hook hooks import include init initfile \
                     interpreter launcher linker loader module overlay override pager plugin \
                     plugins postrenderer preload preset processor program rcfile require resolver \
                     runner script setup shell teardown toolexec vettool wrapper",
);

/// Reports whether the name of an option indicates a program, code, a plugin or a configuration as its value. No prefix
/// rule covers such an option, whether the program is listed or not.
fn is_program_option(text: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    let Some(name) = name
        .strip_prefix("--")
        .filter(|name| !name.starts_with("no-"))
    else {
        return false;
    };
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if matches!(letter, '-' | '_' | '.') || letter.is_ascii_uppercase() {
            words.push(String::new());
        }
        if letter.is_ascii_alphanumeric() {
            let last = words.len() - 1;
            words[last].push(letter.to_ascii_lowercase());
        }
    }
    let mut names = NAMES.iter();
    words.iter().any(|word| NAMES.has(word))
        // An abbreviation of such a name.
        || words.len() == 1 && words[0].len() > 3 && names.any(|name| name.starts_with(&*words[0]))
}

/// Reports whether a word has the form `cargo +./toolchain`.
fn is_toolchain_path(text: &str) -> bool {
    text.starts_with('+') && text.contains('/')
}

/// Reports whether a `cmake` argument sets a tool: a variable may name a program or a file that runs, and the options
/// after `--` belong to the native tool.
fn sets_tool(text: &str) -> bool {
    const TOOLS: &str = "COMPILER LAUNCHER INCLUDE TOOLCHAIN COMMAND EXECUTABLE PROGRAM PATH \
                         LINKER PREFIX DIR";
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    let mut tools = TOOLS.split_ascii_whitespace();
    matches!(text, "--" | "-E" | "-P") || tools.any(|tool| name.contains(tool))
}

/// Reports whether an SQL text contains functions of the SQLite shell that run code or write files.
fn runs_from_sql(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let functions = ["edit(", "load_extension", "writefile", "\n."];
    functions.iter().any(|function| text.contains(function))
}

fn is_sign(text: &str, sign: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    if matches!(sign, "+" | "-" | "@" | "." | "\\") {
        return text.starts_with(sign);
    }
    // Programs written in Go accept `-vettool` and `--vettool` as the same option.
    if sign.len() > 2 && sign.starts_with('-') && name.strip_prefix('-') == Some(sign) {
        return true;
    }
    if sign.starts_with("--") {
        return name.starts_with("--") && name.len() > 2 && sign.starts_with(name);
    }
    if sign.len() == 2 && sign.starts_with('-') {
        return !text.starts_with("--") && text.starts_with('-') && text[1..].contains(&sign[1..]);
    }
    name == sign
}

/// Reports whether a `make` variable may be a program that a recipe runs.
fn sets_program(word: &Word) -> bool {
    let Some((_, value)) = word.text.split_once('=') else {
        return false;
    };
    let is_plain = word.is_exact
        && (value.bytes().all(|b| b.is_ascii_digit())
            || matches!(
                value,
                "yes" | "no" | "true" | "false" | "on" | "off" | "debug" | "release" | "all"
            ));
    !is_plain
}

/// Reports whether `tar` accesses a remote archive (`:` in the name) or runs a filter; the first options of `tar` may
/// be without a dash.
fn is_remote_or_filtered(arguments: &[Word]) -> bool {
    let bundle = arguments.first().map_or("", |word| &word.text);
    !bundle.starts_with('-') && bundle.contains(['I', 'F'])
        || arguments.iter().any(|word| word.text.contains(':'))
}

/// Removes the messages of a commit or a tag: the value of `-m` is text without an effect.
fn without_message(name: &str, arguments: &[Word]) -> Vec<Word> {
    const PLAIN: NameList = NameList::new(
        "-a -q -s -v -n --all --amend --quiet --signoff --verbose --no-verify \
                         --allow-empty",
    );
    let mut kept = Vec::with_capacity(arguments.len());
    let mut rest = arguments.iter();
    let mut is_plain = matches!(name, "commit" | "tag");
    while let Some(word) = rest.next() {
        kept.push(word.clone());
        let text = word.known().unwrap_or_default();
        let takes_message = matches!(text, "-m" | "-am" | "--message");
        if is_plain && takes_message {
            // A word that may become several is more than a message.
            kept.extend(rest.next().filter(|word| word.may_be_many).cloned());
        } else {
            is_plain &= PLAIN.has(text);
        }
    }
    kept
}

/// Judges a sub-command of git that does more than read.
pub(crate) fn git(name: &str, arguments: &[Word]) -> CommandJudgement {
    // The value that `config` sets may be a program.
    const RUNS: NameList = NameList::new(
        "config filter-branch mergetool difftool daemon instaweb send-email hook \
                        for-each-repo maintenance credential web--browse shell upload-pack \
                        receive-pack remote-ext foreach run",
    );
    const SIGNS: &str = "--config-env --exec-path filter-branch foreach run --upload-pack \
                         --receive-pack --exec --extcmd --open-files-in-pager --ext-diff \
                         --textconv --tool --template --output --config --git-dir --show-signature \
                         --smtp-server --editor";
    let letters = match name {
        "rebase" | "difftool" => "-x",
        "grep" => "-O",
        "clone" | "fetch" | "pull" | "ls-remote" => "-c -u",
        _ => "",
    };
    let mut letters = letters.split_ascii_whitespace();
    let has_letter = letters.any(|letter| arguments.iter().any(|word| is_sign(&word.text, letter)));
    let by_kind = match name {
        _ if RUNS.has(name) => true,
        "submodule" => arguments.iter().any(|word| word.text == "foreach"),
        "bisect" => arguments.first().is_some_and(|word| word.text == "run"),
        _ => name.contains("::"),
    };
    let arguments = &without_message(name, arguments);
    // `e*` may match a file whose name looks like the address of a program.
    let names_remote = matches!(name, "clone" | "fetch" | "pull" | "ls-remote");
    let has_address = arguments
        .iter()
        .any(|word| word.text.contains("::") || names_remote && word.pattern.is_some());
    CommandJudgement::new_opaque_if(
        by_kind || has_letter || has_address || has_sign(arguments, SIGNS),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_program_is_listed_twice() {
        name_list::assert_disjoint(TABLE.iter().map(|(names, _)| *names).chain([RUN_ANYTHING]));
    }
}
