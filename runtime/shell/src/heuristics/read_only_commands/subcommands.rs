//! Programs with sub-commands.

use super::options::{Item, OptionIter, is_harmful};
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::name_list::{self, NameList, names};
use crate::script::ScriptWord;

/// The sub-commands with which a program changes nothing.
pub(super) struct SubcommandSet {
    /// The options before the sub-command that change nothing: with a separate value, or without a value.
    pub(super) flags: NameList,
    pub(super) value_options: NameList,
    /// The options that print the version in place of a sub-command.
    pub(super) version_options: NameList,
    /// Whether the program may be called without a sub-command.
    pub(super) allows_no_subcommand: bool,
    pub(super) subcommands: &'static [Subcommands],
}

/// Sub-commands that only read, and accept the same arguments.
pub(super) struct Subcommands {
    /// The names, separated by commas; two-word names are possible.
    paths: &'static str,
    /// The filter of the words of the names.
    filter: u128,
    /// The options with which the sub-commands do more than read.
    harmful: NameList,
    operands: OperandKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandKind {
    /// Operands are names of objects of the program.
    Names,
    /// Operands are files.
    Files,
    /// No operands are accepted: with an operand, the sub-command changes something.
    Nothing,
}

/// Creates a set with the global options that most programs with sub-commands accept.
pub(super) const fn family(subcommands: &'static [Subcommands]) -> SubcommandSet {
    SubcommandSet {
        flags: names!(""),
        value_options: names!(""),
        version_options: names!("--version --help -h -v version help"),
        allows_no_subcommand: false,
        subcommands,
    }
}

/// Creates sub-commands whose operands are names.
pub(super) const fn sub(paths: &'static str, harmful: &'static str) -> Subcommands {
    Subcommands {
        paths,
        filter: name_list::filter(paths),
        harmful: NameList::new(harmful),
        operands: OperandKind::Names,
    }
}

pub(super) const fn with_files(paths: &'static str, harmful: &'static str) -> Subcommands {
    Subcommands {
        operands: OperandKind::Files,
        ..sub(paths, harmful)
    }
}

/// Creates sub-commands without operands.
pub(super) const fn alone(paths: &'static str, harmful: &'static str) -> Subcommands {
    Subcommands {
        operands: OperandKind::Nothing,
        ..sub(paths, harmful)
    }
}

impl SubcommandSet {
    /// Returns the effect of the program with its arguments.
    pub(super) fn judge(
        &self,
        words: &[ScriptWord<'_>],
        facts: &mut CommandFacts,
    ) -> CommandEffect {
        let Some(at) = self.skip_options(words) else {
            return CommandEffect::Other;
        };
        let rest = words.get(at..).unwrap_or_default();
        let Some(first) = rest.first() else {
            return CommandEffect::reads_if(self.allows_no_subcommand && at == 1);
        };
        if first.fixed().is_none() {
            return facts.unknown();
        }
        if self.version_options.has(&first.text) && rest.len() == 1 {
            return CommandEffect::Reads;
        }
        judge_subcommand(self.subcommands, rest, facts)
    }

    fn skip_options(&self, words: &[ScriptWord<'_>]) -> Option<usize> {
        let mut at = 1;
        while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
            let text = word.fixed()?;
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            if self.value_options.has(name) {
                at += if text.contains('=') { 1 } else { 2 };
            } else if self.flags.has(text) {
                at += 1;
            } else if self.version_options.has(text) {
                break;
            } else {
                return None;
            }
        }
        Some(at)
    }
}

/// Judges the sub-command at the beginning of the words; two-word names take precedence.
pub(super) fn judge_subcommand(
    subcommands: &'static [Subcommands],
    words: &[ScriptWord<'_>],
    facts: &mut CommandFacts,
) -> CommandEffect {
    let first = &*words[0].text;
    let second = words.get(1).map_or("", |word| &*word.text);
    let find = |path: (&str, Option<&str>)| {
        let mut groups = subcommands.iter();
        groups.find(|group| group.has(path))
    };
    if let Some(found) = find((first, Some(second))) {
        return found.judge(&words[2..], facts);
    }
    match find((first, None)) {
        Some(found) => found.judge(&words[1..], facts),
        None => CommandEffect::Other,
    }
}

impl Subcommands {
    /// Reports whether these are the sub-commands of this name, of one word or two.
    fn has(&self, path: (&str, Option<&str>)) -> bool {
        let mut paths = self.paths.split(", ");
        name_list::may_contain(self.filter, path.0)
            && paths.any(|listed| match listed.split_once(' ') {
                None => (listed, None) == path,
                Some((first, second)) => (first, Some(second)) == path,
            })
    }

    /// Returns the effect of one of the sub-commands with its arguments.
    pub(super) fn judge(
        &self,
        words: &[ScriptWord<'_>],
        facts: &mut CommandFacts,
    ) -> CommandEffect {
        for item in OptionIter::new(words, "") {
            match item {
                Item::Operand(word) => {
                    if word.is_dynamic {
                        return facts.unknown();
                    }
                    match self.operands {
                        OperandKind::Names => {}
                        OperandKind::Files => facts.read(word),
                        OperandKind::Nothing => return CommandEffect::Other,
                    }
                }
                Item::Option { name, value, word } => {
                    if word.is_dynamic {
                        return facts.unknown();
                    }
                    // Programs of this kind also accept long options with one dash.
                    let long = word
                        .text
                        .split_once('=')
                        .map_or(&*word.text, |(name, _)| name);
                    if is_harmful(name, self.harmful) || self.harmful.has(long) {
                        return CommandEffect::Other;
                    }
                    if let Some((_, file)) = word.text.split_once(':')
                        && self.operands == OperandKind::Files
                    {
                        // `-L1,5:file`
                        facts.read_text(file, word);
                    }
                    if let Some(value) = value.filter(|_| self.operands == OperandKind::Files) {
                        facts.read_text(value, word);
                    }
                }
            }
        }
        CommandEffect::Reads
    }
}
