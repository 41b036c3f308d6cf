//! The judgement of a command by its spec.

use super::word::Word;
use crate::FileAccess;

/// The effect of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// The command only reads.
    Reads,
    /// The command creates, changes or removes exactly the files of the write accesses, and has no other effect.
    Edits,
    /// The command has another effect. A rule may cover it.
    Acts,
}

/// The judgement of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandJudgement {
    /// The effect of the program itself, without the commands that it runs.
    pub(crate) effect: Effect,
    /// The files that the command reads and writes; incomplete if the effect is [`Effect::Acts`].
    pub(crate) touches: Vec<FileAccess>,
    /// The inner commands, each of which is judged like any other command. The strictest judgement applies to the line.
    pub(crate) runs: Vec<InnerCommand>,
    /// Whether an option starts a program that the caller chooses, so that only a rule with exactly this text covers
    /// the command.
    pub(crate) is_opaque: bool,
    /// Whether the command may open connections.
    pub(crate) network: bool,
}

/// A command that a wrapper runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InnerCommand {
    /// The words of the command. A word that the wrapper replaces (`{}`, the names that `xargs` reads) is represented
    /// by a word that is not exact.
    pub(crate) words: Vec<Word>,
    /// The `NAME=value` words of `env` before the command, which are judged like assignments before a command.
    pub(crate) assignments: Vec<Word>,
    /// The index of the word that represents the text from the standard input (`xargs`), if there is one. A caller that
    /// knows the text may replace the word.
    pub(crate) input: Option<usize>,
}

/// The reason why nothing is proven of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProofError(pub(crate) &'static str);
