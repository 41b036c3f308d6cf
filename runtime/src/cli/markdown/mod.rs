//! Markdown as a model writes it, shown while it comes.
//!
//! Text is cut into blocks line by line: what is shown for good depends on the text alone and never on how it came in
//! pieces. A block is shown for good as soon as nothing can change it any more; lines of code one by one.

mod block;
mod code;
mod splitter;
mod table;
mod writer;

use super::screen::{Colors, Line};
use crate::support::text::last_bytes;
use block::Chunk;
use code::Code;
use splitter::{Piece, Splitter};

/// How much of an unfinished block is shown anew at each drawing.
const SHOWN: usize = 8 << 10;

/// Markdown that comes in pieces.
#[derive(Debug)]
pub(in crate::cli) struct Markdown {
    colors: Colors,
    splitter: Splitter,
    /// The line that is not at its end yet.
    line: String,
    /// The code block that lines are put into.
    code: Option<Code>,
    /// Whether anything is shown for good.
    has_shown: bool,
    /// The number of the last item, where the next one may go on with the list.
    last_item: Option<u64>,
}

impl Markdown {
    /// Starts with nothing.
    pub(in crate::cli) fn new(colors: Colors) -> Self {
        Self {
            colors,
            splitter: Splitter::default(),
            line: String::new(),
            code: None,
            has_shown: false,
            last_item: None,
        }
    }

    /// Takes the next piece of the text; what is finished with it goes to `finished`.
    pub(in crate::cli) fn push(&mut self, text: &str, width: usize, finished: &mut Vec<Line>) {
        let mut rest = text;
        while let Some((end, after)) = rest.split_once('\n') {
            self.line.push_str(end);
            let line = std::mem::take(&mut self.line);
            let line = line.strip_suffix('\r').unwrap_or(&line);
            self.pieces(|splitter, out| splitter.line(line, out), width, finished);
            rest = after;
        }
        self.line.push_str(rest);
    }

    /// Takes the text as finished.
    pub(in crate::cli) fn finish(&mut self, width: usize, finished: &mut Vec<Line>) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.pieces(|splitter, out| splitter.line(&line, out), width, finished);
        }
        self.pieces(Splitter::finish, width, finished);
        self.code = None;
        self.has_shown = false;
        self.last_item = None;
    }

    /// Forgets what is not finished, and begins anew.
    pub(in crate::cli) fn forget(&mut self) {
        *self = Self::new(self.colors);
    }

    /// Returns what is not finished, as it would be shown if it ended here.
    pub(in crate::cli) fn tail(&self, width: usize) -> Vec<Line> {
        if let Some(code) = &self.code {
            return match self.line.is_empty() {
                true => Vec::new(),
                false => vec![code.unfinished(&self.line)],
            };
        }
        let line = last_bytes(&self.line, SHOWN);
        let text = format!("{}{line}", last_bytes(self.splitter.pending(), SHOWN));
        let text = last_bytes(&text, SHOWN);
        if text.trim().is_empty() {
            return Vec::new();
        }
        let mut lines = Vec::new();
        if self.has_shown && !self.splitter.is_tight() {
            lines.push(Line::new());
        }
        let chunk = Chunk {
            number: self.splitter.number(self.last_item),
            // Lines that change with the next word are not worth it.
            highlights: false,
        };
        writer::write(text, &chunk, self.colors, width, &mut lines);
        lines
    }

    fn pieces(
        &mut self,
        split: impl FnOnce(&mut Splitter, &mut Vec<Piece>),
        width: usize,
        finished: &mut Vec<Line>,
    ) {
        let mut pieces = Vec::new();
        split(&mut self.splitter, &mut pieces);
        for piece in pieces {
            self.show(piece, width, finished);
        }
    }

    fn show(&mut self, piece: Piece, width: usize, finished: &mut Vec<Line>) {
        match piece {
            Piece::Block {
                text,
                is_tight,
                item,
            } => {
                self.gap(is_tight, finished);
                let number = item.and_then(|item| item.number(self.last_item));
                let chunk = Chunk {
                    number,
                    highlights: true,
                };
                writer::write(&text, &chunk, self.colors, width, finished);
                self.last_item = number;
            }
            Piece::CodeStarts { language } => {
                self.gap(false, finished);
                self.code = Some(Code::new(&language, self.colors));
                self.last_item = None;
            }
            Piece::CodeLine(line) => {
                if let Some(code) = &mut self.code {
                    finished.push(code.line(&line));
                }
            }
            Piece::CodeEnds => self.code = None,
        }
    }

    /// Sets a block apart from the one before.
    fn gap(&mut self, is_tight: bool, finished: &mut Vec<Line>) {
        if self.has_shown && !is_tight {
            finished.push(Line::new());
        }
        self.has_shown = true;
    }
}

#[cfg(test)]
mod tests;
