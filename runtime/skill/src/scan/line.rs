//! The lines of a file, prepared for the rules.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::Severity;
use super::quoted::{warns, without_quotes};
use helve_core::support::text::first_bytes;
use helve_untrusted::{Flag, find_flags, strip_invisible};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// Text for a model.
    Instructions,
    /// A program.
    Code(Language),
    /// Data.
    Other,
}

/// The languages of programs that the rules distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Shell,
    Python,
    JavaScript,
    /// Any other language.
    Unknown,
}

impl FileKind {
    /// Detects the kind of a file by its name, or by its first line if the name is not conclusive.
    pub(super) fn detect(path: &str, text: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.');
        let ending = ending.map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("md" | "markdown" | "mdx" | "txt" | "rst" | "adoc" | "org") => Self::Instructions,
            Some("sh" | "bash" | "zsh" | "fish" | "ksh" | "command") => Self::Code(Language::Shell),
            Some("py" | "pyw" | "pyi") => Self::Code(Language::Python),
            Some("js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx") => {
                Self::Code(Language::JavaScript)
            }
            Some(
                "rb" | "pl" | "pm" | "php" | "lua" | "ps1" | "psm1" | "bat" | "cmd" | "vbs" | "r"
                | "go" | "rs" | "java" | "kt" | "swift" | "c" | "h" | "cc" | "cpp" | "cs" | "scala"
                | "jl" | "awk" | "applescript",
            ) => Self::Code(Language::Unknown),
            _ => Self::from_first_line(text),
        }
    }

    fn from_first_line(text: &str) -> Self {
        let Some(first) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else {
            return Self::Other;
        };
        let names = |programs: &[&str]| programs.iter().any(|program| first.contains(program));
        Self::Code(match () {
            () if names(&["python"]) => Language::Python,
            () if names(&["node", "deno", "bun"]) => Language::JavaScript,
            () if names(&["sh"]) => Language::Shell,
            () => Language::Unknown,
        })
    }

    pub(super) fn is_code(self) -> bool {
        matches!(self, Self::Code(_))
    }

    pub(super) fn is_instructions(self) -> bool {
        self == Self::Instructions
    }

    pub(super) fn any(self) -> bool {
        true
    }
}

#[derive(Debug)]
pub(super) struct ScannedLine<'t> {
    pub(super) kind: FileKind,
    /// The line number, counted from 1.
    pub(super) number: usize,
    /// The line without invisible characters, which could hide words from the rules.
    pub(super) text: Cow<'t, str>,
    pub(super) in_code_block: bool,
    /// Whether the file imports the module of JavaScript that starts commands.
    pub(super) file_starts_commands: bool,
    /// Whether the line is an item of a list that a warning introduces.
    is_below_warning: bool,
    /// The text in lower case.
    pub(super) lower: String,
    flags: OnceCell<Vec<Flag>>,
}

/// The greatest length of a line that is checked, in bytes; longer lines are data, or padded.
const MAX_LINE_BYTES: usize = 16 << 10;

pub(super) fn lines(text: &str, kind: FileKind) -> impl Iterator<Item = ScannedLine<'_>> {
    let mut block: Option<&str> = None;
    let mut below_warning = false;
    let file_starts_commands = text.contains("child_process");
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines.map(move |(index, line)| {
        let line = first_bytes(line, MAX_LINE_BYTES);
        let start = line.trim_start();
        let fence = ["```", "~~~"]
            .into_iter()
            .find(|fence| start.starts_with(fence));
        let in_code_block = kind.is_instructions() && (block.is_some() || fence.is_some());
        match (block, fence) {
            (None, Some(_)) => block = fence,
            (Some(open), Some(fence)) if open == fence => block = None,
            _ => {}
        }
        let text = strip_invisible(line);
        let lower = text.to_ascii_lowercase();
        if start.starts_with('#') || start.trim_end().ends_with(':') {
            below_warning = warns(&lower);
        } else if !is_item(start) {
            below_warning = false;
        }
        ScannedLine {
            kind,
            number: index + 1,
            lower,
            text,
            in_code_block,
            file_starts_commands,
            is_below_warning: below_warning,
            flags: OnceCell::new(),
        }
    })
}

/// Returns whether a line is an item of a list, a quotation or a row of a table.
fn is_item(line: &str) -> bool {
    line.starts_with(['-', '*', '+', '>', '|']) || line.starts_with(|c: char| c.is_ascii_digit())
}

impl ScannedLine<'_> {
    /// Returns whether the line contains one of these lower-case texts, in any case.
    pub(super) fn has(&self, needles: &[&str]) -> bool {
        needles.iter().any(|needle| self.lower.contains(needle))
    }

    /// Returns whether the line contains one of these as a word, or as the last part of a dotted name,
    /// in any case.
    pub(super) fn has_word(&self, words: &[&str]) -> bool {
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        words.iter().any(|word| {
            let ends_open = word.ends_with(|c: char| !c.is_alphanumeric());
            self.lower.match_indices(word).any(|(at, _)| {
                let before = self.lower[..at].chars().next_back();
                let after = self.lower[at + word.len()..].chars().next();
                !joins(before) && (ends_open || !joins(after))
            })
        })
    }

    /// Returns whether the line contains an attempt to manipulate the model, of one of these kinds.
    pub(super) fn is_flagged(&self, rules: &[&str]) -> bool {
        let flags = self.flags.get_or_init(|| find_flags(&self.text));
        flags.iter().any(|flag| rules.contains(&flag.rule.as_str()))
    }

    /// Returns whether the line only warns of such an attempt: it quotes the attempt, and labels it as
    /// one.
    pub(super) fn only_warns_of(&self, rules: &[&str]) -> bool {
        let warning = self.is_below_warning || warns(&self.lower);
        warning
            && self.is_flagged(rules)
            && !find_flags(&without_quotes(&self.text))
                .iter()
                .any(|flag| rules.contains(&flag.rule.as_str()))
    }
}

/// A rule about single lines.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) severity: Severity,
    /// The kinds of files that the rule applies to.
    pub(super) kinds: fn(FileKind) -> bool,
    /// The description of a finding.
    pub(super) message: &'static str,
    /// The advice.
    pub(super) help: &'static str,
    pub(super) applies: fn(&ScannedLine<'_>) -> bool,
}
