//! Programs whose operands determine their effect.

use super::options::{Item, OptionIter, is_harmful};
use crate::environment;
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::heuristics::sed_script as editor;
use crate::name_list::{NameList, names};
use crate::script::ScriptWord;

/// Judges a command by the texts of its words, which must all be known.
pub(super) fn by_text(
    words: &[ScriptWord<'_>],
    facts: &mut CommandFacts,
    reads: impl FnOnce(&[&str]) -> bool,
) -> CommandEffect {
    if words.iter().any(|word| word.is_dynamic) {
        return facts.unknown();
    }
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    CommandEffect::reads_if(reads(&texts))
}

/// Judges `awk`: its program may run other programs and write files.
pub(super) fn awk(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let mut program = None;
    for item in OptionIter::new(&words[1..], "Fv") {
        match item {
            Item::Operand(word) if word.is_dynamic => return facts.unknown(),
            Item::Operand(word) => match program {
                None => program = Some(&*word.text),
                Some(_) if word.text.contains('=') => {}
                Some(_) => facts.read(word),
            },
            Item::Option { word, .. } if word.is_dynamic => return facts.unknown(),
            Item::Option {
                name:
                    "-F" | "-v" | "--csv" | "--re-interval" | "--posix" | "--traditional" | "--version",
                ..
            } => {}
            Item::Option { .. } => return CommandEffect::Other,
        }
    }
    match program {
        Some(program) if awk_only_prints(program) => CommandEffect::Reads,
        None if words.len() == 2 => CommandEffect::Reads,
        _ => CommandEffect::Other,
    }
}

/// Reports whether an awk program only prints: it contains no `system`, pipe, `getline`, redirection after a `print`,
/// or extension. Strings and expressions are not distinguished: such a word in a string counts as well.
fn awk_only_prints(program: &str) -> bool {
    let has_pipe = program.replace("||", "").contains('|');
    let redirects = match (program.find("print"), program.rfind('>')) {
        (Some(print), Some(greater)) => print < greater,
        _ => false,
    };
    let mut runs = "system getline @ close fflush ENVIRON".split(' ');
    let has_word = program.contains("\\\n") || runs.any(|word| program.contains(word));
    !has_pipe && !redirects && !has_word
}

/// Judges `grep`; for a folder, everything in the folder counts as read.
pub(super) fn grep(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let mut seen_pattern = false;
    for item in OptionIter::new(&words[1..], "ABCDdefm") {
        match item {
            Item::Operand(word) | Item::Option { word, .. } if word.is_dynamic => {
                return facts.unknown();
            }
            Item::Operand(word) if seen_pattern => facts.read(word),
            Item::Operand(_)
            | Item::Option {
                name: "-e" | "--regexp",
                ..
            } => seen_pattern = true,
            Item::Option {
                name: "-f" | "--file",
                value,
                word,
            } => {
                seen_pattern = true;
                if let Some(value) = value {
                    facts.read_text(value, word);
                }
            }
            Item::Option { .. } => {}
        }
    }
    CommandEffect::Reads
}

pub(super) fn jq(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let mut operands = 0;
    let mut skip = 0;
    for word in &words[1..] {
        if word.is_dynamic {
            return facts.unknown();
        }
        let text = &*word.text;
        if skip > 0 {
            skip -= 1;
            facts.read(word);
        } else if text.starts_with('-') {
            skip = match text {
                "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => 2,
                "-f" | "--from-file" | "-L" | "--indent" => 1,
                _ => 0,
            };
            if matches!(text, "-L" | "--args" | "--jsonargs") || text.starts_with("-L") {
                return CommandEffect::Other;
            }
        } else {
            operands += 1;
            // A jq program can read the environment, which may contain keys.
            if operands == 1
                && ((text.contains("env") || text.contains("ENV")) && text.contains('$')
                    || text.trim() == "env")
            {
                return CommandEffect::Other;
            }
            if operands > 1 {
                facts.read(word);
            }
        }
    }
    CommandEffect::Reads
}

pub(super) fn printf(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let Some(first) = words.get(1) else {
        return CommandEffect::Reads;
    };
    if first.is_dynamic && first.text.is_empty() {
        return facts.unknown();
    }
    CommandEffect::reads_if(!first.text.starts_with("-v"))
}

/// Judges `uniq`: its second operand is a file that it writes.
pub(super) fn uniq(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let mut operands = 0;
    for item in OptionIter::new(&words[1..], "fsw") {
        match item {
            Item::Operand(word) | Item::Option { word, .. } if word.is_dynamic => {
                return facts.unknown();
            }
            Item::Operand(word) => {
                operands += if word.is_glob { 2 } else { 1 };
                facts.read(word);
            }
            Item::Option { .. } => {}
        }
    }
    CommandEffect::reads_if(operands <= 1)
}

pub(super) fn xxd(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let mut operands = 0;
    let mut is_value = false;
    for word in &words[1..] {
        if word.is_dynamic || word.is_glob {
            return facts.unknown();
        }
        let text = &*word.text;
        if is_value {
            is_value = false;
        } else if text.starts_with('-') && text.len() > 1 {
            if text.starts_with("-r") || text.starts_with("--r") {
                return CommandEffect::Other;
            }
            is_value = names!("-c -cols -g -l -len -o -s -n -R").has(text);
        } else {
            operands += 1;
            facts.read(word);
        }
    }
    CommandEffect::reads_if(operands <= 1)
}

/// Judges `sed`; see [`editor`].
pub(super) fn sed(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let call = match editor::read(words) {
        Ok(call) => call,
        Err(refusal) => {
            facts.refuse(refusal.reason(), refusal.is_catastrophic());
            return CommandEffect::Other;
        }
    };
    for at in call.files {
        if words[at].is_dynamic {
            return facts.unknown();
        }
        if call.in_place {
            facts.write(&words[at]);
        } else {
            facts.read(&words[at]);
        }
    }
    if call.in_place {
        CommandEffect::Edits
    } else {
        CommandEffect::Reads
    }
}

/// Judges `date`, which displays or sets the time.
pub(super) fn date(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    for item in OptionIter::new(&words[1..], "dfrsvI") {
        match item {
            Item::Operand(word) if word.text.starts_with('+') => {}
            Item::Operand(word) | Item::Option { word, .. } if word.is_dynamic => {
                return facts.unknown();
            }
            Item::Operand(_) => return CommandEffect::Other,
            Item::Option { name, .. } if is_harmful(name, names!("-s --set -j -n")) => {
                return CommandEffect::Other;
            }
            Item::Option {
                name: "-f" | "-r" | "--file" | "--reference",
                value: Some(value),
                word,
            } => facts.read_text(value, word),
            Item::Option { .. } => {}
        }
    }
    CommandEffect::Reads
}

pub(super) fn getent(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const PUBLIC: NameList = NameList::new("passwd group hosts services protocols networks ahosts");
    by_text(words, facts, |texts| {
        texts.get(1).is_some_and(|text| PUBLIC.has(text))
    })
}

pub(super) fn history(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    by_text(words, facts, |texts| match texts[1..] {
        [] => true,
        [count] => count.bytes().all(|b| b.is_ascii_digit()),
        _ => false,
    })
}

pub(super) fn printenv(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let effect = by_text(words, facts, |_| true);
    let mut names = words[1..].iter().map(|word| &word.text);
    if effect == CommandEffect::Reads && names.any(|name| environment::is_secret(name)) {
        facts.refuse("it shows a secret of the environment", true);
    }
    effect
}

pub(super) fn interface(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    by_text(words, facts, |texts| texts.len() <= 2)
}

pub(super) fn sysctl(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const FLAGS: NameList = NameList::new("-a -n -e -N --all --values --names");
    by_text(words, facts, |texts| {
        texts[1..]
            .iter()
            .all(|text| FLAGS.has(text) || !text.starts_with('-') && !text.contains('='))
    })
}
