//! Redirections: what they read, and what they write.

use crate::script;
use crate::specs::{self, Effect};
use crate::{Access, Touch};

use super::ast::{Piece, Redirect, RedirectKind, Word};
use super::evaluator::{Evaluator, Source};
use super::folders::touch_from;
use super::parser::{Parsed, refuse};
use super::proven::{Proven, Spelling};
use super::state::State;

const UNKNOWN: &str = "a redirection goes to a place that is not known before it runs";

/// Reports whether a path swallows what is written, or shows it.
fn is_sink(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/tty")
}

/// Reports whether a path is what the output, or the output of errors, is open on: bash opens that once more.
fn is_output(path: &str) -> bool {
    matches!(
        path,
        "/dev/stdout" | "/dev/stderr" | "/dev/fd/1" | "/dev/fd/2"
    )
}

impl<'a> Evaluator<'_, 'a> {
    /// Follows a redirection; returns what it puts in the place of the input.
    ///
    /// What writes a file is a part of its own: a rule about the command does not cover it.
    pub(super) fn redirect(
        &mut self,
        redirect: &Redirect<'a>,
        state: &State<'a>,
    ) -> Parsed<Option<Source>> {
        match redirect.kind {
            RedirectKind::Duplicate => Ok(self.changes_input(redirect).then_some(Source::Unknown)),
            RedirectKind::Text => {
                let text = self.single(&redirect.target, state)?;
                self.note(script::RedirectKind::HereString, text);
                Ok(Some(Source::Unknown))
            }
            RedirectKind::Document(number) => {
                let documents = self.documents;
                if let Some(document) = documents.get(number) {
                    let text = self.single(document, state)?;
                    self.note(script::RedirectKind::HereDocument, text);
                }
                Ok(Some(Source::Unknown))
            }
            RedirectKind::Read => {
                if let [Piece::Process(list)] = &*redirect.target.pieces {
                    let written = self.process(list, state)?;
                    let is_input = self.written(redirect).starts_with('<');
                    return Ok(Some(if is_input { written } else { Source::Unknown }));
                }
                self.file(&redirect.target, Access::Read, redirect, state)?;
                Ok(Some(Source::Unknown))
            }
            RedirectKind::Write => {
                self.file(&redirect.target, Access::Write, redirect, state)?;
                Ok(self.changes_input(redirect).then_some(Source::Unknown))
            }
        }
    }

    /// Takes note of a redirection, for who looks for dangers.
    fn note(&mut self, kind: script::RedirectKind, target: specs::Word) {
        self.output.evaluated.redirects.push((kind, target));
    }

    /// The redirection as it is written.
    fn written(&self, redirect: &Redirect<'a>) -> &'a str {
        self.text.get(redirect.span.clone()).unwrap_or_default()
    }

    /// Reports whether a redirection is about the input: `<&3`, `0<&3`, `0>&3`, `0<>file`.
    fn changes_input(&self, redirect: &Redirect<'a>) -> bool {
        self.written(redirect).starts_with(['<', '0'])
    }

    fn file(
        &mut self,
        target: &Word<'a>,
        access: Access,
        redirect: &Redirect<'a>,
        state: &State<'a>,
    ) -> Parsed<()> {
        if target.has_braces() {
            return refuse(UNKNOWN);
        }
        let mut words = Vec::new();
        self.argument(target, state, &mut words)?;
        let [word] = &*words else {
            return refuse(UNKNOWN);
        };
        self.note(redirect_kind(access, self.written(redirect)), word.clone());
        if access == Access::Read && word.is_listed && word.is_whole {
            return Ok(());
        }
        let (path, is_pattern) = match (&word.pattern, word.is_exact) {
            (_, true) => (&word.text, false),
            (Some(pattern), _) if access == Access::Read => (pattern, true),
            _ => return refuse(UNKNOWN),
        };
        let is_shown = match access {
            Access::Read => is_output(path) || path == "/dev/stdin",
            _ => is_output(path) && !self.output.has_open_input,
        };
        if is_sink(path) || is_shown {
            return Ok(());
        }
        if path.starts_with("/dev/") && !(access == Access::Read && is_stream(path)) {
            return refuse("a redirection goes to a device");
        }
        let path = if path.starts_with('~') && !word.is_tilde {
            format!("./{path}")
        } else {
            path.clone()
        };
        let touch = Touch {
            access,
            is_pattern,
            ..Touch::read(path)
        };
        let text = self.written(redirect).to_owned();
        // Bash expands the word of `>&` twice: `>&'$(ls)'` runs `ls`.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-+,=:@%".contains(&byte);
        if text.contains(">&") && !touch.path.bytes().all(is_plain) {
            return refuse(UNKNOWN);
        }
        let mut touches = Vec::new();
        touch_from(&state.folders, touch, &text, &mut touches);
        if access == Access::Read {
            self.output.touches.append(&mut touches);
        } else {
            self.writes(text, touches);
        }
        Ok(())
    }

    fn writes(&mut self, text: String, touches: Vec<Touch>) {
        self.output.push(Proven {
            spellings: vec![Spelling::from_text(text.clone(), 0)],
            text,
            effect: Effect::Edits,
            is_opaque: false,
            touches,
            suggestion: None,
        });
    }
}

/// Says what a redirection is called on the finding side.
fn redirect_kind(access: Access, written: &str) -> script::RedirectKind {
    match access {
        Access::Read => script::RedirectKind::Read,
        _ if written.contains("<>") => script::RedirectKind::Both,
        _ => script::RedirectKind::Write,
    }
}

/// Devices that anybody may read.
fn is_stream(path: &str) -> bool {
    matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random")
}
