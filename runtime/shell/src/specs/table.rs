//! The format of specs.

use super::judged::CommandJudgement;
use super::word::Word;
use crate::name_list::{NameList, names};

/// The spec of a program, or of a sub-command.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    /// The short options without a value that only affect the output.
    pub(crate) flags: &'static str,
    /// The long options without a value that only affect the output, without dashes: a list of names.
    pub(crate) long: NameList,
    /// The options with a value, or with an effect.
    pub(crate) options: &'static [OptSpec],
    pub(crate) operands: OperandSpec,
    /// Whether the first operand ends the options. Otherwise options may occur anywhere before `--`.
    pub(crate) stops_at_operand: bool,
    /// Whether `-5` is an option (`head -5`).
    pub(crate) takes_number: bool,
    /// Whether no option of the program, listed or not, writes, runs a program or changes anything: a word whose value
    /// is unknown before the line runs may then be any option.
    pub(crate) accepts_all_options: bool,
}

/// A program with its own argument syntax.
pub(crate) struct SpecialProgram {
    pub(crate) name: &'static str,
    /// Judges the arguments; returns `None` if the call is not known to only read.
    pub(crate) judge: fn(&[Word]) -> Option<CommandJudgement>,
    /// Read-only calls, which the oracle runs.
    pub(crate) samples: &'static [&'static str],
}

/// The meaning of a program's operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperandSpec {
    /// Text without an effect.
    Text,
    /// Files whose metadata is displayed, but not their content.
    Names,
    /// Files whose content is displayed.
    Files,
    /// A file whose content is displayed. A second operand would be written.
    OneFile,
    /// A pattern, or a program in a harmless language, followed by files whose content is displayed.
    Pattern,
    /// No operands are accepted: an operand changes something.
    Nothing,
    /// No operands are accepted except `+FORMAT`.
    Format,
}

impl OperandSpec {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Names => "names",
            Self::Files => "files",
            Self::OneFile => "file",
            Self::Pattern => "pattern",
            Self::Nothing => "nothing",
            Self::Format => "format",
        }
    }
}

/// An option with a value, or with an effect.
#[derive(Debug)]
pub(crate) struct OptSpec {
    /// The letter; 0 if there is none.
    pub(crate) short: u8,
    /// The long name; empty if there is none.
    pub(crate) long: &'static str,
    pub(crate) effect: OptEffect,
    /// A sample value, for tests.
    pub(crate) sample: &'static str,
}

impl OptSpec {
    /// Returns the spellings of the option, each as a list of words.
    pub(crate) fn spellings(&self) -> Vec<Vec<String>> {
        let letter = (self.short != 0).then(|| format!("-{}", char::from(self.short)));
        let name = (!self.long.is_empty()).then(|| format!("--{}", self.long));
        let value = self.sample;
        let mut spellings = Vec::new();
        for (option, attached) in [
            letter.map(|option| (option.clone(), format!("{option}{value}"))),
            name.map(|option| (option.clone(), format!("{option}={value}"))),
        ]
        .into_iter()
        .flatten()
        {
            match self.effect {
                OptEffect::Optional if value.is_empty() => spellings.push(vec![option]),
                OptEffect::Optional => spellings.extend([vec![option], vec![attached]]),
                kind if kind.takes_value() => {
                    spellings.extend([vec![option, value.to_owned()], vec![attached]]);
                }
                _ => spellings.push(vec![option]),
            }
        }
        spellings
    }
}

/// The effect of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptEffect {
    /// The value is text.
    Text,
    /// The option has no value and no effect. It is listed for the function that judges the operands.
    Flag,
    /// The value is text that is attached or missing.
    Optional,
    /// The value is a file whose content may be displayed.
    Reads,
    /// The value is a pattern, so that the operands contain none.
    Pattern,
    /// The value is a file of patterns, so that the operands contain no pattern.
    PatternFile,
    /// The option has no value, and the operands contain no pattern.
    NoPattern,
    /// The value is a file that is written.
    Writes,
    /// The option has no value, and changes something other than a file of the command line.
    Acts,
    /// As [`Acts`](Self::Acts), with a value.
    ActsWithValue,
    /// The value is a program, or starts a program.
    Runs,
    /// The option has no value, and opens connections.
    Connects,
}

impl OptEffect {
    /// Reports whether the next word is the value if no value is attached.
    pub(crate) const fn takes_value(self) -> bool {
        !matches!(
            self,
            Self::Flag | Self::NoPattern | Self::Optional | Self::Acts | Self::Connects
        )
    }
}

/// Creates a spec without options.
pub(crate) const fn spec(name: &'static str, operands: OperandSpec) -> Spec {
    Spec {
        name,
        flags: "",
        long: names!(""),
        options: &[],
        operands,
        stops_at_operand: false,
        takes_number: false,
        accepts_all_options: false,
    }
}

/// Creates a spec of a program that is harmless with any option.
pub(crate) const fn harmless(name: &'static str, operands: OperandSpec) -> Spec {
    Spec {
        accepts_all_options: true,
        ..spec(name, operands)
    }
}

impl Spec {
    /// Sets the options without a value that only affect the output: letters, and a list of long names.
    pub(crate) const fn flags(mut self, letters: &'static str, long: &'static str) -> Self {
        self.flags = letters;
        self.long = NameList::new(long);
        self
    }

    /// Sets the options with a value, or with an effect.
    pub(crate) const fn options(mut self, options: &'static [OptSpec]) -> Self {
        self.options = options;
        self
    }

    pub(crate) const fn stops_at_operand(mut self) -> Self {
        self.stops_at_operand = true;
        self
    }

    pub(crate) const fn takes_number(mut self) -> Self {
        self.takes_number = true;
        self
    }
}

const fn opt(short: char, long: &'static str, kind: OptEffect, sample: &'static str) -> OptSpec {
    OptSpec {
        short: short as u8,
        long,
        effect: kind,
        sample,
    }
}

/// The letter of an option without a short form.
pub(crate) const NONE: char = '\0';

/// Creates an option whose value is text.
pub(crate) const fn text(short: char, long: &'static str, sample: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Text, sample)
}

/// Creates an option without a value and without an effect.
pub(crate) const fn flag(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Flag, "")
}

/// Creates an option without a value with which all operands are files.
pub(crate) const fn flag_without_pattern(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::NoPattern, "")
}

/// Creates an option whose value is attached or missing.
pub(crate) const fn optional(short: char, long: &'static str, sample: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Optional, sample)
}

/// Creates an option whose value is a file that is read.
pub(crate) const fn reads(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Reads, "input")
}

/// Creates an option whose value is a file that is written.
pub(crate) const fn writes(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Writes, "output")
}

/// Creates an option without a value that changes something.
pub(crate) const fn acts(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Acts, "")
}

/// Creates an option with a value that changes something.
pub(crate) const fn acts_with(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::ActsWithValue, "")
}

/// Creates an option that starts a program.
pub(crate) const fn runs(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Runs, "")
}

/// Creates an option without a value that opens connections.
pub(crate) const fn connects(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Connects, "")
}

/// Creates an option whose value is a pattern.
pub(crate) const fn pattern(short: char, long: &'static str, sample: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Pattern, sample)
}

/// Creates an option whose value is a file of patterns.
pub(crate) const fn pattern_file(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::PatternFile, "input")
}

/// Finds a spec in a table that is sorted by name.
pub(crate) fn find(table: &'static [Spec], name: &str) -> Option<&'static Spec> {
    let at = table.binary_search_by(|spec| spec.name.cmp(name)).ok()?;
    Some(&table[at])
}
