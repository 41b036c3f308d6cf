//! Markdown as a model writes it, shown while it comes. It is rendered from the events of `helve_markdown`, as HTML and
//! plain text are.
//!
//! Text is cut into blocks line by line: what is shown for good depends on the text alone and never on how it came in
//! pieces. A block is shown for good as soon as nothing can change it any more; lines of code one by one.

mod block;
mod code;
#[cfg(feature = "highlight")]
mod highlight;
#[cfg(not(feature = "highlight"))]
mod no_highlight;
mod splitter;
mod table;
mod writer;

use crate::screen::{Colors, Line};
use block::BlockOptions;
use code::CodeBlock;
use helve_core::support::text::last_bytes;
use splitter::{MarkdownPiece, Splitter};

/// The maximum size of the unfinished block that is redrawn at each drawing.
const MAX_TAIL_BYTES: usize = 8 << 10;

/// Markdown that comes in pieces.
pub struct Markdown {
    colors: Colors,
    splitter: Splitter,
    /// The line that is not at its end yet.
    line: String,
    /// The code block that lines are put into.
    code: Option<CodeBlock>,
    /// Whether anything is shown for good.
    has_output: bool,
    /// The number of the last item, where the next one may go on with the list.
    last_item: Option<u64>,
}

impl Markdown {
    /// Starts with nothing.
    pub fn new(colors: Colors) -> Self {
        Self {
            colors,
            splitter: Splitter::default(),
            line: String::new(),
            code: None,
            has_output: false,
            last_item: None,
        }
    }

    /// Adds the next piece of the text, and appends the lines that it finishes to `finished`.
    pub fn push(&mut self, text: &str, width: usize, finished: &mut Vec<Line>) {
        let mut rest = text;
        while let Some((end, after)) = rest.split_once('\n') {
            self.line.push_str(end);
            let line = std::mem::take(&mut self.line);
            let line = line.strip_suffix('\r').unwrap_or(&line);
            self.split(
                |splitter, out| splitter.push_line(line, out),
                width,
                finished,
            );
            rest = after;
        }
        self.line.push_str(rest);
    }

    /// Finishes the document: the remaining text becomes lines.
    pub fn finish(&mut self, width: usize, finished: &mut Vec<Line>) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.split(
                |splitter, out| splitter.push_line(&line, out),
                width,
                finished,
            );
        }
        self.split(Splitter::finish, width, finished);
        self.code = None;
        self.has_output = false;
        self.last_item = None;
    }

    /// Discards the unfinished text, and starts again.
    pub fn reset(&mut self) {
        *self = Self::new(self.colors);
    }

    /// Returns what is not finished, as it would be shown if it ended here.
    pub fn tail(&self, width: usize) -> Vec<Line> {
        if let Some(code) = &self.code {
            return match self.line.is_empty() {
                true => Vec::new(),
                false => vec![code.partial_line(&self.line)],
            };
        }
        let line = last_bytes(&self.line, MAX_TAIL_BYTES);
        let pending = last_bytes(self.splitter.pending(), MAX_TAIL_BYTES);
        let text = format!("{pending}{line}");
        let text = last_bytes(&text, MAX_TAIL_BYTES);
        if text.trim().is_empty() {
            return Vec::new();
        }
        let mut lines = Vec::new();
        if self.has_output && !self.splitter.is_tight() {
            lines.push(Line::new());
        }
        let chunk = BlockOptions {
            first_number: self.splitter.number(self.last_item),
            // Lines that change with the next word are not worth it.
            highlights: false,
        };
        writer::write_block(text, &chunk, self.colors, width, &mut lines);
        lines
    }

    fn split(
        &mut self,
        split: impl FnOnce(&mut Splitter, &mut Vec<MarkdownPiece>),
        width: usize,
        finished: &mut Vec<Line>,
    ) {
        let mut pieces = Vec::new();
        split(&mut self.splitter, &mut pieces);
        for piece in pieces {
            self.render_piece(piece, width, finished);
        }
    }

    fn render_piece(&mut self, piece: MarkdownPiece, width: usize, finished: &mut Vec<Line>) {
        match piece {
            MarkdownPiece::Block {
                text,
                is_tight,
                item,
            } => {
                self.push_gap(is_tight, finished);
                let number = item.and_then(|item| item.number(self.last_item));
                let chunk = BlockOptions {
                    first_number: number,
                    highlights: true,
                };
                writer::write_block(&text, &chunk, self.colors, width, finished);
                self.last_item = number;
            }
            MarkdownPiece::CodeStart { language } => {
                self.push_gap(false, finished);
                self.code = Some(CodeBlock::new(&language, self.colors));
                self.last_item = None;
            }
            MarkdownPiece::CodeLine(line) => {
                if let Some(code) = &mut self.code {
                    finished.push(code.highlight_line(&line));
                }
            }
            MarkdownPiece::CodeEnd => self.code = None,
        }
    }

    /// Sets a block apart from the one before.
    fn push_gap(&mut self, is_tight: bool, finished: &mut Vec<Line>) {
        if self.has_output && !is_tight {
            finished.push(Line::new());
        }
        self.has_output = true;
    }
}

#[cfg(test)]
mod tests;
