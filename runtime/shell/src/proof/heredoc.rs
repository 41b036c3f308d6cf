//! Here-documents, parsed as bash parses them.
//!
//! The text of a document begins after the line with its operator, and ends at a line that is exactly its delimiter.
//! Versions of bash differ on unusual delimiters, joined lines inside of a document, and the end of the text; all of
//! these are rejected.

use crate::environment;

use super::ast::{WordNode, WordPiece};
use super::parser::{Parser, PendingHeredoc, ProofResult, fail, is_meta, is_name};

impl<'a> Parser<'a> {
    /// Parses the delimiter after `<<`; returns the index of the document.
    pub(super) fn document_start(&mut self) -> ProofResult<usize> {
        let strips_tabs = self.eat("-");
        while matches!(self.byte(0), b' ' | b'\t') {
            self.at += 1;
        }
        let quote = Some(self.byte(0)).filter(|byte| matches!(byte, b'\'' | b'"' | b'\\'));
        self.at += usize::from(quote.is_some());
        let rest = self.rest();
        let length = rest
            .bytes()
            .position(|byte| !byte.is_ascii_alphanumeric() && !b"_.!+-".contains(&byte))
            .unwrap_or(rest.len());
        self.at += length;
        let mut is_closed = true;
        if let Some(quote @ (b'\'' | b'"')) = quote {
            is_closed = self.byte(0) == quote;
            self.at += 1;
        }
        if length == 0 || !is_closed || self.is_end() || !is_meta(self.byte(0)) {
            return fail("the end of a here-document is not clear");
        }
        let number = self.documents.len();
        self.documents.push(WordNode::default());
        self.pending.push(PendingHeredoc {
            number,
            delimiter: &rest[..length],
            is_quoted: quote.is_some(),
            strips_tabs,
        });
        Ok(number)
    }

    /// Parses the text of a document, from the beginning of its first line.
    pub(super) fn document(&mut self, pending: &PendingHeredoc<'a>) -> ProofResult<()> {
        let mut text = String::new();
        loop {
            if self.is_end() {
                return fail("a here-document does not end");
            }
            let rest = self.rest();
            let line = rest.split('\n').next().unwrap_or_default();
            self.at = (self.at + line.len() + 1).min(self.end);
            let line = if pending.strips_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if line == pending.delimiter {
                break;
            }
            if !pending.is_quoted && line.ends_with('\\') {
                return fail("a line of a here-document goes on in the next");
            }
            text.push_str(line);
            text.push('\n');
        }
        self.documents[pending.number] = WordNode {
            pieces: if pending.is_quoted {
                vec![WordPiece::Quoted(text)]
            } else {
                parse_heredoc_expansions(&text)?
            },
        };
        Ok(())
    }
}

/// Parses the text of a document with an unquoted delimiter. Plain variables are expanded; any other expansion is
/// rejected.
fn parse_heredoc_expansions<'a>(text: &str) -> ProofResult<Vec<WordPiece<'a>>> {
    const UNCLEAR: &str = "a here-document has an expansion that cannot be read";
    if text.contains('`') {
        return fail(UNCLEAR);
    }
    let is_plain = !text.contains(['$', '\\']);
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        rest = &rest[at + 1..];
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let named = rest.strip_prefix('{').unwrap_or(rest);
        let length = named.bytes().take_while(|byte| is_part(*byte)).count();
        if environment::is_secret(&named[..length]) {
            return fail("it shows a secret of the environment");
        }
        let first = rest.bytes().next().unwrap_or(b' ');
        let is_clear = match first {
            b'{' => rest[1..]
                .split_once('}')
                .is_some_and(|(name, _)| is_name(name)),
            b'(' | b'[' | b'\'' | b'"' => false,
            _ => true,
        };
        if !is_clear {
            return fail(UNCLEAR);
        }
    }
    Ok(vec![if is_plain {
        WordPiece::Quoted(text.to_owned())
    } else {
        // The text of the document is not used, so its value need not be known.
        WordPiece::Number {
            names: Vec::new(),
            may_fail: false,
        }
    }])
}
