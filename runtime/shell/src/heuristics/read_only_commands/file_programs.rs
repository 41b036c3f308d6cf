//! Programs that find, list and archive files.

use super::options::{Item, OptionIter, is_harmful};
use super::special::by_text;
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::name_list::{NameList, names};
use crate::script::ScriptWord;

/// Judges `[` and `test`: the operand of `-v` or `-R` may contain an expression that runs a command.
pub(super) fn test(words: &[ScriptWord<'_>], _: &mut CommandFacts) -> CommandEffect {
    let evaluates = |word: &ScriptWord<'_>| {
        matches!(&*word.text, "-v" | "-R")
            || word.is_dynamic && word.text.is_empty() && !word.is_quoted
    };
    CommandEffect::reads_if(!words[1..].iter().any(evaluates))
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

/// Judges `find`: its predicates run programs, remove files and write files.
pub(super) fn find(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const HARMFUL: NameList = NameList::new("-delete -fprint -fprint0 -fprintf -fls -ok -okdir");
    const VALUED: NameList = NameList::new(
        "-name -iname -path -ipath -wholename -regex -iregex -lname -ilname \
                          -newer -printf",
    );
    let mut in_places = true;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        if word.is_dynamic || word.is_glob && word.text.starts_with(['*', '?', '[']) && !in_places {
            return facts.unknown();
        }
        let text = &*word.text;
        if HARMFUL.has(text) || text.starts_with("-files0-from") {
            return CommandEffect::Other;
        }
        in_places &= !text.starts_with('-') && !matches!(text, "!" | "(")
            || matches!(text, "-L" | "-H" | "-P");
        if in_places && !text.starts_with('-') {
            facts.name(word);
        }
        if matches!(text, "-exec" | "-execdir") {
            // The command that `find` runs is judged separately.
            let end = words[at..]
                .iter()
                .position(|word| matches!(&*word.text, ";" | "+"));
            at += end.unwrap_or(0);
        }
        if VALUED.has(text) {
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
    const HARMFUL: NameList = NameList::new("-x -X --exec --exec-batch -l --list-details");
    for item in OptionIter::new(&words[1..], "dtecEoSjgC") {
        match item {
            Item::Operand(word) | Item::Option { word, .. } if word.is_dynamic => {
                return facts.unknown();
            }
            Item::Operand(word) => facts.name(word),
            Item::Option { name, word, .. } => {
                let cluster = !word.text.starts_with("--") && word.text.contains(['x', 'X']);
                if cluster || is_harmful(name, HARMFUL) {
                    return CommandEffect::Other;
                }
            }
        }
    }
    CommandEffect::Reads
}

pub(super) fn ar(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let effect = by_text(words, facts, |texts| {
        let mode = texts.get(1).map_or("", |text| text.trim_start_matches('-'));
        mode.starts_with('t') && mode.bytes().all(|b| b"tvO".contains(&b))
    });
    if effect == CommandEffect::Reads {
        words[2..].iter().for_each(|word| facts.read(word));
    }
    effect
}

/// Judges an archive program by the texts of its words; every operand may be read.
fn archive(
    words: &[ScriptWord<'_>],
    facts: &mut CommandFacts,
    lists: impl FnOnce(&[&str]) -> bool,
) -> CommandEffect {
    if words.iter().all(|word| !word.is_dynamic) {
        words[1..]
            .iter()
            .filter(|word| !word.text.starts_with('-'))
            .for_each(|word| facts.read(word));
    }
    by_text(words, facts, lists)
}

pub(super) fn gzip(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const READS: NameList = NameList::new("-l -t -lv -tv --list --test -dc -cd");
    archive(words, facts, |texts| {
        let reads = |text: &str| READS.has(text);
        texts.get(1).is_some_and(|text| reads(text))
            && texts[1..]
                .iter()
                .all(|text| !text.starts_with('-') || *text == "-v" || reads(text))
    })
}

pub(super) fn tar(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const FLAGS: NameList = NameList::new(
        "-v -f -z -j -J --verbose --wildcards --gzip --xz --bzip2 --zstd --full-time",
    );
    if words.len() < 2 {
        return CommandEffect::Other;
    }
    archive(words, facts, |texts| {
        let mode = texts[1].trim_start_matches('-');
        let lists = texts[1] == "--list"
            || !texts[1].starts_with("--")
                && mode.contains('t')
                && mode.bytes().all(|b| b"tvzjJfaZ".contains(&b));
        let is_known = |text: &&str| {
            !text.starts_with('-')
                || FLAGS.has(text)
                || text.starts_with("--file=")
                || text.starts_with("--exclude=")
                || text.starts_with("--strip-components=")
        };
        // `host:archive` is fetched over ssh.
        let is_remote = |text: &&str| text.contains(':') && !text.starts_with("--exclude");
        lists && texts[2..].iter().all(is_known) && !texts[1..].iter().any(is_remote)
    })
}

pub(super) fn unzip(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    archive(words, facts, |texts| {
        let is_known = texts.iter().skip(2).all(|text| !text.starts_with('-'));
        let lists = |text: &&str| names!("-l -v -t -Z -Z1 -z -lv -tq").has(text);
        is_known && texts.get(1).is_some_and(lists)
    })
}
