//! Arguments, read as `getopt_long` of glibc reads them.
//!
//! Options and operands may be mixed; `--` ends the options; short options stand in bundles; the value of an option is
//! attached to it or the next word. Abbreviations of long options are not resolved: which are unambiguous depends on the
//! version of the program.

use super::table::{OptEffect, OptSpec, Spec};
use super::word::Word;
use crate::name_list;

/// One thing that the arguments say.
#[derive(Debug)]
pub(crate) enum GetoptItem<'w> {
    /// An operand, and where it stands among the arguments.
    Operand(&'w Word, usize),
    /// An option of the table, with its value.
    Option(&'static OptSpec, Option<OptValue<'w>>),
    /// An option that changes nothing but what is shown.
    Flag,
    /// An option that no table names.
    Unknown,
    /// A word that is not known before the line runs, and may be an option.
    Unclear(&'w Word),
}

/// The value of an option.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OptValue<'w> {
    /// What is known of it.
    pub(crate) text: &'w str,
    /// The word that it is, or is a part of.
    pub(crate) word: &'w Word,
    /// Whether it is the whole word: only then a `~` at its beginning was expanded.
    pub(crate) is_whole: bool,
}

/// Goes through the arguments of a program.
pub(crate) struct GetoptIter<'w> {
    spec: &'static Spec,
    words: &'w [Word],
    at: usize,
    /// The letters of a bundle that are left, with the word that they are of.
    bundle: Option<(&'w str, &'w Word)>,
    is_over: bool,
}

impl<'w> GetoptIter<'w> {
    /// Reads the words behind the program.
    pub(crate) const fn new(spec: &'static Spec, words: &'w [Word]) -> Self {
        Self {
            spec,
            words,
            at: 0,
            bundle: None,
            is_over: false,
        }
    }

    fn value_of_next(&mut self) -> Option<OptValue<'w>> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(OptValue {
            text: &word.text,
            word,
            is_whole: true,
        })
    }

    fn short(&mut self, letters: &'w str, word: &'w Word) -> GetoptItem<'w> {
        let Some(letter) = letters.bytes().next().filter(u8::is_ascii) else {
            return GetoptItem::Unknown;
        };
        let rest = &letters[1..];
        if self.spec.takes_number && letter.is_ascii_digit() {
            // `-5c` means something else to each program that knows it.
            let is_number = letters.bytes().all(|b| b.is_ascii_digit());
            return if is_number && word.is_exact {
                GetoptItem::Flag
            } else {
                GetoptItem::Unknown
            };
        }
        if self.spec.flags.bytes().any(|flag| flag == letter) {
            return self.behind(rest, word, GetoptItem::Flag);
        }
        let Some(opt) = self.spec.options.iter().find(|opt| opt.short == letter) else {
            return GetoptItem::Unknown;
        };
        if opt.effect.takes_value() || opt.effect == OptEffect::Optional {
            let is_attached = !rest.is_empty() || !word.is_exact;
            let value = if is_attached {
                Some(OptValue {
                    text: rest,
                    word,
                    is_whole: false,
                })
            } else if opt.effect == OptEffect::Optional {
                None
            } else {
                self.value_of_next()
            };
            return GetoptItem::Option(opt, value);
        }
        self.behind(rest, word, GetoptItem::Option(opt, None))
    }

    /// Keeps the rest of a bundle for the next call.
    fn behind(&mut self, rest: &'w str, word: &'w Word, item: GetoptItem<'w>) -> GetoptItem<'w> {
        // What follows the known letters of a word that is not exact may be any option.
        if !rest.is_empty() || !word.is_exact {
            self.bundle = Some((rest, word));
        }
        item
    }

    fn long(&mut self, name: &'w str, word: &'w Word) -> GetoptItem<'w> {
        let (name, attached) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None if !word.is_exact => return GetoptItem::Unclear(word),
            None => (name, None),
        };
        if let Some(opt) = self.spec.options.iter().find(|opt| opt.long == name) {
            let attached = attached.map(|text| OptValue {
                text,
                word,
                is_whole: false,
            });
            let value = if opt.effect.takes_value() {
                attached.or_else(|| self.value_of_next())
            } else {
                attached
            };
            return GetoptItem::Option(opt, value);
        }
        if attached.is_none() && name_list::has(self.spec.long, name) {
            return GetoptItem::Flag;
        }
        GetoptItem::Unknown
    }
}

impl<'w> Iterator for GetoptIter<'w> {
    type Item = GetoptItem<'w>;

    fn next(&mut self) -> Option<GetoptItem<'w>> {
        if let Some((letters, word)) = self.bundle.take() {
            if letters.is_empty() {
                return Some(GetoptItem::Unclear(word));
            }
            return Some(self.short(letters, word));
        }
        let word = self.words.get(self.at)?;
        let at = self.at;
        self.at += 1;
        let text = &*word.text;
        if self.is_over {
            return Some(GetoptItem::Operand(word, at));
        }
        if word.is_exact && text == "--" {
            self.is_over = true;
            return self.next();
        }
        if !word.may_be_option() || word.is_exact && text == "-" {
            self.is_over = self.spec.stops_at_operand;
            return Some(GetoptItem::Operand(word, at));
        }
        if word.may_be_many || !word.is_exact && text.len() < 2 {
            return Some(GetoptItem::Unclear(word));
        }
        Some(match text.strip_prefix("--") {
            Some(name) => self.long(name, word),
            None => self.short(&text[1..], word),
        })
    }
}
