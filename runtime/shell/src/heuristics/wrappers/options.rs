//! The options of wrappers.

use super::{WrapperSpec, is_assignment};
use crate::heuristics::candidates;
use crate::script::ScriptWord;

/// The form of a wrapper's option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrapperOption {
    /// The option is one word.
    SingleWord,
    /// The next word is the value of the option.
    TakesNext,
    /// The option is not listed: it may be an abbreviation, and may or may not take the next word as its value.
    Unknown,
}

impl WrapperSpec {
    /// Returns the form of an option. The programs accept abbreviations; this function does not.
    pub(super) fn option(&self, text: &str) -> WrapperOption {
        let takes_value = |name: &str| self.value_options.has(name);
        if text.starts_with("--") {
            return match text.split_once('=') {
                None if self.flags.has(text) => WrapperOption::SingleWord,
                None if takes_value(text) => WrapperOption::TakesNext,
                Some((name, _)) if takes_value(name) || self.flags.has(name) => {
                    WrapperOption::SingleWord
                }
                _ => WrapperOption::Unknown,
            };
        }
        let bundle = text.trim_start_matches('-');
        if self.name == "nice" && bundle.bytes().all(|byte| byte.is_ascii_digit()) {
            return WrapperOption::SingleWord;
        }
        for (at, letter) in bundle.char_indices() {
            if takes_value(&format!("-{letter}")) {
                let is_last = at + letter.len_utf8() == bundle.len();
                return if is_last {
                    WrapperOption::TakesNext
                } else {
                    WrapperOption::SingleWord
                };
            }
            if !self.letters.contains(letter) {
                return WrapperOption::Unknown;
            }
        }
        WrapperOption::SingleWord
    }
}

/// Returns the index of the first word that may begin the inner command of a wrapper, if the options before it are not
/// listed.
pub(crate) fn may_begin(program: &str, words: &[ScriptWord<'_>]) -> Option<usize> {
    if candidates::runs_any_word(program) {
        return Some(1);
    }
    let spec = WrapperSpec::find(program)?;
    let mut operands = spec.operands;
    let mut rest = words.iter().enumerate().skip(1);
    while let Some((at, word)) = rest.next() {
        let text = &*word.text;
        if text.starts_with('-') && !matches!(text, "-" | "--") {
            match spec.option(text) {
                WrapperOption::SingleWord => {}
                WrapperOption::TakesNext => {
                    rest.next();
                }
                WrapperOption::Unknown => return Some(at),
            }
        } else if !matches!(text, "-" | "--") && !is_assignment(text) {
            if operands == 0 {
                return None;
            }
            operands -= 1;
        }
    }
    None
}
