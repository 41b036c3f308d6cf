//! The evaluation of redirections.

use crate::script;
use crate::specs::{self, Effect};
use crate::{AccessKind, FileAccess};

use super::ast::{RedirectNode, RedirectOperator, WordNode, WordPiece};
use super::evaluator::{Evaluator, StreamContent};
use super::parser::{ProofResult, fail};
use super::proven::{ProvenCommand, Spelling};
use super::state::{ShellState, touch_from};

const UNKNOWN: &str = "a redirection goes to a place that is not known before it runs";

/// Reports whether a path discards or displays the data written to it.
fn is_sink(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/tty")
}

/// Reports whether a path names the standard output or standard error: bash opens the underlying file again.
fn is_output(path: &str) -> bool {
    matches!(
        path,
        "/dev/stdout" | "/dev/stderr" | "/dev/fd/1" | "/dev/fd/2"
    )
}

impl<'a> Evaluator<'_, 'a> {
    /// Evaluates a redirection; returns the content of the redirected input.
    ///
    /// A redirection that writes a file is a separate part: a rule about the command does not cover it.
    pub(super) fn redirect(
        &mut self,
        redirect: &RedirectNode<'a>,
        state: &ShellState<'a>,
    ) -> ProofResult<Option<StreamContent>> {
        match redirect.kind {
            RedirectOperator::Duplicate => Ok(self
                .changes_input(redirect)
                .then_some(StreamContent::Unknown)),
            RedirectOperator::Text => {
                let text = self.single(&redirect.target, state)?;
                self.note(script::RedirectKind::HereString, text);
                Ok(Some(StreamContent::Unknown))
            }
            RedirectOperator::Document(number) => {
                let documents = self.documents;
                if let Some(document) = documents.get(number) {
                    let text = self.single(document, state)?;
                    self.note(script::RedirectKind::HereDocument, text);
                }
                Ok(Some(StreamContent::Unknown))
            }
            RedirectOperator::Read => {
                if let [WordPiece::Process(list)] = &*redirect.target.pieces {
                    let written = self.process(list, state)?;
                    let is_input = self.source(&redirect.span).starts_with('<');
                    return Ok(Some(if is_input {
                        written
                    } else {
                        StreamContent::Unknown
                    }));
                }
                self.file(&redirect.target, AccessKind::Read, redirect, state)?;
                Ok(Some(StreamContent::Unknown))
            }
            RedirectOperator::Write => {
                self.file(&redirect.target, AccessKind::Write, redirect, state)?;
                Ok(self
                    .changes_input(redirect)
                    .then_some(StreamContent::Unknown))
            }
        }
    }

    /// Records a redirection for the check for dangers.
    fn note(&mut self, kind: script::RedirectKind, target: specs::Word) {
        self.output.evaluated.redirects.push((kind, target));
    }

    /// Reports whether a redirection changes the standard input: `<&3`, `0<&3`, `0>&3`, `0<>file`.
    fn changes_input(&self, redirect: &RedirectNode<'a>) -> bool {
        self.source(&redirect.span).starts_with(['<', '0'])
    }

    fn file(
        &mut self,
        target: &WordNode<'a>,
        access: AccessKind,
        redirect: &RedirectNode<'a>,
        state: &ShellState<'a>,
    ) -> ProofResult<()> {
        if target.has_braces() {
            return fail(UNKNOWN);
        }
        let mut words = Vec::new();
        self.argument(target, state, &mut words)?;
        let [word] = &*words else {
            return fail(UNKNOWN);
        };
        let text = self.source(&redirect.span);
        self.note(redirect_kind(access, text), word.clone());
        if access == AccessKind::Read && word.is_listed && word.is_whole {
            return Ok(());
        }
        let (path, is_pattern) = match (&word.pattern, word.is_exact) {
            (_, true) => (&word.text, false),
            (Some(pattern), _) if access == AccessKind::Read => (pattern, true),
            _ => return fail(UNKNOWN),
        };
        let is_shown = match access {
            AccessKind::Read => is_output(path) || path == "/dev/stdin",
            _ => is_output(path) && !self.output.has_open_input,
        };
        if is_sink(path) || is_shown {
            return Ok(());
        }
        if path.starts_with("/dev/") && !(access == AccessKind::Read && is_stream(path)) {
            return fail("a redirection goes to a device");
        }
        let path = if path.starts_with('~') && !word.is_tilde {
            format!("./{path}")
        } else {
            path.clone()
        };
        let touch = FileAccess {
            kind: access,
            is_pattern,
            ..FileAccess::read(path)
        };
        // Bash expands the word after `>&` twice: `>&'$(ls)'` runs `ls`.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-+,=:@%".contains(&byte);
        if text.contains(">&") && !touch.path.bytes().all(is_plain) {
            return fail(UNKNOWN);
        }
        if access == AccessKind::Read {
            touch_from(&state.folders, touch, text, &mut self.output.file_accesses);
        } else {
            let mut proven = ProvenCommand::new(Effect::Edits, Spelling::from_text(text));
            proven.file_accesses.push(touch);
            self.output.push(proven.placed(text, &state.folders));
        }
        Ok(())
    }
}

/// Returns the redirection kind of the heuristic analysis.
fn redirect_kind(access: AccessKind, written: &str) -> script::RedirectKind {
    match access {
        AccessKind::Read => script::RedirectKind::Read,
        _ if written.contains("<>") => script::RedirectKind::Both,
        _ => script::RedirectKind::Write,
    }
}

/// Reports whether a path is a device that any user may read.
fn is_stream(path: &str) -> bool {
    matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random")
}
