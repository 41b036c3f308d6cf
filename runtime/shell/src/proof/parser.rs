//! The position in the text, and the separators between tokens.
//!
//! The grammar is strict: a text that bash parses in more than one way, or that versions of bash parse differently, is
//! rejected.

use crate::specs::ProofError;

use super::ast::WordNode;

/// The maximum nesting depth of constructs.
pub(super) const MAX_DEPTH: usize = 32;

/// Reports whether a byte ends a word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>'
    )
}

/// Reports whether a text is a valid variable name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Words that bash reserves in command position.
pub(super) const RESERVED: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "for", "select", "while", "until", "do", "done", "case",
    "esac", "in", "function", "{", "}", "[[", "]]", "coproc", "time", "!",
];

pub(super) type ProofResult<T> = Result<T, ProofError>;

pub(super) fn fail<T>(why: &'static str) -> ProofResult<T> {
    Err(ProofError(why))
}

/// A here-document whose text has not been parsed yet.
pub(super) struct PendingHeredoc<'a> {
    pub(super) number: usize,
    pub(super) delimiter: &'a str,
    pub(super) is_quoted: bool,
    pub(super) strips_tabs: bool,
}

/// The parser of a text.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) depth: usize,
    /// The pending here-documents of the current line.
    pub(super) pending: Vec<PendingHeredoc<'a>>,
    /// The number of pending here-documents outside of the substitution that is being parsed.
    pub(super) outer_pending: usize,
    pub(super) documents: Vec<WordNode<'a>>,
    /// Whether a descriptor other than the standard input may be open on an input file.
    pub(super) opens_input: bool,
    /// The number of finished lines.
    pub(super) lines: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            end: text.len(),
            depth: 0,
            pending: Vec::new(),
            outer_pending: 0,
            documents: Vec::new(),
            opens_input: false,
            lines: 0,
        }
    }

    /// Returns a byte, or 0 after the end: the text contains no NUL byte.
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        let at = self.at + ahead;
        if at < self.end {
            self.text.as_bytes()[at]
        } else {
            0
        }
    }

    pub(super) fn is_end(&self) -> bool {
        self.at >= self.end
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(super) fn expect(&mut self, token: &str) -> ProofResult<()> {
        if self.eat(token) {
            Ok(())
        } else {
            fail("a part of it cannot be read")
        }
    }

    /// Parses one nesting level deeper.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> ProofResult<T>,
    ) -> ProofResult<T> {
        if self.depth >= MAX_DEPTH {
            return fail("its commands are nested too deeply");
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Skips blanks, joined lines and a comment; valid only at the beginning of a token.
    ///
    /// Bash also joins lines inside of a word; such a text is rejected.
    pub(super) fn blanks(&mut self) -> ProofResult<()> {
        loop {
            match self.byte(0) {
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.byte(1) == b'\n' => {
                    if self.byte(2) == b'#' || self.has_pending_heredoc() {
                        return fail("a line goes on in a way that is not clear");
                    }
                    self.at += 2;
                }
                b'#' => {
                    let rest = self.rest();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    /// Rejects a joined line, since bash joins lines in the middle of a token: after `(`, the next line could complete
    /// `((`.
    pub(super) fn no_joined_line(&self) -> ProofResult<()> {
        if self.byte(1) == b'\\' && self.byte(2) == b'\n' {
            return fail("a line goes on in a way that is not clear");
        }
        Ok(())
    }

    /// Skips blanks, comments and line breaks.
    pub(super) fn lines(&mut self) -> ProofResult<()> {
        loop {
            self.blanks()?;
            if self.byte(0) != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Parses a line break, and the here-documents of the finished line.
    pub(super) fn newline(&mut self) -> ProofResult<()> {
        self.at += 1;
        self.lines += 1;
        if self.outer_pending > 0 {
            return fail("a here-document begins outside of where its line ends");
        }
        for pending in std::mem::take(&mut self.pending) {
            self.document(&pending)?;
        }
        Ok(())
    }

    /// Reports whether a here-document is still pending.
    pub(super) fn has_pending_heredoc(&self) -> bool {
        self.outer_pending > 0 || !self.pending.is_empty()
    }

    /// Returns the reserved word at the current position.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        let rest = self.rest().as_bytes();
        let length = rest
            .iter()
            .take(9)
            .position(|byte| is_meta(*byte))
            .unwrap_or(rest.len());
        let word = rest.get(..length)?;
        RESERVED.into_iter().find(|known| known.as_bytes() == word)
    }

    /// Consumes a reserved word.
    pub(super) fn eat_keyword(&mut self, wanted: &str) -> bool {
        let found = self.keyword() == Some(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    pub(super) fn expect_keyword(&mut self, wanted: &str) -> ProofResult<()> {
        if self.eat_keyword(wanted) {
            Ok(())
        } else {
            fail("a part of it cannot be read")
        }
    }

    /// Consumes a variable name; returns an empty text if there is none.
    pub(super) fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let length = rest.bytes().take_while(|byte| is_part(*byte)).count();
        let name = &rest[..length];
        if !is_name(name) {
            return "";
        }
        self.at += length;
        name
    }
}
