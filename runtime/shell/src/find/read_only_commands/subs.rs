//! Programs whose first operands say what they do.

use super::options::{Item, Options, is_harmful};
use crate::find::command_facts::{CommandFacts, Effect};
use crate::script::Word;

/// What a program with sub-commands can do without changing anything.
pub(super) struct Family {
    /// The options before the sub-command that change nothing: with a value of their own, or without.
    pub(super) flags: &'static [&'static str],
    pub(super) valued: &'static [&'static str],
    /// The options that make it say who it is, in the place of a sub-command.
    pub(super) alone: &'static [&'static str],
    /// Whether it may stand alone.
    pub(super) bare: bool,
    pub(super) subs: &'static [Sub],
}

/// One sub-command that only reads.
pub(super) struct Sub {
    /// Its name; of two words where it has such.
    path: &'static str,
    /// The options that make it do more.
    harmful: &'static [&'static str],
    operands: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// They are names in the program's own world.
    Names,
    /// They are files.
    Files,
    /// There must be none: with one it changes something.
    Nothing,
}

pub(super) const fn sub(path: &'static str, harmful: &'static [&'static str]) -> Sub {
    Sub {
        path,
        harmful,
        operands: Kind::Names,
    }
}

pub(super) const fn of_files(path: &'static str, harmful: &'static [&'static str]) -> Sub {
    Sub {
        path,
        harmful,
        operands: Kind::Files,
    }
}

pub(super) const fn alone(path: &'static str, harmful: &'static [&'static str]) -> Sub {
    Sub {
        path,
        harmful,
        operands: Kind::Nothing,
    }
}

impl Family {
    /// Says what the program does with its arguments.
    pub(super) fn judge(&self, words: &[Word<'_>], facts: &mut CommandFacts) -> Effect {
        let Some(at) = self.skip_options(words) else {
            return Effect::Acts;
        };
        let rest = words.get(at..).unwrap_or_default();
        let Some(first) = rest.first() else {
            return if self.bare && at == 1 {
                Effect::Reads
            } else {
                Effect::Acts
            };
        };
        if first.fixed().is_none() {
            return facts.unknown();
        }
        if self.alone.contains(&&*first.text) && rest.len() == 1 {
            return Effect::Reads;
        }
        let second = rest.get(1).map_or("", |word| &*word.text);
        let is = |sub: &&Sub| match sub.path.split_once(' ') {
            None => sub.path == first.text,
            Some((one, two)) => one == first.text && two == second,
        };
        let found = self
            .subs
            .iter()
            .filter(|sub| sub.path.contains(' '))
            .find(is);
        let Some(sub) = found.or_else(|| {
            self.subs
                .iter()
                .filter(|sub| !sub.path.contains(' '))
                .find(is)
        }) else {
            return Effect::Acts;
        };
        let taken = 1 + usize::from(sub.path.contains(' '));
        sub.judge(&rest[taken..], facts)
    }

    fn skip_options(&self, words: &[Word<'_>]) -> Option<usize> {
        let mut at = 1;
        while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
            let text = word.fixed()?;
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            if self.valued.contains(&name) {
                at += if text.contains('=') { 1 } else { 2 };
            } else if self.flags.contains(&text) {
                at += 1;
            } else if self.alone.contains(&text) {
                break;
            } else {
                return None;
            }
        }
        Some(at)
    }
}

impl Sub {
    fn judge(&self, words: &[Word<'_>], facts: &mut CommandFacts) -> Effect {
        for item in Options::new(words, "") {
            match item {
                Item::Operand(word) => {
                    if word.is_dynamic {
                        return facts.unknown();
                    }
                    match self.operands {
                        Kind::Names => {}
                        Kind::Files => facts.read(word),
                        Kind::Nothing => return Effect::Acts,
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
                        return Effect::Acts;
                    }
                    if let Some((_, file)) = word.text.split_once(':')
                        && self.operands == Kind::Files
                    {
                        // `-L1,5:file`
                        facts.read_text(file, word);
                    }
                    if let Some(value) = value.filter(|_| self.operands == Kind::Files) {
                        facts.read_text(value, word);
                    }
                }
            }
        }
        Effect::Reads
    }
}

impl Sub {
    pub(super) fn path(&self) -> &'static str {
        self.path
    }

    pub(super) fn judge_rest(&self, words: &[Word<'_>], facts: &mut CommandFacts) -> Effect {
        self.judge(words, facts)
    }
}
