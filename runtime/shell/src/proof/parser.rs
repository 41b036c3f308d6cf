//! The place in the text, and what separates tokens.
//!
//! The grammar is strict: where bash reads something in more than one way, or differently from version to version, the
//! text is refused.

use crate::specs::ProofError;

use super::ast::WordNode;

/// How deep constructs may stand in one another.
pub(super) const MAX_DEPTH: usize = 32;

/// Characters that end a word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>'
    )
}

/// Reports whether a text is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Words that bash reserves where a command may begin.
pub(super) const RESERVED: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "for", "select", "while", "until", "do", "done", "case",
    "esac", "in", "function", "{", "}", "[[", "]]", "coproc", "time", "!",
];

pub(super) type ProofResult<T> = Result<T, ProofError>;

pub(super) fn fail<T>(why: &'static str) -> ProofResult<T> {
    Err(ProofError(why))
}

/// A here-document whose text was not read yet.
pub(super) struct PendingHeredoc<'a> {
    pub(super) number: usize,
    pub(super) delimiter: &'a str,
    pub(super) is_quoted: bool,
    pub(super) strips_tabs: bool,
}

/// Reads a text.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) depth: usize,
    /// The here-documents of this line.
    pub(super) pending: Vec<PendingHeredoc<'a>>,
    /// How many here-documents wait outside of the substitution that is being read.
    pub(super) outer_pending: usize,
    pub(super) documents: Vec<WordNode<'a>>,
    /// Whether a descriptor other than the input may be open on what is read.
    pub(super) opens_input: bool,
    /// How many lines ended.
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

    /// Returns a byte, and 0 behind the end: the text has none.
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

    /// Goes one level deeper.
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

    /// Moves behind blanks, joined lines and a comment; only where a token may begin.
    ///
    /// Inside of a word bash joins lines as well; there the text is refused.
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

    /// Bash joins lines in the middle of a token: behind `(`, what follows would be the second half of `((`.
    pub(super) fn no_joined_line(&self) -> ProofResult<()> {
        if self.byte(1) == b'\\' && self.byte(2) == b'\n' {
            return fail("a line goes on in a way that is not clear");
        }
        Ok(())
    }

    /// Moves behind blanks, comments and ends of lines.
    pub(super) fn lines(&mut self) -> ProofResult<()> {
        loop {
            self.blanks()?;
            if self.byte(0) != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Takes the end of a line: the here-documents of the line follow.
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

    /// Reports whether a here-document still has to be read.
    pub(super) fn has_pending_heredoc(&self) -> bool {
        self.outer_pending > 0 || !self.pending.is_empty()
    }

    /// Returns the reserved word that begins here.
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

    /// Takes a reserved word.
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

    /// Takes a name of a variable; an empty one where none is here.
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
