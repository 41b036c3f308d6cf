//! A command line taken apart: its simple commands, their words and redirections, before anything is judged.

use std::borrow::Cow;

/// How much text is looked at; more is not analysed, and asks.
pub(crate) const MAX_BYTES: usize = 64 * 1024;
/// How much text with constructs is looked at: where it is broken, reading it takes more than its length.
pub(crate) const MAX_NESTED_BYTES: usize = 12 * 1024;
/// How many simple commands are looked at.
pub(crate) const MAX_COMMANDS: usize = 512;
/// How many words a simple command may have after its braces were expanded.
pub(crate) const MAX_WORDS: usize = 4096;

/// A command line taken apart.
#[derive(Debug, Default)]
pub(crate) struct Script<'a> {
    /// Every simple command at any depth, in the order of the text.
    pub(crate) commands: Vec<Command<'a>>,
    /// The constructs that keep a reader from telling what runs, in the order of the text.
    pub(crate) constructs: Vec<Construct>,
    /// Why the text cannot be relied on to mean what it seems to mean.
    pub(crate) unclear: Option<&'static str>,
}

/// One simple command: assignments, words, redirections.
#[derive(Debug, Clone, Default)]
pub(crate) struct Command<'a> {
    /// As it is written.
    pub(crate) text: Cow<'a, str>,
    /// The assignments before its first word, or alone.
    pub(crate) assignments: Vec<Assignment<'a>>,
    /// The program and its arguments.
    pub(crate) words: Vec<ScriptWord<'a>>,
    /// Where its input comes from and its output goes.
    pub(crate) redirects: Vec<Redirect<'a>>,
    /// The command before it in its pipeline, by its place in [`Script::commands`].
    pub(crate) reads_from: Option<usize>,
    /// Whether it surely runs, and in this shell: neither in a pipeline nor in the background nor on a condition.
    pub(crate) is_certain: bool,
}

/// `NAME=value`.
#[derive(Debug, Clone)]
pub(crate) struct Assignment<'a> {
    /// The variable; with its subscript where it has one.
    pub(crate) name: &'a str,
    /// What it is set to.
    pub(crate) value: ScriptWord<'a>,
}

/// One word after quotes, escapes and braces were resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ScriptWord<'a> {
    /// The text; what is only known when it runs is left out of it.
    pub(crate) text: Cow<'a, str>,
    /// Whether it stands for the names of files that it matches.
    pub(crate) is_glob: bool,
    /// Whether a part of it is only known when it runs.
    pub(crate) is_dynamic: bool,
    /// Whether it starts with a `~` that the shell replaces, or with the variable that stands for the same.
    pub(crate) is_home: bool,
    /// Whether any of it was quoted.
    pub(crate) is_quoted: bool,
    /// The variables in it that are not known.
    pub(crate) variables: Vec<&'a str>,
}

impl<'a> ScriptWord<'a> {
    /// Creates a word that is exactly this text.
    pub(crate) fn literal(text: impl Into<Cow<'a, str>>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Returns the text where nothing about it depends on the moment that it runs.
    pub(crate) fn fixed(&self) -> Option<&str> {
        (!self.is_dynamic && !self.is_glob).then_some(&*self.text)
    }

    /// Makes a word that borrows nothing.
    pub(crate) fn into_owned(self) -> ScriptWord<'static> {
        ScriptWord {
            text: Cow::Owned(self.text.into_owned()),
            is_glob: self.is_glob,
            is_dynamic: self.is_dynamic,
            is_home: self.is_home,
            is_quoted: self.is_quoted,
            variables: Vec::new(),
        }
    }
}

/// A redirection of input or output.
#[derive(Debug, Clone)]
pub(crate) struct Redirect<'a> {
    /// What it does to its target.
    pub(crate) kind: RedirectKind,
    /// The file, the descriptor or the text.
    pub(crate) target: ScriptWord<'a>,
}

/// What a redirection does to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`
    Write,
    /// `<>`
    Both,
    /// `>&` and `<&` with a number or a dash
    Duplicate,
    /// `<<<`
    HereString,
    /// `<<`; the target is the text
    HereDocument,
}

/// A construct that keeps a reader from telling what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Construct {
    /// `$(…)` and its older form between backquotes
    CommandSubstitution,
    /// `<(…)` and `>(…)`
    ProcessSubstitution,
    /// `${…}`
    Expansion,
    /// `$((…))` with names in it, `((…))`
    Arithmetic,
    /// `(…)`
    Subshell,
    /// `for` and `select`
    For,
    /// `while`
    While,
    /// `until`
    Until,
    /// `if`
    If,
    /// `case`
    Case,
    /// `name() { … }`
    Function,
    /// `[ … ]` and `[[ … ]]`
    Test,
}

impl Construct {
    /// Returns what to call it in a sentence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CommandSubstitution => "a command substitution",
            Self::ProcessSubstitution => "a process substitution",
            Self::Expansion => "a parameter expansion",
            Self::Arithmetic => "an arithmetic expression",
            Self::Subshell => "a subshell",
            Self::For => "a `for` loop",
            Self::While => "a `while` loop",
            Self::Until => "an `until` loop",
            Self::If => "an `if`",
            Self::Case => "a `case`",
            Self::Function => "a function definition",
            Self::Test => "a test",
        }
    }
}
