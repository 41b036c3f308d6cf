//! The evaluation of specs: the effect of a program with its arguments.

use super::getopt::{GetoptItem, GetoptIter, OptValue};
use super::judged::{CommandJudgement, Effect};
use super::table::{OperandSpec, OptEffect, OptSpec, Spec};
use super::word::Word;
use crate::FileAccess;

impl CommandJudgement {
    /// Creates a judgement with an effect and without file accesses.
    pub(crate) const fn new(effect: Effect) -> Self {
        Self {
            effect,
            touches: Vec::new(),
            runs: Vec::new(),
            is_opaque: false,
            network: false,
        }
    }

    /// Creates the judgement of a program that only reads.
    pub(crate) const fn new_reading() -> Self {
        Self::new(Effect::Reads)
    }

    /// Creates the judgement of a program that only reads this file.
    pub(crate) fn new_reading_of(file: &Word) -> Self {
        let mut judged = Self::new_reading();
        judged.read(file);
        judged
    }

    /// Creates the judgement of a program that only reads if `is_reading` is true, and is opaque otherwise.
    pub(crate) fn new_reading_if(is_reading: bool) -> Self {
        if is_reading {
            Self::new_reading()
        } else {
            Self::new_opaque()
        }
    }

    /// Creates the judgement of a program that acts, and that a rule may cover.
    pub(crate) const fn new_acting() -> Self {
        Self::new(Effect::Acts)
    }

    /// Creates the judgement of an opaque program, whose effect a prefix rule does not determine.
    pub(crate) fn new_opaque() -> Self {
        Self::new_opaque_if(true)
    }

    /// Creates the judgement of a program that acts, and is opaque if `is_opaque` is true.
    pub(crate) fn new_opaque_if(is_opaque: bool) -> Self {
        Self {
            is_opaque,
            ..Self::new_acting()
        }
    }

    /// Raises the effect to at least this one.
    pub(crate) fn raise(&mut self, effect: Effect) {
        self.effect = self.effect.max(effect);
    }

    /// Marks the command as opaque: a prefix rule about the program does not determine its effect.
    pub(crate) fn hide(&mut self) {
        self.raise(Effect::Acts);
        self.is_opaque = true;
    }

    /// Adds a read of the path in a word.
    pub(crate) fn read(&mut self, word: &Word) {
        self.touch(&word.text, word, word.is_tilde, FileAccess::read)
    }

    /// Adds a write to the path in a word. Programs that read treat `-` as the standard input; for a write, `-` is a
    /// file.
    pub(crate) fn write(&mut self, word: &Word) {
        if word.is_exact && word.text == "-" {
            self.touches.push(FileAccess::write("./-".to_owned()));
            return;
        }
        // Opening a descriptor of the shell by name writes to the file that the descriptor refers to.
        if matches!(&*word.text, "/dev/stdin" | "/dev/stdout" | "/dev/stderr") {
            self.raise(Effect::Acts);
        }
        self.touch(&word.text, word, word.is_tilde, FileAccess::write)
    }

    /// Adds a read of the file that the value of an option names.
    fn read_value(&mut self, value: OptValue<'_>) {
        let is_tilde = value.is_whole && value.word.is_tilde;
        self.touch(value.text, value.word, is_tilde, FileAccess::read)
    }

    /// Adds a write to the file that the value of an option names.
    fn write_value(&mut self, value: OptValue<'_>) {
        let is_tilde = value.is_whole && value.word.is_tilde;
        self.touch(value.text, value.word, is_tilde, FileAccess::write)
    }

    /// Applies the effect of an option.
    pub(crate) fn take_option(&mut self, effect: OptEffect, value: Option<OptValue<'_>>) {
        match (effect, value) {
            (OptEffect::Reads | OptEffect::PatternFile, Some(value)) => self.read_value(value),
            (OptEffect::Writes, Some(value)) => {
                self.raise(Effect::Acts);
                self.write_value(value);
            }
            (OptEffect::Acts | OptEffect::ActsWithValue, _) => self.raise(Effect::Acts),
            (OptEffect::Runs, _) => self.hide(),
            (OptEffect::Connects, _) => self.network = true,
            // Text has no effect, and without its value the program only prints an error.
            _ => {}
        }
    }

