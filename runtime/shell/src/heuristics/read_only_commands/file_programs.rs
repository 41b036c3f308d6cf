//! Programs that find, list and pack files.

use super::options::{Item, OptionIter, is_harmful};
use super::special::fixed_words;
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::script::ScriptWord;

/// `[` and `test`: a variable behind `-v` or `-R` may be an expression that runs something.
pub(super) fn test(words: &[ScriptWord<'_>], _: &mut CommandFacts) -> CommandEffect {
    let evaluates = words.iter().skip(1).any(|word| {
        matches!(&*word.text, "-v" | "-R")
            || word.is_dynamic && word.text.is_empty() && !word.is_quoted
    });
    if evaluates {
        CommandEffect::Other
    } else {
        CommandEffect::Reads
    }
}

pub(super) fn cd(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let mut operands = words[1..]
        .iter()
        .filter(|word| !matches!(&*word.text, "-L" | "-P" | "--" | "-e" | "-@"));
    match (operands.next(), operands.next()) {
        (None, _) => CommandEffect::Reads,
        (Some(word), None) if word.is_dynamic || word.is_glob => facts.unknown(),
        (Some(word), None) => {
            facts.read(word);
            CommandEffect::Reads
        }
        _ => CommandEffect::Other,
    }
}

/// `find`: its predicates run programs, remove and write.
pub(super) fn find(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const HARMFUL: [&str; 7] = [
        "-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-ok", "-okdir",
    ];
    let mut in_places = true;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        if word.is_dynamic || word.is_glob && word.text.starts_with(['*', '?', '[']) && !in_places {
            return facts.unknown();
        }
        let text = &*word.text;
        if HARMFUL.contains(&text) || text.starts_with("-files0-from") {
            return CommandEffect::Other;
        }
        in_places &= !text.starts_with('-') && !matches!(text, "!" | "(")
            || matches!(text, "-L" | "-H" | "-P");
        if in_places && !text.starts_with('-') {
            facts.name(word);
        }
        if matches!(text, "-exec" | "-execdir") {
            // What runs is judged as a command of its own.
            let end = words[at..]
                .iter()
                .position(|word| matches!(&*word.text, ";" | "+"));
            at += end.unwrap_or(0);
        }
        if matches!(
            text,
            "-name"
                | "-iname"
                | "-path"
                | "-ipath"
                | "-wholename"
                | "-regex"
                | "-iregex"
                | "-lname"
                | "-ilname"
                | "-newer"
                | "-printf"
        ) {
            at += 1;
            if words.get(at).is_some_and(|word| word.is_dynamic) {
                return facts.unknown();
            }
        }
        at += 1;
    }
    CommandEffect::Reads
}

pub(super) fn fd(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    for item in OptionIter::new(&words[1..], "dtecEoSjgC") {
        match item {
            Item::Operand(word) | Item::Option { word, .. } if word.is_dynamic => {
                return facts.unknown();
            }
            Item::Operand(word) => facts.name(word),
            Item::Option { name, word, .. } => {
                let cluster = !word.text.starts_with("--") && word.text.contains(['x', 'X']);
                if cluster
                    || is_harmful(
                        name,
                        &["-x", "-X", "--exec", "--exec-batch", "-l", "--list-details"],
                    )
                {
                    return CommandEffect::Other;
                }
            }
        }
    }
    CommandEffect::Reads
}

pub(super) fn ar(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let Some(texts) = fixed_words(words, facts) else {
        return CommandEffect::Other;
    };
    match texts.get(1).map(|text| text.trim_start_matches('-')) {
        Some(mode) if mode.starts_with('t') && mode.bytes().all(|b| b"tvO".contains(&b)) => {
            words[2..].iter().for_each(|word| facts.read(word));
            CommandEffect::Reads
        }
        _ => CommandEffect::Other,
    }
}

pub(super) fn gzip(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let Some(texts) = fixed_words(words, facts) else {
        return CommandEffect::Other;
    };
    let reads = texts.get(1).is_some_and(|text| {
        matches!(
            *text,
            "-l" | "-t" | "-lv" | "-tv" | "--list" | "--test" | "-dc" | "-cd"
        )
    });
    let is_known = texts[1..].iter().all(|text| {
        !text.starts_with('-')
            || matches!(
                *text,
                "-l" | "-t" | "-v" | "-lv" | "-tv" | "--list" | "--test" | "-dc" | "-cd"
            )
    });
    words[1..]
        .iter()
        .filter(|word| !word.text.starts_with('-'))
        .for_each(|word| facts.read(word));
    if reads && is_known {
        CommandEffect::Reads
    } else {
        CommandEffect::Other
    }
}

pub(super) fn tar(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let Some(texts) = fixed_words(words, facts) else {
        return CommandEffect::Other;
    };
    let Some(first) = texts.get(1) else {
        return CommandEffect::Other;
    };
    let mode = first.trim_start_matches('-');
    let lists = *first == "--list"
        || !first.starts_with("--")
            && mode.contains('t')
            && mode.bytes().all(|b| b"tvzjJfaZ".contains(&b));
    let is_known = texts[2..].iter().all(|text| {
        !text.starts_with('-')
            || matches!(
                *text,
                "-v" | "-f"
                    | "-z"
                    | "-j"
                    | "-J"
                    | "--verbose"
                    | "--wildcards"
                    | "--gzip"
                    | "--xz"
                    | "--bzip2"
                    | "--zstd"
                    | "--full-time"
            )
            || text.starts_with("--file=")
            || text.starts_with("--exclude=")
            || text.starts_with("--strip-components=")
    });
    // `host:archive` is fetched through ssh.
    let is_remote = texts[1..]
        .iter()
        .any(|text| text.contains(':') && !text.starts_with("--exclude"));
    words[1..]
        .iter()
        .filter(|word| !word.text.starts_with('-'))
        .for_each(|word| facts.read(word));
    if lists && is_known && !is_remote {
        CommandEffect::Reads
    } else {
        CommandEffect::Other
    }
}

pub(super) fn unzip(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let Some(texts) = fixed_words(words, facts) else {
        return CommandEffect::Other;
    };
    let lists = texts.get(1).is_some_and(|text| {
        matches!(
            *text,
            "-l" | "-v" | "-t" | "-Z" | "-Z1" | "-z" | "-lv" | "-tq"
        )
    });
    let is_known = texts.iter().skip(2).all(|text| !text.starts_with('-'));
    words[1..]
        .iter()
        .filter(|word| !word.text.starts_with('-'))
        .for_each(|word| facts.read(word));
    if lists && is_known {
        CommandEffect::Reads
    } else {
        CommandEffect::Other
    }
}
