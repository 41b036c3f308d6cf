//! The grammar of redirections.

use super::super::ast::{RedirectNode, RedirectOperator, WordNode};
use super::super::parser::{Parser, ProofResult, fail};

impl<'a> Parser<'a> {
    /// Parses a redirection, if the next token is one.
    pub(super) fn redirect(&mut self) -> ProofResult<Option<RedirectNode<'a>>> {
        let begun = self.at;
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if !matches!(self.byte(digits), b'<' | b'>') {
            if digits > 0 || !rest.starts_with("&>") {
                return Ok(None);
            }
            self.at += 1;
        }
        self.at += digits;
        let mut kind = self.redirect_operator()?;
        let mut target = WordNode::default();
        if matches!(kind, RedirectOperator::Document(_)) {
            self.opens_input |= rest[..digits].bytes().any(|byte| byte != b'0');
        } else {
            self.blanks()?;
            target = if kind == RedirectOperator::Read && self.begins_process() {
                self.process()?
            } else {
                self.some_word()?
            };
            if kind == RedirectOperator::Duplicate && !is_descriptor(&target) {
                // `>&file` redirects both output streams to the file.
                if digits > 0 || rest.starts_with('<') {
                    return fail("a redirection goes to a place that is not known before it runs");
                }
                kind = RedirectOperator::Write;
            }
            let (descriptor, operator) = rest.split_at(digits);
            self.opens_input |=
                may_open_input(kind, descriptor, operator.starts_with('>'), &target);
        }
        Ok(Some(RedirectNode {
            span: begun..self.at,
            kind,
            target,
        }))
    }

    /// Parses the operator; for a here-document, includes the delimiter.
    fn redirect_operator(&mut self) -> ProofResult<RedirectOperator> {
        let (length, kind) = match (self.byte(0), self.byte(1), self.byte(2)) {
            (b'<' | b'>', b'(', _) => return fail("it has a process substitution"),
            (b'<', b'<', b'<') => (3, RedirectOperator::Text),
            (b'<', b'<', _) => {
                self.at += 2;
                return Ok(RedirectOperator::Document(self.document_start()?));
            }
            (b'<' | b'>', b'&', _) => (2, RedirectOperator::Duplicate),
            (b'<', b'>', _) | (b'>', b'>' | b'|', _) => (2, RedirectOperator::Write),
            (b'<', _, _) => (1, RedirectOperator::Read),
            _ => (1, RedirectOperator::Write),
        };
        self.at += length;
        Ok(kind)
    }
}

/// Reports whether a redirection of `descriptor` may open a descriptor other than the standard input on an input file.
fn may_open_input(
    kind: RedirectOperator,
    descriptor: &str,
    is_for_output: bool,
    target: &WordNode<'_>,
) -> bool {
    let is_input = descriptor.bytes().all(|byte| byte == b'0');
    match kind {
        RedirectOperator::Write => false,
        RedirectOperator::Duplicate => (!is_input || is_for_output) && !is_output(target),
        _ => !is_input,
    }
}

/// Reports whether the target of a duplication is `1`, `2` or `-`.
fn is_output(target: &WordNode<'_>) -> bool {
    target
        .plain()
        .is_some_and(|text| matches!(text, "1" | "2" | "-" | "1-" | "2-"))
}

fn is_descriptor(target: &WordNode<'_>) -> bool {
    target.plain().is_some_and(|text| {
        let digits = text.strip_suffix('-').unwrap_or(text);
        !text.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}
