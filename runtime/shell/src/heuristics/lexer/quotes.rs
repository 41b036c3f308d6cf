//! Quotes, escapes and variables inside a word.

use super::{Lexer, LexerStop, WordBuilder};
use crate::heuristics::ansi;

impl<'a> Lexer<'a, '_> {
    pub(super) fn escape(&mut self, builder: &mut WordBuilder<'a>) -> Result<(), LexerStop> {
        let rest = &self.source[self.at + 1..self.end];
        match rest.chars().next() {
            None => builder.push('\\'),
            Some('\n') => {
                let is_inside = !builder.is_empty()
                    && !matches!(rest.as_bytes().get(1), None | Some(b' ' | b'\t' | b'\n'));
                if is_inside {
                    return Err(LexerStop::Unclear(
                        "a word goes on behind the end of its line",
                    ));
                }
            }
            Some(next) => {
                builder.word.is_quoted = true;
                builder.push(next);
            }
        }
        self.at += 1 + rest.chars().next().map_or(0, char::len_utf8);
        Ok(())
    }

    pub(super) fn single_quoted(&mut self, builder: &mut WordBuilder<'a>) -> Result<(), LexerStop> {
        let rest = &self.source[self.at + 1..self.end];
        let Some(close) = rest.find('\'') else {
            return Err(LexerStop::Unclear("a quote is not closed"));
        };
        builder.word.is_quoted = true;
        builder.push_str(&rest[..close]);
        self.at += close + 2;
        Ok(())
    }

    pub(super) fn double_quoted(&mut self, builder: &mut WordBuilder<'a>) -> Result<(), LexerStop> {
        builder.word.is_quoted = true;
        self.at += 1;
        loop {
            if let Some(end) = self.hole() {
                self.at = end;
                builder.word.is_dynamic = true;
                continue;
            }
            let rest = &self.source[self.at..self.end];
            let Some(next) = rest.chars().next() else {
                return Err(LexerStop::Unclear("a quote is not closed"));
            };
            match next {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '$' => self.dollar(builder, true)?,
                '`' => return Err(self.nested()),
                '\\' => {
                    let escaped = rest[1..].chars().next();
                    match escaped {
                        Some('\n') => {}
                        Some(escaped @ ('$' | '`' | '"' | '\\')) => builder.push(escaped),
                        Some(other) => {
                            builder.push('\\');
                            builder.push(other);
                        }
                        None => return Err(LexerStop::Unclear("a quote is not closed")),
                    }
                    self.at += 1 + escaped.map_or(0, char::len_utf8);
                }
                _ => {
                    builder.push(next);
                    self.at += next.len_utf8();
                }
            }
        }
    }

    pub(super) fn dollar(
        &mut self,
        builder: &mut WordBuilder<'a>,
        in_quotes: bool,
    ) -> Result<(), LexerStop> {
        let rest = &self.source[self.at + 1..self.end];
        let first = rest.as_bytes().first().copied().unwrap_or(0);
        match first {
            b'(' | b'{' | b'[' => Err(self.nested()),
            b'\'' if !in_quotes => self.ansi_quoted(builder),
            b'"' if !in_quotes => {
                self.at += 1;
                self.double_quoted(builder)
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let name = rest
                    .bytes()
                    .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
                    .count();
                builder.variable(&rest[..name], in_quotes, self.known);
                self.at += 1 + name;
                Ok(())
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                builder.variable(&rest[..1], in_quotes, self.known);
                self.at += 2;
                Ok(())
            }
            _ => {
                builder.push('$');
                self.at += 1;
                Ok(())
            }
        }
    }

    /// Reads `$'…'`.
    pub(super) fn ansi_quoted(&mut self, builder: &mut WordBuilder<'a>) -> Result<(), LexerStop> {
        builder.word.is_quoted = true;
        let body = &self.source[self.at + 2..self.end];
        let (text, length) =
            ansi::decode(body).ok_or(LexerStop::Unclear("a quote is not closed"))?;
        builder.push_str(&text);
        self.at += 2 + length;
        Ok(())
    }
}
