//! The parsing of arguments in the manner of `getopt_long` of glibc.
//!
//! Options and operands may be mixed; `--` ends the options; short options may be bundled; the value of an option is
//! attached or the next word. Abbreviated long options are not resolved: which abbreviations are unambiguous depends on
//! the version of the program.

use super::table::{OptEffect, OptSpec, Spec};
use super::word::Word;

/// A parsed item of the arguments.
#[derive(Debug)]
pub(crate) enum GetoptItem<'w> {
    /// An operand, with its index among the arguments.
    Operand(&'w Word, usize),
    /// An option of the spec, with its value.
    Option(&'static OptSpec, Option<OptValue<'w>>),
    /// An option that only affects the output.
    Flag,
    /// An option that the spec does not list.
    Unknown,
    /// A word whose value is unknown before the line runs, and that may be an option.
    Unclear(&'w Word),
}

/// The value of an option.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OptValue<'w> {
    /// The known text of the value.
    pub(crate) text: &'w str,
    /// The word that contains the value.
    pub(crate) word: &'w Word,
    /// Whether the value is the whole word: only then bash expands a `~` at its beginning.
    pub(crate) is_whole: bool,
}

/// An iterator over the arguments of a program.
pub(crate) struct GetoptIter<'w> {
    spec: &'static Spec,
    words: &'w [Word],
    at: usize,
    /// The remaining letters of a bundle, with the word that contains them.
    bundle: Option<(&'w str, &'w Word)>,
    is_over: bool,
}

impl<'w> GetoptIter<'w> {
    /// Creates an iterator over the words after the program.
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
            // The meaning of `-5c` differs between programs.
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

    /// Stores the rest of a bundle for the next call.
    fn behind(&mut self, rest: &'w str, word: &'w Word, item: GetoptItem<'w>) -> GetoptItem<'w> {
        // If the word is not exact, the text after its known letters may be any option.
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
        if attached.is_none() && self.spec.long.has(name) {
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
