//! Redirections: what they read, and what they write.

use crate::specs::Effect;
use crate::{Access, Touch};

use super::ast::{Redirect, RedirectKind, Word};
use super::evaluate::Evaluator;
use super::parser::{Parsed, refuse};
use super::state::State;
use super::{Face, Proven};

/// Files that swallow what is written, or show it.
pub(super) fn is_sink(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2"
    )
}

impl<'a> Evaluator<'_, 'a> {
    /// Follows a redirection; returns whether it is an input.
    ///
    /// What writes a file is a part of its own: a rule about the command does not cover it.
    pub(super) fn redirect(&mut self, redirect: &Redirect<'a>, state: &State<'a>) -> Parsed<bool> {
        match redirect.kind {
            RedirectKind::Duplicate => Ok(false),
            RedirectKind::Text => {
                self.single(&redirect.target, state)?;
                Ok(true)
            }
            RedirectKind::Document(number) => {
                let documents = self.documents;
                if let Some(document) = documents.get(number) {
                    self.single(document, state)?;
                }
                Ok(true)
            }
            RedirectKind::Read => {
                self.file(&redirect.target, Access::Read, redirect, state)?;
                Ok(true)
            }
            RedirectKind::Write => {
                self.file(&redirect.target, Access::Write, redirect, state)?;
                Ok(false)
            }
        }
    }

    fn file(
        &mut self,
        target: &Word<'a>,
        access: Access,
        redirect: &Redirect<'a>,
        state: &State<'a>,
    ) -> Parsed<()> {
        const UNKNOWN: &str = "a redirection goes to a place that is not known before it runs";
        if target.has_braces() {
            return refuse(UNKNOWN);
        }
        let mut words = Vec::new();
        self.argument(target, state, &mut words)?;
        let [word] = &*words else {
            return refuse(UNKNOWN);
        };
        if access == Access::Read && word.is_listed && !word.may_be_many {
            return Ok(());
        }
        let (path, is_pattern) = match (&word.pattern, word.is_exact) {
            (_, true) => (&word.text, false),
            (Some(pattern), _) if access == Access::Read => (pattern, true),
            _ => return refuse(UNKNOWN),
        };
        if is_sink(path) || path == "/dev/stdin" {
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
        let text = self
            .text
            .get(redirect.span.clone())
            .unwrap_or_default()
            .to_owned();
        // Bash expands the word of `>&` twice: `>&'$(ls)'` runs `ls`.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-+,=:@%".contains(&byte);
        if text.contains(">&") && !touch.path.bytes().all(is_plain) {
            return refuse(UNKNOWN);
        }
        let mut touches = Vec::new();
        super::touch_from(&state.folders, touch, &text, &mut touches);
        if access == Access::Read {
            self.output.touches.append(&mut touches);
            return Ok(());
        }
        self.output.push(Proven {
            faces: vec![Face::whole(text.clone(), 0)],
            text,
            effect: Effect::Edits,
            is_opaque: false,
            touches,
            suggestion: None,
        });
        Ok(())
    }
}

/// Devices that anybody may read.
fn is_stream(path: &str) -> bool {
    matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random")
}
