//! The options of wrappers that take no value, and what an option of a wrapper is.

use super::{SHAPES, WrapperSpec, is_assignment};
use crate::heuristics::candidates;
use crate::script::ScriptWord;

/// The letters and the long names of the options that take no value. Sorted by name.
static FLAGS: &[(&str, &str, &[&str])] = &[
    ("chroot", "", &["--skip-chdir"]),
    (
        "chrt",
        "abfimorRv",
        &["--batch", "--fifo", "--idle", "--other", "--rr"],
    ),
    ("command", "pvV", &[]),
    ("doas", "Lns", &[]),
    (
        "env",
        "0iv",
        &[
            "--ignore-environment",
            "--null",
            "--debug",
            "--help",
            "--version",
        ],
    ),
    ("exec", "cl", &[]),
    (
        "flock",
        "sxeunoFv",
        &[
            "--shared",
            "--exclusive",
            "--unlock",
            "--nonblock",
            "--nb",
            "--close",
            "--no-fork",
            "--verbose",
        ],
    ),
    ("ionice", "t", &["--ignore"]),
    (
        "parallel",
        "0kqtuvX",
        &["--keep-order", "--null", "--bar", "--dry-run", "--halt"],
    ),
    ("setsid", "cfw", &["--ctty", "--fork", "--wait"]),
    ("strace", "cCdDfFhiknqrtTvVwxyzZ", &["--follow-forks"]),
    (
        "sudo",
        "AbBEeHiKklNnPSsVv",
        &[
            "--preserve-env",
            "--non-interactive",
            "--login",
            "--shell",
            "--stdin",
            "--background",
            "--set-home",
        ],
    ),
    (
        "systemd-run",
        "dGPqrtS",
        &[
            "--user",
            "--scope",
            "--pty",
            "--quiet",
            "--wait",
            "--collect",
        ],
    ),
    ("taskset", "acp", &["--all-tasks", "--cpu-list", "--pid"]),
    (
        "time",
        "apqvV",
        &["--append", "--portability", "--quiet", "--verbose"],
    ),
    (
        "timeout",
        "fpv",
        &[
            "--foreground",
            "--preserve-status",
            "--verbose",
            "--help",
            "--version",
        ],
    ),
    (
        "xargs",
        "0oprtx",
        &[
            "--null",
            "--open-tty",
            "--interactive",
            "--no-run-if-empty",
            "--verbose",
            "--exit",
            "--show-limits",
        ],
    ),
];

/// What an option of a wrapper is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrapperOption {
    /// It is one word.
    SingleWord,
    /// The next word is its value.
    TakesNext,
    /// It is not listed: it may be an abbreviation, and the next word its value or not.
    Unknown,
}

impl WrapperSpec {
    /// Returns what an option is; the programs take abbreviations, which this does not.
    pub(super) fn option(&self, text: &str) -> WrapperOption {
        let flags = FLAGS.binary_search_by(|(name, _, _)| (*name).cmp(self.name));
        let (letters, long) = flags.map_or(("", &[][..]), |at| (FLAGS[at].1, FLAGS[at].2));
        if text.starts_with("--") {
            return match text.split_once('=') {
                _ if long.contains(&text) => WrapperOption::SingleWord,
                None if self.value_options.contains(&text) => WrapperOption::TakesNext,
                Some((name, _)) if self.value_options.contains(&name) || long.contains(&name) => {
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
            if self.value_options.contains(&&*format!("-{letter}")) {
                let is_last = at + letter.len_utf8() == bundle.len();
                return if is_last {
                    WrapperOption::TakesNext
                } else {
                    WrapperOption::SingleWord
                };
            }
            if !letters.contains(letter) {
                return WrapperOption::Unknown;
            }
        }
        WrapperOption::SingleWord
    }
}

/// Returns the word from which on every word may begin a command that a wrapper runs: the options before it are not listed.
pub(crate) fn may_begin(program: &str, words: &[ScriptWord<'_>]) -> Option<usize> {
    if candidates::runs_any_word(program) {
        return Some(1);
    }
    let at = SHAPES
        .binary_search_by(|shape| shape.name.cmp(program))
        .ok()?;
    let shape = &SHAPES[at];
    let mut operands = shape.operands;
    let mut rest = words.iter().enumerate().skip(1);
    while let Some((at, word)) = rest.next() {
        let text = &*word.text;
        if text.starts_with('-') && !matches!(text, "-" | "--") {
            match shape.option(text) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(FLAGS.is_sorted_by_key(|(name, _, _)| *name));
    }
}
