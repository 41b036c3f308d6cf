//! The syntax of a command line, as far as the grammar reads it.

use std::ops::Range;

/// Commands that run one after the other.
#[derive(Debug, Default)]
pub(super) struct List<'a> {
    pub(super) items: Vec<AndOr<'a>>,
}

impl<'a> List<'a> {
    /// Splits the list of a whole text into its lines.
    pub(super) fn into_lines(self) -> Vec<Self> {
        let mut lines: Vec<Self> = Vec::new();
        for item in self.items {
            match lines.last_mut() {
                Some(line) if !item.begins_line => line.items.push(item),
                _ => lines.push(Self { items: vec![item] }),
            }
        }
        lines
    }
}

/// A pipeline, and those that run on its condition (`&&`, `||`).
#[derive(Debug)]
pub(super) struct AndOr<'a> {
    pub(super) first: Pipeline<'a>,
    /// Whether a line begins with it: an error of an expansion ends a line, and the next one runs.
    pub(super) begins_line: bool,
    pub(super) conditional: Vec<Pipeline<'a>>,
}

/// Commands that hand their output on.
#[derive(Debug)]
pub(super) struct Pipeline<'a> {
    pub(super) commands: Vec<Command<'a>>,
}

/// A command with its redirections.
#[derive(Debug)]
pub(super) enum Command<'a> {
    Simple(Simple<'a>),
    Compound(Compound<'a>, Vec<Redirect<'a>>),
}

/// Assignments, words and redirections.
#[derive(Debug)]
pub(super) struct Simple<'a> {
    /// Where it stands in the text.
    pub(super) span: Range<usize>,
    pub(super) assignments: Vec<Assignment<'a>>,
    pub(super) words: Vec<Word<'a>>,
    pub(super) redirects: Vec<Redirect<'a>>,
}

/// A command made of others.
#[derive(Debug)]
pub(super) enum Compound<'a> {
    /// `{ …; }`
    Group(List<'a>),
    /// `( … )`
    Subshell(List<'a>),
    /// `for NAME in …; do …; done`
    For {
        name: &'a str,
        words: Vec<Word<'a>>,
        body: List<'a>,
    },
    /// `for ((…; …; …)); do …; done`: the names that the expressions read, and the name that they count.
    Count {
        name: &'a str,
        names: Vec<&'a str>,
        body: List<'a>,
    },
    /// `while …; do …; done`, and `until`
    While { condition: List<'a>, body: List<'a> },
    /// `if …; then …; elif …; then …; else …; fi`
    If {
        branches: Vec<(List<'a>, List<'a>)>,
        otherwise: Option<List<'a>>,
    },
    /// `case … in …) …;; esac`
    Case {
        word: Word<'a>,
        arms: Vec<(Vec<Word<'a>>, List<'a>)>,
    },
    /// `[[ … ]]`: its operands, and which of them are evaluated as numbers.
    Test(Vec<(Word<'a>, bool)>),
}

/// `NAME=value`, `NAME+=value`
#[derive(Debug)]
pub(super) struct Assignment<'a> {
    pub(super) name: &'a str,
    pub(super) value: Word<'a>,
    pub(super) is_added: bool,
}

/// A redirection.
#[derive(Debug)]
pub(super) struct Redirect<'a> {
    /// Where it stands in the text.
    pub(super) span: Range<usize>,
    pub(super) kind: RedirectKind,
    pub(super) target: Word<'a>,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`, `<>`
    Write,
    /// `>&1`, `2>&-`
    Duplicate,
    /// `<<<`
    Text,
    /// `<<`, by the number of the document
    Document(usize),
}

/// A word before expansion.
#[derive(Debug, Default)]
pub(super) struct Word<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
}

/// A piece of a word.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// Characters that stand for themselves.
    Plain(&'a str),
    /// Characters between quotes, or behind a backslash.
    Quoted(String),
    /// `*`, `?` or `[`
    Glob(&'a str),
    /// `{`, `}`, and `,` between them
    Brace(u8),
    /// `~` at the beginning
    Tilde,
    /// `$name`, `${name}`, `${name%…}`
    Variable {
        name: &'a str,
        /// Whether an operator makes something else of the value.
        is_changed: bool,
        is_quoted: bool,
    },
    /// `${#name}` and `$((…))`
    Number {
        /// The names that are read as numbers.
        names: Vec<&'a str>,
        /// Whether bash may refuse to evaluate it, which ends the line.
        may_fail: bool,
    },
    /// `$(…)` and its older form between backquotes
    Substitution { list: List<'a>, is_quoted: bool },
    /// `<(…)`, which is a word of its own
    Process(List<'a>),
}

impl<'a> Word<'a> {
    /// Returns the text of a word that is nothing but plain characters.
    pub(super) fn plain(&self) -> Option<&'a str> {
        match &*self.pieces {
            [Piece::Plain(text)] => Some(text),
            _ => None,
        }
    }

    pub(super) fn has_braces(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Brace(_)))
    }
}
