//! A parsed command line: simple commands with their words and redirections, before they are judged.

use std::borrow::Cow;

/// The maximum length of an analysed text, in bytes. A longer text is not analysed, and needs approval.
pub(crate) const MAX_BYTES: usize = 64 * 1024;
/// The maximum length of a text with constructs, in bytes: the parse time of a broken text exceeds linear time.
pub(crate) const MAX_NESTED_BYTES: usize = 12 * 1024;
/// The maximum number of analysed simple commands.
pub(crate) const MAX_COMMANDS: usize = 512;
/// The maximum number of words of a simple command after brace expansion.
pub(crate) const MAX_WORDS: usize = 4096;

/// A parsed command line.
#[derive(Debug, Default)]
pub(crate) struct Script<'a> {
    /// All simple commands at any nesting depth, in the order of the text.
    pub(crate) commands: Vec<Command<'a>>,
    /// The constructs that prevent determining what runs, in the order of the text.
    pub(crate) constructs: Vec<Construct>,
    /// The reason why the text may not mean what it appears to mean.
    pub(crate) unclear: Option<&'static str>,
}

/// A simple command: assignments, words, redirections.
#[derive(Debug, Clone, Default)]
pub(crate) struct Command<'a> {
    /// The text of the command.
    pub(crate) text: Cow<'a, str>,
    /// The assignments before the first word, or without any words.
    pub(crate) assignments: Vec<Assignment<'a>>,
    /// The program and its arguments.
    pub(crate) words: Vec<ScriptWord<'a>>,
    /// The redirections of input and output.
    pub(crate) redirects: Vec<Redirect<'a>>,
    /// The index in [`Script::commands`] of the preceding command in the pipeline.
    pub(crate) reads_from: Option<usize>,
    /// Whether the command runs in every case and in this shell: not in a pipeline, in the background, or
    /// conditionally.
    pub(crate) is_certain: bool,
}

/// `NAME=value`.
#[derive(Debug, Clone)]
pub(crate) struct Assignment<'a> {
    /// The name of the variable, with its subscript if it has one.
    pub(crate) name: &'a str,
    /// The assigned value.
    pub(crate) value: ScriptWord<'a>,
}

/// A word after quotes, escapes and braces were resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ScriptWord<'a> {
    /// The text, without the parts whose value is known only at run time.
    pub(crate) text: Cow<'a, str>,
    /// Whether the word contains wildcards that match names of files.
    pub(crate) is_glob: bool,
    /// Whether a part of the word is known only at run time.
    pub(crate) is_dynamic: bool,
    /// Whether the word begins with a `~` that the shell expands, or with `$HOME`.
    pub(crate) is_home: bool,
    /// Whether any part of the word is quoted.
    pub(crate) is_quoted: bool,
    /// The variables in the word with unknown values.
    pub(crate) variables: Vec<&'a str>,
}

impl<'a> ScriptWord<'a> {
    /// Creates a word with exactly this text.
    pub(crate) fn literal(text: impl Into<Cow<'a, str>>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Returns the text if it is completely known before the command runs.
    pub(crate) fn fixed(&self) -> Option<&str> {
        (!self.is_dynamic && !self.is_glob).then_some(&*self.text)
    }

    /// Converts the word into one that borrows nothing.
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
    /// The effect on the target.
    pub(crate) kind: RedirectKind,
    /// The file, the descriptor or the text.
    pub(crate) target: ScriptWord<'a>,
}

/// The effect of a redirection on its target.
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

/// A construct that prevents determining what runs.
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
    /// Returns the name of the construct, for use in a sentence.
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
