//! The grammar of words: quotes, escapes and expansions.

use crate::specs::ProofError;

use super::ast::{WordNode, WordPiece};
use super::parser::{Parser, ProofResult, fail, is_meta};
use super::state::is_number;

/// Reports whether a byte has no special meaning anywhere in a word.
fn is_plain(byte: u8) -> bool {
    !is_meta(byte)
        && !matches!(
            byte,
            b'\\' | b'\'' | b'"' | b'$' | b'`' | b'~' | b'*' | b'?' | b'[' | b'{' | b'}' | b','
        )
}

impl<'a> Parser<'a> {
    /// Parses a word; returns `None` if no word begins here.
    pub(super) fn word(&mut self) -> ProofResult<Option<WordNode<'a>>> {
        let begun = self.at;
        let word = self.value()?;
        Ok((self.at > begun).then_some(word))
    }

    /// Parses a required word.
    pub(super) fn some_word(&mut self) -> ProofResult<WordNode<'a>> {
        self.word()?
            .ok_or(ProofError("a part of it cannot be read"))
    }

    /// Parses a word, or an empty text, which is the empty value of an assignment.
    pub(super) fn value(&mut self) -> ProofResult<WordNode<'a>> {
        let mut word = WordNode::default();
        let mut braces = 0_usize;
        while !self.is_end() {
            let byte = self.byte(0);
            match byte {
                b'(' => return fail("a part of it cannot be read"),
                _ if is_meta(byte) => break,
                b'\\' => self.parse_escape(&mut word)?,
                b'\'' => self.parse_single_quoted(&mut word)?,
                b'"' => self.parse_double_quoted(&mut word)?,
                b'$' => self.dollar(&mut word, false)?,
                b'`' => self.parse_backquoted(&mut word, false)?,
                b'~' => self.tilde(&mut word)?,
                b'*' | b'?' | b'[' => {
                    word.pieces.push(WordPiece::Glob(self.taken(1)));
                }
                b',' if braces == 0 => word.pieces.push(WordPiece::Plain(self.taken(1))),
                b'{' | b'}' | b',' => {
                    match byte {
                        b'{' => braces += 1,
                        b'}' => braces = braces.saturating_sub(1),
                        _ => {}
                    }
                    self.at += 1;
                    word.pieces.push(WordPiece::Brace(byte));
                }
                _ => self.plain(&mut word),
            }
        }
        // `{name}>file` stores a new descriptor in a variable.
        let ends_in_brace = matches!(word.pieces.last(), Some(WordPiece::Brace(b'}')));
        if ends_in_brace && matches!(self.byte(0), b'<' | b'>') {
            return fail("it keeps a file open in a variable");
        }
        Ok(word)
    }

    fn taken(&mut self, length: usize) -> &'a str {
        let text = self.rest().get(..length).unwrap_or_default();
        self.at += length;
        text
    }

    fn plain(&mut self, word: &mut WordNode<'a>) {
        let rest = self.rest();
        let length = rest
            .bytes()
            .position(|byte| !is_plain(byte))
            .unwrap_or(rest.len());
        let text = self.taken(length);
        word.pieces.push(WordPiece::Plain(text));
    }

    fn parse_escape(&mut self, word: &mut WordNode<'a>) -> ProofResult<()> {
        self.at += 1;
        let Some(next) = self.rest().chars().next().filter(|next| *next != '\n') else {
            return fail("a word goes on behind the end of its line");
        };
        self.at += next.len_utf8();
        word.pieces.push(WordPiece::Quoted(next.to_string()));
        Ok(())
    }

    /// Parses a `~`. At the beginning of a word it expands to a folder; after `=` and `:`, bash expands it in some
    /// cases.
    fn tilde(&mut self, word: &mut WordNode<'a>) -> ProofResult<()> {
        if !word.pieces.is_empty() {
            let is_unclear = match word.pieces.last() {
                Some(WordPiece::Plain(text)) => text.ends_with(['=', ':']),
                Some(WordPiece::Brace(_)) => true,
                _ => false,
            };
            if is_unclear {
                return fail("bash may expand a `~` at this place");
            }
            word.pieces.push(WordPiece::Plain(self.taken(1)));
            return Ok(());
        }
        self.at += 1;
        let next = self.byte(0);
        if next != b'/' && !is_meta(next) && !self.is_end() {
            return fail("a `~` expands to an unknown folder");
        }
        word.pieces.push(WordPiece::Tilde);
        Ok(())
    }

    fn parse_single_quoted(&mut self, word: &mut WordNode<'a>) -> ProofResult<()> {
        self.at += 1;
        let rest = self.rest();
        let Some(close) = rest.find('\'') else {
            return fail("a quote is not closed");
        };
        let text = self.taken(close);
        self.quoted_lines(text)?;
        self.at += 1;
        word.pieces.push(WordPiece::Quoted(text.to_owned()));
        Ok(())
    }

    /// Rejects a line break inside of quotes while a here-document is pending.
    fn quoted_lines(&self, text: &str) -> ProofResult<()> {
        if self.has_pending_heredoc() && text.contains('\n') {
            return fail("a here-document begins in the middle of a quoted text");
        }
        Ok(())
    }

    fn parse_double_quoted(&mut self, word: &mut WordNode<'a>) -> ProofResult<()> {
        self.at += 1;
        let mut text = String::new();
        // `""` is a word.
        let mut is_first = true;
        loop {
            let rest = self.rest();
            let length = rest
                .bytes()
                .position(|byte| matches!(byte, b'"' | b'$' | b'`' | b'\\'));
            let Some(length) = length else {
                return fail("a quote is not closed");
            };
            let run = self.taken(length);
            self.quoted_lines(run)?;
            text.push_str(run);
            match self.byte(0) {
                b'"' => {
                    self.at += 1;
                    if is_first || !text.is_empty() {
                        word.pieces.push(WordPiece::Quoted(text));
                    }
                    return Ok(());
                }
                b'\\' => {
                    let next = self.byte(1);
                    match next {
                        b'$' | b'`' | b'"' | b'\\' => text.push(char::from(next)),
                        b'\n' | 0 => return fail("a word goes on behind the end of its line"),
                        // A backslash before any other character is literal; the character is parsed next.
                        _ => {
                            text.push('\\');
                            self.at += 1;
                            continue;
                        }
                    }
                    self.at += 2;
                }
                expansion => {
                    word.pieces
                        .push(WordPiece::Quoted(std::mem::take(&mut text)));
                    is_first = false;
                    if expansion == b'`' {
                        self.parse_backquoted(word, true)?;
                    } else {
                        self.dollar(word, true)?;
                    }
                }
            }
        }
    }

    fn dollar(&mut self, word: &mut WordNode<'a>, is_quoted: bool) -> ProofResult<()> {
        let variable = |name| WordPiece::Variable {
            name,
            is_changed: false,
            is_quoted,
        };
        let piece = match (self.byte(1), self.byte(2)) {
            (b'(', b'(') => self.arithmetic()?,
            (b'(', _) => {
                self.at += 1;
                self.no_joined_line()?;
                self.at += 1;
                let list = self.substitution()?;
                WordPiece::Substitution { list, is_quoted }
            }
            (b'{', _) => self.parameter(is_quoted)?,
            (b'[' | b'\\', _) => return fail("it has an expansion that cannot be read"),
            (b'\'', _) if !is_quoted => self.parse_ansi_quoted()?,
            (b'"', _) if !is_quoted => return fail("it has a text that bash translates"),
            (b'a'..=b'z' | b'A'..=b'Z' | b'_', _) => {
                self.at += 1;
                variable(self.name())
            }
            (b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!', _) => {
                self.at += 1;
                variable(self.taken(1))
            }
            _ => {
                self.at += 1;
                WordPiece::Quoted("$".to_owned())
            }
        };
        word.pieces.push(piece);
        Ok(())
    }

    /// Reports whether a process substitution begins here, after a blank: bash reads a substitution directly after
    /// other text as a part of the same word.
    pub(super) fn begins_process(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default();
        before.ends_with([' ', '\t']) && self.rest().starts_with("<(")
    }

    /// Parses `<(…)`; valid only if [`Parser::begins_process`] returns true.
    pub(super) fn process(&mut self) -> ProofResult<WordNode<'a>> {
        self.at += 2;
        let list = self.substitution()?;
        let is_word = matches!(
            self.byte(0),
            b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b')'
        );
        if !is_word && !self.is_end() {
            return fail("a process substitution is a part of a word");
        }
        Ok(WordNode {
            pieces: vec![WordPiece::Process(list)],
        })
    }

    /// Parses the text between `$(` and its end.
    fn substitution(&mut self) -> ProofResult<super::ast::CommandList<'a>> {
        let waiting = std::mem::take(&mut self.pending);
        self.outer_pending += waiting.len();
        let list = self.nested(|parser| {
            let list = parser.list()?;
            parser.expect(")")?;
            Ok(list)
        })?;
        if !self.pending.is_empty() {
            return fail("a here-document ends outside of where it begins");
        }
        self.outer_pending -= waiting.len();
        self.pending = waiting;
        Ok(list)
    }

    /// Parses a backquoted substitution, in which backslashes and comments have another meaning than elsewhere.
    fn parse_backquoted(&mut self, word: &mut WordNode<'a>, is_quoted: bool) -> ProofResult<()> {
        self.at += 1;
        let rest = self.rest();
        let Some(length) = rest.find('`') else {
            return fail("a quote is not closed");
        };
        let body = &rest[..length];
        if body.contains(['\\', '#', '\n']) || is_quoted && body.contains('"') {
            return fail("a substitution cannot be read");
        }
        let end = std::mem::replace(&mut self.end, self.at + length);
        let list = self.nested(|parser| {
            let list = parser.list()?;
            if parser.is_end() && !parser.has_pending_heredoc() {
                Ok(list)
            } else {
                fail("a substitution cannot be read")
            }
        })?;
        self.end = end;
        self.at += 1;
        word.pieces
            .push(WordPiece::Substitution { list, is_quoted });
        Ok(())
    }

    /// Parses `${name}`, `${#name}`, and operators that modify the value.
    fn parameter(&mut self, is_quoted: bool) -> ProofResult<WordPiece<'a>> {
        self.at += 2;
        let is_length = self.byte(0) == b'#' && self.byte(1) != b'}';
        if is_length {
            self.at += 1;
        }
        let name = match self.byte(0) {
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'$' => self.taken(1),
            _ => self.name(),
        };
        if name.is_empty() {
            return fail("it has an expansion that cannot be read");
        }
        if self.eat("}") {
            return Ok(if is_length {
                // The length of any value is a number.
                WordPiece::Number {
                    names: Vec::new(),
                    may_fail: false,
                }
            } else {
                WordPiece::Variable {
                    name,
                    is_changed: false,
                    is_quoted,
                }
            });
        }
        let rest = self.rest();
        let operation = rest.split('}').next().unwrap_or_default();
        if is_length || operation.len() == rest.len() || !is_harmless_operation(operation) {
            return fail("it has an expansion that cannot be read");
        }
        self.at += operation.len() + 1;
        Ok(WordPiece::Variable {
            name,
            is_changed: true,
            is_quoted,
        })
    }

    /// Parses `$'…'`.
    fn parse_ansi_quoted(&mut self) -> ProofResult<WordPiece<'a>> {
        self.at += 2;
        let mut text = String::new();
        loop {
            let Some(next) = self.rest().chars().next() else {
                return fail("a quote is not closed");
            };
            self.at += next.len_utf8();
            match next {
                '\'' => return Ok(WordPiece::Quoted(text)),
                '\\' => {
                    let escaped = self.byte(0);
                    self.at += 1;
                    text.push(match escaped {
                        b'n' => '\n',
                        b't' => '\t',
                        b'\\' | b'\'' | b'"' => char::from(escaped),
                        _ => return fail("it has an escape that cannot be read"),
                    });
                }
                '\n' if self.has_pending_heredoc() => {
                    return fail("a here-document begins in the middle of a quoted text");
                }
                other => text.push(other),
            }
        }
    }
}

/// Reports whether an operator only transforms a text: it neither sets a variable, nor reads names or expressions, nor
/// contains expansions.
fn is_harmless_operation(operation: &str) -> bool {
    let is_text = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.,/*?:+@%=^-".contains(&byte))
    };
    match operation.bytes().next() {
        Some(b'#' | b'%' | b'/' | b'^' | b',' | b'-' | b'+') => {
            is_text(operation.trim_start_matches('#'))
        }
        Some(b':') => {
            let rest = &operation[1..];
            let is_default = rest.starts_with(['-', '+']) && is_text(rest);
            let is_range = !rest.contains('-')
                && rest.split(':').all(is_number)
                && rest.split(':').count() <= 2;
            is_default || is_range
        }
        _ => false,
    }
}
