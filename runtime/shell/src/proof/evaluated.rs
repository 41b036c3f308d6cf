//! The commands of a line with expanded words, for the checks for dangers and deny rules.

use crate::script::{self, RedirectKind};
use crate::specs::Word;

/// The number of last commands that a new command is compared with: the iterations of a loop are mostly equal.
const MAX_COMPARED: usize = 64;

/// A simple command, or the redirections of a compound command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EvaluatedCommand {
    /// The text of the command.
    pub(super) text: String,
    /// The variables that are set for the command.
    pub(super) assignments: Vec<String>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<(RedirectKind, Word)>,
    /// The index of the preceding command in the pipeline.
    pub(super) reads_from: Option<usize>,
}

/// The commands in the order of evaluation.
#[derive(Debug, Default)]
pub(super) struct EvaluatedCommands {
    pub(super) list: Vec<EvaluatedCommand>,
    /// The redirections of the command that is being evaluated.
    pub(super) redirects: Vec<(RedirectKind, Word)>,
    /// The index of the command whose output is the input of the command that is being evaluated.
    pub(super) reads_from: Option<usize>,
    /// The index of the last added command.
    pub(super) last: Option<usize>,
}

impl EvaluatedCommands {
    pub(super) fn push(&mut self, command: EvaluatedCommand) {
        let from = self.list.len().saturating_sub(MAX_COMPARED);
        let same = self.list[from..].iter().position(|known| *known == command);
        self.last = Some(same.map_or(self.list.len(), |at| from + at));
        if same.is_none() {
            self.list.push(command);
        }
    }

    /// Adds redirections that do not belong to a simple command.
    pub(super) fn push_redirects(&mut self, text: &str) {
        let redirects = std::mem::take(&mut self.redirects);
        if redirects.is_empty() {
            return;
        }
        let last = self.last;
        self.push(EvaluatedCommand {
            text: text.to_owned(),
            redirects,
            ..EvaluatedCommand::default()
        });
        self.last = last;
    }
}

impl EvaluatedCommand {
    /// Converts the command to a command of the heuristic analysis.
    pub(crate) fn as_command(&self) -> script::Command<'_> {
        let assignments = self.assignments.iter().map(|name| script::Assignment {
            name,
            value: script::ScriptWord::default(),
        });
        let redirects = self.redirects.iter();
        let redirects = redirects.map(|(kind, target)| script::Redirect {
            kind: *kind,
            target: as_word(target),
        });
        script::Command {
            text: (&*self.text).into(),
            assignments: assignments.collect(),
            words: self.words.iter().map(as_word).collect(),
            redirects: redirects.collect(),
            reads_from: self.reads_from,
            is_certain: false,
        }
    }
}

/// Converts a word. The heuristic analysis itself detects a `~` that the shell does not expand.
fn as_word(word: &Word) -> script::ScriptWord<'_> {
    script::ScriptWord {
        text: word.pattern.as_deref().unwrap_or(&word.text).into(),
        ..literal(word)
    }
}

/// Converts a word to the form that the tables of dangers use.
pub(super) fn literal(word: &Word) -> script::ScriptWord<'_> {
    let text = word.pattern.as_deref().unwrap_or(&word.text);
    script::ScriptWord {
        text: if text.starts_with('~') && !word.is_tilde {
            format!("./{text}").into()
        } else {
            text.into()
        },
        is_glob: word.pattern.is_some(),
        is_dynamic: !word.is_exact && word.pattern.is_none(),
        is_home: word.is_tilde,
        ..script::ScriptWord::default()
    }
}