    fn touch(&mut self, text: &str, word: &Word, is_tilde: bool, touch: fn(String) -> FileAccess) {
        if !word.is_exact {
            // A pattern in a part of a word is not expanded by the shell.
            match word.pattern.as_deref().filter(|_| text == word.text) {
                Some(pattern) if is_device(pattern) => self.hide(),
                Some(pattern) => {
                    let path = literal(pattern, is_tilde);
                    self.touches.push(touch(path).into_pattern());
                }
                None if word.is_listed && self.effect == Effect::Reads => {}
                None => self.raise(Effect::Acts),
            }
            return;
        }
        if matches!(
            text,
            "" | "-" | "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr"
        ) {
            return;
        }
        if is_device(text) {
            return self.hide();
        }
        self.touches.push(touch(literal(text, is_tilde)));
    }
}

/// Returns a path as text. A `~` that the shell does not expand is an ordinary character.
fn literal(text: &str, is_tilde: bool) -> String {
    if text.starts_with('~') && !is_tilde {
        format!("./{text}")
    } else {
        text.to_owned()
    }
}

/// Reports whether a path may be a device that stores or receives restricted data.
fn is_device(path: &str) -> bool {
    let mut names = path.split('/').filter(|name| !matches!(*name, "" | "."));
    let is_rooted = path.starts_with('/');
    if !is_rooted || names.next() != Some("dev") {
        return false;
    }
    let name = names.next().unwrap_or_default();
    let is_stream = matches!(
        name,
        "null" | "zero" | "full" | "random" | "urandom" | "tty" | "stdin" | "stdout" | "stderr"
    );
    !is_stream && !matches!(name, "" | "fd" | "shm" | "pts")
}

/// Judges a command by the spec of its program.
pub(crate) fn judge(spec: &'static Spec, arguments: &[Word]) -> CommandJudgement {
    let mut judged = CommandJudgement::new_reading();
    apply(spec, arguments, &mut judged);
    judged
}

/// Evaluates arguments by a spec.
pub(crate) fn apply(spec: &'static Spec, arguments: &[Word], judged: &mut CommandJudgement) {
    let mut operands = OperandReader {
        spec,
        // Options may follow operands, so whether the first operand is a pattern is known only after all arguments.
        has_pattern: spec.operands == OperandSpec::Pattern && gives_pattern(spec, arguments),
        count: 0,
    };
    for item in GetoptIter::new(spec, arguments) {
        match item {
            GetoptItem::Flag => {}
            GetoptItem::Unknown => judged.hide(),
            GetoptItem::Unclear(_) if !spec.accepts_all_options => judged.hide(),
            // The word may be an option, the value of an option, or an operand.
            GetoptItem::Unclear(word) | GetoptItem::Operand(word, _) => operands.read(word, judged),
            GetoptItem::Option(opt, value) => option(spec, opt, value, judged),
        }
    }
}

fn gives_pattern(spec: &'static Spec, arguments: &[Word]) -> bool {
    GetoptIter::new(spec, arguments).any(|item| {
        matches!(item, GetoptItem::Option(opt, _) if matches!(opt.effect, OptEffect::Pattern | OptEffect::PatternFile | OptEffect::NoPattern))
    })
}

struct OperandReader {
    spec: &'static Spec,
    has_pattern: bool,
    count: usize,
}

impl OperandReader {
    fn read(&mut self, word: &Word, judged: &mut CommandJudgement) {
        self.count += if word.may_be_many { 2 } else { 1 };
        match self.spec.operands {
            OperandSpec::Text => {}
            OperandSpec::Pattern if !self.has_pattern => {
                self.has_pattern = true;
                if word.may_be_many {
                    // If the word becomes several words, the second is a file.
                    judged.read(word);
                }
            }
            OperandSpec::OneFile if self.count > 1 => {
                judged.raise(Effect::Acts);
                judged.write(word);
            }
            OperandSpec::Names
            | OperandSpec::Files
            | OperandSpec::Pattern
            | OperandSpec::OneFile => {
                judged.read(word);
            }
            OperandSpec::Nothing | OperandSpec::Format => {
                let is_format =
                    self.spec.operands == OperandSpec::Format && word.text.starts_with('+');
                if !is_format {
                    judged.raise(Effect::Acts);
                }
            }
        }
    }
}

fn option(
    spec: &'static Spec,
    opt: &'static OptSpec,
    value: Option<OptValue<'_>>,
    judged: &mut CommandJudgement,
) {
    // If the word becomes several words, the second may be an option; so may the next word if the program only accepts
    // an attached value.
    let may_be_option = |value: OptValue<'_>| {
        value.word.may_be_many
            || value.is_whole && value.text.len() > 1 && value.text.starts_with('-')
    };
    if value.is_some_and(may_be_option) && !spec.accepts_all_options {
        judged.hide();
    }
    judged.take_option(opt.effect, value);
}
