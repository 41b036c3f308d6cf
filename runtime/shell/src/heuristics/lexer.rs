//! The lexer for words as bash reads them: quotes, escapes, variables, braces.
//!
//! The lexer splits flat text into simple commands and separators. At a construct (a substitution, a group, a loop) it
//! stops with [`LexerStop::Nested`], unless the parser has set the end of that construct.

mod builder;
mod quotes;

use std::ops::Range;

use self::builder::WordBuilder;
pub(crate) use self::builder::{BRACES, KnownVariables};
use crate::script::{Assignment, Redirect, RedirectKind, ScriptWord};

/// The reason why the lexer stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LexerStop {
    /// A construct begins here, which requires the parser.
    Nested,
    /// The text may not mean what it appears to mean.
    Unclear(&'static str),
}

/// The next token of flat text.
#[derive(Debug)]
pub(crate) enum Token<'a> {
    /// One word, or several after brace expansion.
    Words(Vec<ScriptWord<'a>>),
    /// One word without braces, which is the usual case.
    Word(ScriptWord<'a>),
    /// An assignment in a position where bash accepts one.
    Assignment(Assignment<'a>),
    /// A redirection.
    Redirect(Redirect<'a>),
    /// `|` and `|&`
    Pipe,
    /// `;` or the end of a line
    Separator,
    /// `&&` and `||`
    Condition,
    /// `&`
    Background,
}

/// The lexer of flat text.
pub(crate) struct Lexer<'a, 'h> {
    source: &'a str,
    at: usize,
    end: usize,
    holes: &'h [Range<usize>],
    known: &'h KnownVariables<'a>,
    /// Whether a construct outside of the holes stops the lexer with `Nested`; otherwise the text is unclear.
    rejects_constructs: bool,
}

impl<'a, 'h> Lexer<'a, 'h> {
    /// Creates a lexer for a whole text.
    pub(crate) fn flat(source: &'a str, known: &'h KnownVariables<'a>) -> Self {
        Self {
            source,
            at: 0,
            end: source.len(),
            holes: &[],
            known,
            rejects_constructs: true,
        }
    }

    /// Creates a lexer for a part of a text whose constructs the parser has found.
    pub(crate) fn with_holes(
        source: &'a str,
        part: Range<usize>,
        holes: &'h [Range<usize>],
        known: &'h KnownVariables<'a>,
    ) -> Self {
        Self {
            source,
            at: part.start,
            end: part.end,
            holes,
            known,
            rejects_constructs: false,
        }
    }

    /// Continues at a position.
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns the position at which the next token may begin.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    fn byte(&self, ahead: usize) -> u8 {
        let at = self.at + ahead;
        if at < self.end {
            self.source.as_bytes()[at]
        } else {
            0
        }
    }

    fn nested(&self) -> LexerStop {
        if self.rejects_constructs {
            LexerStop::Nested
        } else {
            LexerStop::Unclear("it has a construct in a place where it cannot be read")
        }
    }

    /// Skips blanks, line continuations and comments.
    pub(crate) fn skip_blanks(&mut self) {
        loop {
            match self.byte(0) {
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.byte(1) == b'\n' => self.at += 2,
                b'#' if self.at == 0
                    || b" \t\n;&|()".contains(&self.source.as_bytes()[self.at - 1]) =>
                {
                    let rest = &self.source[self.at..self.end];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Returns the next token; `None` at the end. `assigns` indicates whether an assignment is accepted here.
    pub(crate) fn next(&mut self, assigns: bool) -> Result<Option<Token<'a>>, LexerStop> {
        self.skip_blanks();
        if self.at >= self.end {
            return Ok(None);
        }
        if let Some(operator) = self.operator()? {
            return Ok(Some(operator));
        }
        if let Some(redirect) = self.redirect()? {
            return Ok(Some(Token::Redirect(redirect)));
        }
        if assigns && let Some(assignment) = self.assignment()? {
            return Ok(Some(Token::Assignment(assignment)));
        }
        let begun = self.at;
        let token = self.word()?;
        if self.at == begun {
            return Err(self.nested());
        }
        Ok(Some(token))
    }

    fn operator(&mut self) -> Result<Option<Token<'a>>, LexerStop> {
        let (token, length) = match (self.byte(0), self.byte(1)) {
            (b'|', b'|') | (b'&', b'&') => (Token::Condition, 2),
            (b'|', b'&') => (Token::Pipe, 2),
            (b'|', _) => (Token::Pipe, 1),
            (b'&', b'>') => return Ok(None),
            (b'&', _) => (Token::Background, 1),
            (b';', b';' | b'&') | (b'(' | b')', _) => return Err(self.nested()),
            (b';' | b'\n', _) => (Token::Separator, 1),
            _ => return Ok(None),
        };
        self.at += length;
        Ok(Some(token))
    }

    fn redirect(&mut self) -> Result<Option<Redirect<'a>>, LexerStop> {
        let begun = self.at;
        if self.byte(0) == b'{' {
            // `{name}>file`
            let rest = &self.source[self.at + 1..self.end];
            let name = rest
                .bytes()
                .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
                .count();
            let after = rest.as_bytes().get(name..name + 2);
            if name > 0 && matches!(after, Some([b'}', b'<' | b'>'])) {
                return Err(LexerStop::Unclear("it keeps a file open in a variable"));
            }
            return Ok(None);
        }
        while self.byte(0).is_ascii_digit() {
            self.at += 1;
        }
        if self.at == begun && self.byte(0) == b'&' {
            self.at += 1;
        }
        let (kind, length) = match (self.byte(0), self.byte(1), self.byte(2)) {
            (b'<', b'<', b'<') => (RedirectKind::HereString, 3),
            (b'<', b'<', _) | (b'<' | b'>', b'(', _) => {
                self.at = begun;
                return self.process_substitution();
            }
            (b'<', b'>', _) => (RedirectKind::Both, 2),
            (b'<' | b'>', b'&', _) => (RedirectKind::Duplicate, 2),
            (b'<', _, _) => (RedirectKind::Read, 1),
            (b'>', b'>' | b'|', _) => (RedirectKind::Write, 2),
            (b'>', _, _) => (RedirectKind::Write, 1),
            _ => {
                self.at = begun;
                return Ok(None);
            }
        };
        self.at += length;
        self.skip_blanks();
        let target = self.target()?;
        let is_descriptor = |text: &str| {
            text == "-"
                || !text.is_empty()
                    && text
                        .trim_end_matches('-')
                        .bytes()
                        .all(|b| b.is_ascii_digit())
        };
        let kind = match kind {
            RedirectKind::Duplicate if !target.fixed().is_some_and(is_descriptor) => {
                RedirectKind::Write
            }
            kind => kind,
        };
        Ok(Some(Redirect { kind, target }))
    }

    /// Distinguishes a process substitution from a redirection: `<(` begins a word if the parser has found a construct
    /// there.
    fn process_substitution(&self) -> Result<Option<Redirect<'a>>, LexerStop> {
        if self.hole().is_some() {
            Ok(None)
        } else {
            Err(self.nested())
        }
    }

    fn target(&mut self) -> Result<ScriptWord<'a>, LexerStop> {
        let begun = self.at;
        match self.word()? {
            Token::Word(word) if self.at > begun => Ok(word),
            _ => Err(LexerStop::Unclear("a redirection has no single target")),
        }
    }

    fn assignment(&mut self) -> Result<Option<Assignment<'a>>, LexerStop> {
        let rest = &self.source[self.at..self.end];
        let bytes = rest.as_bytes();
        if !bytes
            .first()
            .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        {
            return Ok(None);
        }
        let mut length = bytes
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
            .count();
        let mut name = &rest[..length];
        if bytes.get(length) == Some(&b'[') {
            let Some(close) = rest[length..].find(']') else {
                return Ok(None);
            };
            if matches!(bytes.get(length + close + 1), Some(b'=' | b'+')) {
                length += close + 1;
                name = &rest[..length];
            }
        }
        let is_added = bytes.get(length) == Some(&b'+');
        if is_added {
            length += 1;
        }
        if bytes.get(length) != Some(&b'=') {
            return Ok(None);
        }
        self.at += length + 1;
        let unknown = ScriptWord {
            is_dynamic: true,
            ..ScriptWord::default()
        };
        if self.byte(0) == b'(' {
            self.at = self.hole().ok_or_else(|| self.nested())?;
            let value = unknown;
            return Ok(Some(Assignment { name, value }));
        }
        let mut value = match self.word()? {
            Token::Word(word) => word,
            _ => unknown,
        };
        value.is_dynamic |= is_added;
        Ok(Some(Assignment { name, value }))
    }

    /// Returns the end of the construct that begins here, if the parser has found one.
    fn hole(&self) -> Option<usize> {
        let first = self.holes.partition_point(|hole| hole.start < self.at);
        let starting = self.holes[first..]
            .iter()
            .take_while(|hole| hole.start == self.at);
        // A hole may end after the parsed part, since the parser and this lexer may disagree.
        starting
            .map(|hole| hole.end.min(self.end))
            .filter(|end| *end > self.at)
            .max()
    }

    /// Reads one word; consumes nothing if no word begins here.
    fn word(&mut self) -> Result<Token<'a>, LexerStop> {
        // Most words are plain, and borrow from the source.
        let rest = &self.source.as_bytes()[self.at..self.end];
        let plain = rest
            .iter()
            .take_while(|byte| PLAIN[usize::from(**byte)])
            .count();
        if plain > 0 && rest.get(plain).is_none_or(|byte| b" \t\n;|".contains(byte)) {
            let text = &self.source[self.at..self.at + plain];
            self.at += plain;
            return Ok(Token::Word(ScriptWord::literal(text)));
        }
        let mut builder = WordBuilder::default();
        loop {
            if let Some(end) = self.hole() {
                self.at = end;
                builder.word.is_dynamic = true;
                continue;
            }
            let rest = &self.source[self.at..self.end];
            let Some(next) = rest.chars().next() else {
                break;
            };
            match next {
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' => break,
                '(' | ')' => {
                    if builder.is_empty() {
                        break;
                    }
                    return Err(self.nested());
                }
                '\\' => self.escape(&mut builder)?,
                '\'' => self.single_quoted(&mut builder)?,
                '"' => self.double_quoted(&mut builder)?,
                '$' => self.dollar(&mut builder, false)?,
                '`' => return Err(self.nested()),
                '~' if builder.is_empty() => {
                    builder.word.is_home = true;
                    builder.push('~');
                    self.at += 1;
                }
                '*' | '?' | '[' => {
                    builder.has_glob = true;
                    builder.push(next);
                    self.at += 1;
                }
                '{' | ',' | '}' => {
                    builder.push_brace(next);
                    self.at += 1;
                }
                '\r' => return Err(LexerStop::Unclear("it has a carriage return")),
                _ => {
                    builder.push(next);
                    self.at += next.len_utf8();
                }
            }
        }
        builder.finish()
    }
}

/// The bytes that have no special meaning anywhere in a word.
static PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        table[byte] = character.is_ascii_alphanumeric()
            || matches!(
                character,
                b'_' | b'-' | b'.' | b'/' | b':' | b'@' | b'%' | b'+' | b'=' | b'^'
            );
        byte += 1;
    }
    table
};
