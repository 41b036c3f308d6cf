//! Wrappers that run a text among their arguments.

use super::WrapperEffect::{Other, Transparent};
use super::{
    SHELLS, SPOKEN, WrappedCommand, Wrapper, WrapperEffect, is_input, joined_wrapper, script,
};
use crate::script::ScriptWord;

/// Unwraps `env -S 'text'`, which splits the text much like a shell.
pub(super) fn split_string(words: &[ScriptWord<'_>], at: usize) -> Wrapper {
    let text = &*words[at].text;
    let attached = text
        .strip_prefix("--split-string=")
        .or_else(|| text.strip_prefix("-S"))
        .or_else(|| text.strip_prefix("-vS"));
    match attached {
        Some(attached) if !attached.is_empty() => {
            let mut all = vec![ScriptWord::literal(attached.to_owned())];
            all.extend(words[at + 1..].iter().cloned().map(ScriptWord::into_owned));
            joined_wrapper(&all, Other)
        }
        _ => joined_wrapper(&words[(at + 1).min(words.len())..], Other),
    }
}

pub(super) fn watch(words: &[ScriptWord<'_>]) -> Wrapper {
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
        let takes_value = matches!(&*word.text, "-n" | "--interval" | "-q" | "--equexit");
        at += 1 + usize::from(takes_value);
        if &*word.text == "--" {
            break;
        }
    }
    joined_wrapper(&words[at.min(words.len())..], Transparent)
}

pub(super) fn ssh(words: &[ScriptWord<'_>]) -> Wrapper {
    const VALUED: &str = "BbcDEeFIiJLlmOoPpQRSWw";
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
        let letters = &word.text[1..];
        at += 1 + usize::from(letters.len() == 1 && VALUED.contains(letters));
    }
    joined_wrapper(&words[(at + 1).min(words.len())..], Other)
}

/// Unwraps `su -c 'text'` and `script -c 'text'`.
pub(super) fn with_command_option(words: &[ScriptWord<'_>]) -> Wrapper {
    for (at, word) in words.iter().enumerate().skip(1) {
        let text = &*word.text;
        if let Some(attached) = text.strip_prefix("--command=") {
            let text = attached.into();
            return script(
                &ScriptWord {
                    text,
                    ..word.clone()
                },
                Other,
            );
        }
        let is_cluster = text.starts_with('-') && !text.starts_with("--") && text.ends_with('c');
        if text == "--command" || is_cluster {
            return words
                .get(at + 1)
                .map_or(Wrapper::nothing(), |word| script(word, Other));
        }
    }
    Wrapper::nothing()
}

pub(super) fn shell(program: &str, words: &[ScriptWord<'_>]) -> Wrapper {
    let is_spoken = SHELLS[..SPOKEN].contains(&program);
    let mut effect = if is_spoken { Transparent } else { Other };
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = &*word.text;
        if word.is_dynamic {
            return Wrapper::unknown_text(effect);
        }
        if text == "-" || text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with(['-', '+']) {
            break;
        }
        if text.starts_with("--") {
            at += 1 + usize::from(matches!(text, "--rcfile" | "--init-file"));
            effect = Other;
            continue;
        }
        let letters = &text[1..];
        let values = letters.matches(['o', 'O']).count();
        if letters.contains('c') {
            let behind = words.get(at + 1 + values..).unwrap_or_default();
            return command_text(behind, effect);
        }
        if letters.contains(['i', 'l']) {
            effect = Other;
        }
        if letters.contains('s') {
            return Wrapper::new(WrappedCommand::Input, Other);
        }
        at += 1 + values;
    }
    match words.get(at) {
        // A command file: its name does not determine its content.
        Some(word) if !is_input(&word.text) => Wrapper::nothing(),
        _ => Wrapper::new(WrappedCommand::Input, effect),
    }
}

/// Unwraps the text after `-c`, which other options may precede.
fn command_text(words: &[ScriptWord<'_>], effect: WrapperEffect) -> Wrapper {
    let mut words = words.iter();
    let text = words.find(|word| !word.text.starts_with(['-', '+']));
    text.map_or(Wrapper::nothing(), |text| script(text, effect))
}
