//! How a spec is written down.

use super::judged::CommandJudgement;
use super::word::Word;

/// What is known of a program, or of a sub-command.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    /// The short options without a value that change nothing but what is shown.
    pub(crate) flags: &'static str,
    /// The long options of that kind, without their dashes: a list of names.
    pub(crate) long: &'static str,
    /// The options with a value, or with an effect.
    pub(crate) options: &'static [OptSpec],
    pub(crate) operands: OperandSpec,
    /// Whether the first operand ends the options. Otherwise they may stand anywhere before `--`.
    pub(crate) stops_at_operand: bool,
    /// Whether `-5` is an option (`head -5`).
    pub(crate) takes_number: bool,
    /// Whether no option of the program, named here or not, writes, runs a program or changes anything: a word that is
    /// not known before the line runs may then be any option.
    pub(crate) accepts_all_options: bool,
}

/// A program that reads its arguments in a way of its own.
pub(crate) struct SpecialProgram {
    pub(crate) name: &'static str,
    /// Judges the arguments; none where the call is not one that is known to read.
    pub(crate) judge: fn(&[Word]) -> Option<CommandJudgement>,
    /// Calls that only read: the oracle runs them.
    pub(crate) samples: &'static [&'static str],
}

/// What the operands of a program are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperandSpec {
    /// Text that does nothing, whatever it says.
    Text,
    /// Files of which it says something, but not what is in them.
    Names,
    /// Files whose content it shows.
    Files,
    /// A file whose content it shows. A second operand would be written.
    OneFile,
    /// A pattern or a program in a harmless language, then files whose content it shows.
    Pattern,
    /// There must be none: an operand changes something.
    Nothing,
    /// There must be none but `+FORMAT`.
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
    /// Its letter; 0 where it has none.
    pub(crate) short: u8,
    /// Its long name; empty where it has none.
    pub(crate) long: &'static str,
    pub(crate) effect: OptEffect,
    /// A value to try it with.
    pub(crate) sample: &'static str,
}

impl OptSpec {
    /// Returns the ways to write the option, each as words.
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

/// What an option does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptEffect {
    /// Its value is text.
    Text,
    /// It has no value and changes nothing: it is named for who judges the operands.
    Flag,
    /// Its value is text that stands attached, or is missing.
    Optional,
    /// Its value is a file whose content may be shown.
    Reads,
    /// Its value is a pattern: the operands have none.
    Pattern,
    /// Its value is a file of patterns: the operands have none.
    PatternFile,
    /// It has no value, and the operands have no pattern.
    NoPattern,
    /// Its value is a file that is written.
    Writes,
    /// It has no value, and changes something that is not a file of the command line.
    Acts,
    /// The same with a value.
    ActsWithValue,
    /// Its value is a program, or what starts one.
    Runs,
    /// It has no value, and opens connections.
    Connects,
}

impl OptEffect {
    /// Whether the next word is the value, where none is attached.
    pub(crate) const fn takes_value(self) -> bool {
        !matches!(
            self,
            Self::Flag | Self::NoPattern | Self::Optional | Self::Acts | Self::Connects
        )
    }
}

/// A spec without options.
pub(crate) const fn spec(name: &'static str, operands: OperandSpec) -> Spec {
    Spec {
        name,
        flags: "",
        long: "",
        options: &[],
        operands,
        stops_at_operand: false,
        takes_number: false,
        accepts_all_options: false,
    }
}

/// A spec of a program that does no harm with any option.
pub(crate) const fn harmless(name: &'static str, operands: OperandSpec) -> Spec {
    Spec {
        accepts_all_options: true,
        ..spec(name, operands)
    }
}

impl Spec {
    /// Names the options without a value that change nothing but what is shown: letters, then a list of long names.
    pub(crate) const fn flags(mut self, letters: &'static str, long: &'static str) -> Self {
        self.flags = letters;
        self.long = long;
        self
    }

    /// Names the options with a value, or with an effect.
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

/// Stands for the letter of an option that has none.
pub(crate) const NONE: char = '\0';

/// An option whose value is text.
pub(crate) const fn text(short: char, long: &'static str, sample: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Text, sample)
}

/// An option without a value that changes nothing.
pub(crate) const fn flag(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Flag, "")
}

/// An option without a value that makes all operands files.
pub(crate) const fn flag_without_pattern(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::NoPattern, "")
}

/// An option whose value stands attached, or is missing.
pub(crate) const fn optional(short: char, long: &'static str, sample: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Optional, sample)
}

/// An option whose value is a file that is read.
pub(crate) const fn reads(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Reads, "input")
}

/// An option whose value is a file that is written.
pub(crate) const fn writes(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Writes, "output")
}

/// An option without a value that changes something.
pub(crate) const fn acts(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Acts, "")
}

/// An option with a value that changes something.
pub(crate) const fn acts_with(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::ActsWithValue, "")
}

/// An option that starts a program.
pub(crate) const fn runs(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Runs, "")
}

/// An option without a value that opens connections.
pub(crate) const fn connects(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Connects, "")
}

/// An option whose value is a pattern.
pub(crate) const fn pattern(short: char, long: &'static str, sample: &'static str) -> OptSpec {
    opt(short, long, OptEffect::Pattern, sample)
}

/// An option whose value is a file of patterns.
pub(crate) const fn pattern_file(short: char, long: &'static str) -> OptSpec {
    opt(short, long, OptEffect::PatternFile, "input")
}

/// Finds a spec in a table that is sorted by name.
pub(crate) fn find(table: &'static [Spec], name: &str) -> Option<&'static Spec> {
    let at = table.binary_search_by(|spec| spec.name.cmp(name)).ok()?;
    Some(&table[at])
}
