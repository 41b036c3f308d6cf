//! The syntax of a command line, as far as the grammar reads it.

use std::ops::Range;

/// Commands that run one after the other.
#[derive(Debug, Default)]
pub(super) struct CommandList<'a> {
    pub(super) items: Vec<AndOr<'a>>,
}

impl<'a> CommandList<'a> {
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
    pub(super) commands: Vec<CommandNode<'a>>,
}

/// A command with its redirections.
#[derive(Debug)]
pub(super) enum CommandNode<'a> {
    Simple(SimpleNode<'a>),
    Compound(CompoundNode<'a>, Vec<RedirectNode<'a>>),
}

/// Assignments, words and redirections.
#[derive(Debug)]
pub(super) struct SimpleNode<'a> {
    /// Where it stands in the text.
    pub(super) span: Range<usize>,
    pub(super) assignments: Vec<AssignmentNode<'a>>,
    pub(super) words: Vec<WordNode<'a>>,
    pub(super) redirects: Vec<RedirectNode<'a>>,
}

/// A command made of others.
#[derive(Debug)]
pub(super) enum CompoundNode<'a> {
    /// `{ …; }`
    Group(CommandList<'a>),
    /// `( … )`
    Subshell(CommandList<'a>),
    /// `for NAME in …; do …; done`
    For {
        name: &'a str,
        words: Vec<WordNode<'a>>,
        body: CommandList<'a>,
    },
    /// `for ((…; …; …)); do …; done`: the names that the expressions read, and the name that they count.
    CountingFor {
        name: &'a str,
        names: Vec<&'a str>,
        body: CommandList<'a>,
    },
    /// `while …; do …; done`, and `until`
    While {
        condition: CommandList<'a>,
        body: CommandList<'a>,
    },
    /// `if …; then …; elif …; then …; else …; fi`
    If {
        branches: Vec<(CommandList<'a>, CommandList<'a>)>,
        otherwise: Option<CommandList<'a>>,
    },
    /// `case … in …) …;; esac`
    Case {
        word: WordNode<'a>,
        arms: Vec<(Vec<WordNode<'a>>, CommandList<'a>)>,
    },
    /// `[[ … ]]`: its operands, and which of them are evaluated as numbers.
    Test(Vec<(WordNode<'a>, bool)>),
}

/// `NAME=value`, `NAME+=value`
#[derive(Debug)]
pub(super) struct AssignmentNode<'a> {
    pub(super) name: &'a str,
    pub(super) value: WordNode<'a>,
    pub(super) appends: bool,
}

/// A redirection.
#[derive(Debug)]
pub(super) struct RedirectNode<'a> {
    /// Where it stands in the text.
    pub(super) span: Range<usize>,
    pub(super) kind: RedirectOperator,
    pub(super) target: WordNode<'a>,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectOperator {
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
pub(super) struct WordNode<'a> {
    pub(super) pieces: Vec<WordPiece<'a>>,
}

/// A piece of a word.
#[derive(Debug)]
pub(super) enum WordPiece<'a> {
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
    Substitution {
        list: CommandList<'a>,
        is_quoted: bool,
    },
    /// `<(…)`, which is a word of its own
    Process(CommandList<'a>),
}

impl<'a> WordNode<'a> {
    /// Returns the text of a word that is nothing but plain characters.
    pub(super) fn plain(&self) -> Option<&'a str> {
        match &*self.pieces {
            [WordPiece::Plain(text)] => Some(text),
            _ => None,
        }
    }

    pub(super) fn has_braces(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, WordPiece::Brace(_)))
    }
}
