//! The sources of a command's input.

use std::borrow::Cow;

use crate::dangerous::Removal;
use crate::name_list::NameList;
use crate::script::{Command, RedirectKind, Script, ScriptWord};

/// The known properties of the arguments that a command receives from its input.
pub(crate) enum PipedNames<'s> {
    /// Names of files below folders that the command line names.
    Files,
    /// Exactly these words.
    Words(&'s [ScriptWord<'s>]),
    /// Unknown names.
    Unknown,
}

fn program<'s>(words: &'s [ScriptWord<'_>]) -> &'s str {
    let text = words.first().map_or("", |word| &*word.text);
    text.rsplit('/').next().unwrap_or(text)
}

/// Returns the source of the names that `xargs` and `find` pass on.
pub(crate) fn piped_names<'s>(script: &'s Script<'s>, index: usize) -> PipedNames<'s> {
    let mut at = Some(index);
    let own = program(&script.commands[index].words);
    if matches!(own, "find" | "fd" | "fdfind") {
        return PipedNames::Files;
    }
    while let Some(before) = at.and_then(|at| script.commands[at].reads_from) {
        let words = &script.commands[before].words;
        match program(words) {
            "find" if searches_everything(words) => return PipedNames::Unknown,
            "find" | "fd" | "fdfind" => {
                let is_plain = searched_names(words)
                    .next()
                    .is_none_or(|name| !name.contains(['.']) || name.starts_with('*'));
                return files_or_unknown(is_plain);
            }
            "ls" | "tree" | "locate" => return PipedNames::Files,
            "git" => {
                const LISTS: NameList =
                    NameList::new("ls-files --name-only -l --files-with-matches ls-tree");
                let mut words = words.iter();
                return files_or_unknown(words.any(|word| LISTS.has(&word.text)));
            }
            "rg" | "grep" | "ag" => {
                const LISTS: NameList =
                    NameList::new("--files --files-with-matches --files-without-match");
                let lists = words.iter().any(|word| {
                    LISTS.has(&word.text)
                        || word.text.starts_with('-')
                            && !word.text.starts_with("--")
                            && word.text.contains(['l', 'L'])
                });
                if lists {
                    return PipedNames::Files;
                }
            }
            "echo" | "printf" => {
                let names = &words[1..];
                let is_known = names.iter().all(|word| {
                    word.fixed()
                        .is_some_and(|text| !text.contains(['%', '\\', ' ', '\n']))
                });
                return if is_known {
                    PipedNames::Words(names)
                } else {
                    PipedNames::Unknown
                };
            }
            "sort" | "uniq" | "head" | "tail" | "egrep" | "fgrep" => {}
            _ => return PipedNames::Unknown,
        }
        at = Some(before);
    }
    PipedNames::Unknown
}

fn files_or_unknown<'s>(are_listed: bool) -> PipedNames<'s> {
    if are_listed {
        PipedNames::Files
    } else {
        PipedNames::Unknown
    }
}

/// Reports whether a `find` starts at the root or at the user's home folder.
pub(crate) fn searches_everything(words: &[ScriptWord<'_>]) -> bool {
    let mut places = words
        .iter()
        .skip(1)
        .take_while(|word| !word.text.starts_with('-'));
    places.any(|word| Removal::from_path(&word.text, None) == Some(Removal::Everything))
}

/// The tests of `find` that take a name or a pattern.
const NAMED: NameList = NameList::new("-name -iname -path -ipath -wholename -regex -iregex");

/// Returns the names that a `find` searches for.
pub(crate) fn searched_names<'w>(words: &'w [ScriptWord<'_>]) -> impl Iterator<Item = String> + 'w {
    let pairs = words.windows(2);
    pairs.filter(|pair| NAMED.has(&pair[0].text)).map(|pair| {
        let text = &*pair[1].text;
        if pair[0].text.contains("regex") {
            text.replace(".*", "*").replace('\\', "")
        } else {
            text.to_owned()
        }
    })
}

/// Iterates over the programs whose output a command reads, nearest first.
pub(crate) fn programs_before<'s>(
    script: &'s Script<'s>,
    index: usize,
) -> impl Iterator<Item = &'s str> {
    let mut at = script.commands[index].reads_from;
    std::iter::from_fn(move || {
        let here = at?;
        at = script.commands[here].reads_from;
        let words = &script.commands[here].words;
        // The program may be behind wrappers, so every word is checked.
        let named = words.iter().find(|word| {
            matches!(
                program(std::slice::from_ref(word)),
                "curl" | "wget" | "base64" | "xxd" | "openssl"
            )
        });
        Some(named.map_or_else(
            || program(words),
            |word| program(std::slice::from_ref(word)),
        ))
    })
}

/// Returns the text of a redirection of the input, if there is one; the inner `Option` is `None` if the text is
/// unknown.
fn redirected_text<'s>(command: &'s Command<'_>) -> Option<Option<&'s str>> {
    let is_text = |kind| matches!(kind, RedirectKind::HereDocument | RedirectKind::HereString);
    let mut redirects = command.redirects.iter().rev();
    let target = &redirects.find(|redirect| is_text(redirect.kind))?.target;
    Some((!target.is_dynamic).then_some(&*target.text))
}

/// Returns the input text of a command, if the script contains the text.
pub(crate) fn input_text<'s>(script: &'s Script<'s>, index: usize) -> Option<Cow<'s, str>> {
    let command = &script.commands[index];
    if let Some(text) = redirected_text(command) {
        return text.map(Cow::Borrowed);
    }
    let before = &script.commands[command.reads_from?];
    let words = &before.words;
    match program(words) {
        "echo" => {
            let words = words[1..]
                .iter()
                .skip_while(|word| matches!(&*word.text, "-n" | "-e" | "-E" | "-ne" | "-en"));
            let texts: Option<Vec<&str>> = words.map(ScriptWord::fixed).collect();
            // Escapes are not decoded.
            texts
                .map(|texts| texts.join(" "))
                .filter(|text| !text.contains('\\'))
                .map(Cow::Owned)
        }
        "printf" => {
            let text = words
                .get(1)?
                .fixed()
                .filter(|text| words.len() == 2 && !text.contains('%'))?;
            let text = text.replace("\\n", "\n");
            (!text.contains('\\')).then_some(Cow::Owned(text))
        }
        "cat" if words.len() == 1 => redirected_text(before)?.map(Cow::Borrowed),
        _ => None,
    }
}

/// Reports whether an interpreter reads its script from a pipe: no argument names a script.
pub(crate) fn is_script_piped(script: &Script<'_>, index: usize, words: &[ScriptWord<'_>]) -> bool {
    let mut operands = words[1..].iter().filter(|word| {
        let text = &*word.text;
        !text.starts_with('-') || text == "-" || text.len() > 1 && is_code_option(text)
    });
    script.commands[index].reads_from.is_some()
        && operands.next().is_none_or(|word| word.text == "-")
}

/// Reports whether the next word after an option of an interpreter is code, or the name of a module.
fn is_code_option(text: &str) -> bool {
    matches!(
        text,
        "--eval" | "--print" | "--test" | "--version" | "--help" | "--command"
    ) || !text.starts_with("--") && text.contains(['c', 'e', 'm', 'p', 'r'])
}
