//! What is known of a command.

use super::word::Word;
use crate::FileAccess;

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// It reads.
    Reads,
    /// It makes, changes or removes exactly the files of the touches that write, and nothing else.
    Edits,
    /// It does something else. A rule may cover it.
    Acts,
}

/// What is known of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandJudgement {
    /// What the program itself does, without the commands that it runs.
    pub(crate) effect: Effect,
    /// The places that it reads and writes. Those of a program that acts are not complete.
    pub(crate) touches: Vec<FileAccess>,
    /// The commands that it runs, each to be judged like any other: the line does what the worst of them does.
    pub(crate) runs: Vec<InnerCommand>,
    /// Whether an option starts a program of the caller's choice: only a rule with exactly this text covers it.
    pub(crate) is_opaque: bool,
    /// Whether it may open connections.
    pub(crate) network: bool,
}

/// A command that a wrapper runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InnerCommand {
    /// Its words. What the wrapper puts in (`{}`, the names that `xargs` reads) stands there as a word that is not
    /// exact.
    pub(crate) words: Vec<Word>,
    /// The `NAME=value` words that `env` puts before it, to be judged like assignments before a command.
    pub(crate) assignments: Vec<Word>,
    /// Which of the words stands for what is read from the standard input, where one does (`xargs`). A caller that
    /// knows the text may replace it.
    pub(crate) input: Option<usize>,
}

/// Why nothing is known of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProofError(pub(crate) &'static str);
