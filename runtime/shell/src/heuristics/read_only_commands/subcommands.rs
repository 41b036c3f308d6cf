//! Programs whose first operands say what they do.

use super::options::{Item, OptionIter, is_harmful};
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::script::ScriptWord;

/// What a program with sub-commands can do without changing anything.
pub(super) struct SubcommandSet {
    /// The options before the sub-command that change nothing: with a value of their own, or without.
    pub(super) flags: &'static [&'static str],
    pub(super) value_options: &'static [&'static str],
    /// The options that make it say who it is, in the place of a sub-command.
    pub(super) version_options: &'static [&'static str],
    /// Whether it may stand alone.
    pub(super) allows_no_subcommand: bool,
    pub(super) subcommands: &'static [Subcommand],
}

/// One sub-command that only reads.
pub(super) struct Subcommand {
    /// Its name; of two words where it has such.
    path: &'static str,
    /// The options that make it do more.
    harmful: &'static [&'static str],
    operands: OperandKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandKind {
    /// They are names in the program's own world.
    Names,
    /// They are files.
    Files,
    /// There must be none: with one it changes something.
    Nothing,
}

pub(super) const fn sub(path: &'static str, harmful: &'static [&'static str]) -> Subcommand {
    Subcommand {
        path,
        harmful,
        operands: OperandKind::Names,
    }
}

pub(super) const fn with_files(path: &'static str, harmful: &'static [&'static str]) -> Subcommand {
    Subcommand {
        path,
        harmful,
        operands: OperandKind::Files,
    }
}

pub(super) const fn alone(path: &'static str, harmful: &'static [&'static str]) -> Subcommand {
    Subcommand {
        path,
        harmful,
        operands: OperandKind::Nothing,
    }
}

impl SubcommandSet {
    /// Returns what the program does with its arguments.
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
            return if self.allows_no_subcommand && at == 1 {
                CommandEffect::Reads
            } else {
                CommandEffect::Other
            };
        };
        if first.fixed().is_none() {
            return facts.unknown();
        }
        if self.version_options.contains(&&*first.text) && rest.len() == 1 {
            return CommandEffect::Reads;
        }
        let second = rest.get(1).map_or("", |word| &*word.text);
        let is = |sub: &&Subcommand| match sub.path.split_once(' ') {
            None => sub.path == first.text,
            Some((one, two)) => one == first.text && two == second,
        };
        let found = self
            .subcommands
            .iter()
            .filter(|sub| sub.path.contains(' '))
            .find(is);
        let Some(sub) = found.or_else(|| {
            self.subcommands
                .iter()
                .filter(|sub| !sub.path.contains(' '))
                .find(is)
        }) else {
            return CommandEffect::Other;
        };
        let taken = 1 + usize::from(sub.path.contains(' '));
        sub.judge(&rest[taken..], facts)
    }

    fn skip_options(&self, words: &[ScriptWord<'_>]) -> Option<usize> {
        let mut at = 1;
        while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
            let text = word.fixed()?;
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            if self.value_options.contains(&name) {
                at += if text.contains('=') { 1 } else { 2 };
            } else if self.flags.contains(&text) {
                at += 1;
            } else if self.version_options.contains(&text) {
                break;
            } else {
                return None;
            }
        }
        Some(at)
    }
}

impl Subcommand {
    fn judge(&self, words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
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
                    // Programs of this kind take long options with one dash too.
                    let long = word
                        .text
                        .split_once('=')
                        .map_or(&*word.text, |(name, _)| name);
                    if is_harmful(name, self.harmful) || self.harmful.contains(&long) {
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

impl Subcommand {
    pub(super) fn path(&self) -> &'static str {
        self.path
    }

    pub(super) fn judge_rest(
        &self,
        words: &[ScriptWord<'_>],
        facts: &mut CommandFacts,
    ) -> CommandEffect {
        self.judge(words, facts)
    }
}
