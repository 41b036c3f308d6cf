//! The syntax tree of a command line, for the part of the language that the grammar accepts.

use std::ops::Range;

/// Commands that run in sequence.
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

/// A pipeline, and the pipelines that run depending on its status (`&&`, `||`).
#[derive(Debug)]
pub(super) struct AndOr<'a> {
    pub(super) first: Pipeline<'a>,
    /// Whether the pipeline begins a line: an expansion error ends a line, and bash continues with the next line.
    pub(super) begins_line: bool,
    pub(super) conditional: Vec<Pipeline<'a>>,
}

/// Commands connected by pipes.
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
    /// The range in the text.
    pub(super) span: Range<usize>,
    pub(super) assignments: Vec<AssignmentNode<'a>>,
    pub(super) words: Vec<WordNode<'a>>,
    pub(super) redirects: Vec<RedirectNode<'a>>,
}

/// A compound command.
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
    /// `for ((…; …; …)); do …; done`: the names that the expressions read, and the loop variable.
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
    /// `[[ … ]]`: the operands, each with whether it is evaluated as a number.
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
    /// The range in the text.
    pub(super) span: Range<usize>,
    pub(super) kind: RedirectOperator,
    pub(super) target: WordNode<'a>,
}

/// The effect of a redirection.
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
    /// `<<`, with the index of the document
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
    /// Characters without a special meaning.
    Plain(&'a str),
    /// Quoted or escaped characters.
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
        /// Whether an operator modifies the value.
        is_changed: bool,
        is_quoted: bool,
    },
    /// `${#name}` and `$((…))`
    Number {
        /// The names that are evaluated as numbers.
        names: Vec<&'a str>,
        /// Whether bash may reject the expression, which ends the line.
        may_fail: bool,
    },
    /// `$(…)` and its older form between backquotes
    Substitution {
        list: CommandList<'a>,
        is_quoted: bool,
    },
    /// `<(…)` as a separate word
    Process(CommandList<'a>),
}

impl<'a> WordNode<'a> {
    /// Returns the text of a word that consists only of plain characters.
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
