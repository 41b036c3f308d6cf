//! Cutting Markdown into blocks, line by line.

use std::borrow::Cow;

use super::block::{self, Fence, ListMarker};

/// A block that gets longer than this is shown in parts.
const MAX_BLOCK_BYTES: usize = 16 << 10;

/// A part of the text that nothing can change any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MarkdownPiece {
    Block {
        text: String,
        /// Whether the block follows the block before it without a blank line.
        is_tight: bool,
        /// The list item, if the block is one.
        item: Option<ListItem>,
    },
    CodeStart {
        language: String,
    },
    CodeLine(String),
    CodeEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListItem {
    marker: ListMarker,
    /// Whether the item continues the list before it.
    continues_list: bool,
}

impl ListItem {
    /// Returns the number of the item; the source may number all items with 1.
    pub(super) fn number(&self, last: Option<u64>) -> Option<u64> {
        let own = self.marker.number?;
        match last {
            Some(last) if self.continues_list => Some(last.saturating_add(1)),
            _ => Some(own),
        }
    }
}

#[derive(Debug, Default)]
enum SplitterState {
    #[default]
    BetweenBlocks,
    /// In paragraphs, a quote, a table: all that a blank line ends.
    Text,
    /// In code that is set off by blanks.
    Indented,
    /// In an item of a list, and maybe in a code block of it.
    Item {
        item: ListItem,
        fence: Option<Fence>,
    },
    Fence(Fence),
}

#[derive(Debug, Default)]
pub(super) struct Splitter {
    state: SplitterState,
    /// The block that is not finished.
    block: String,
    /// Blank lines, which belong to the block if it continues.
    blanks: usize,
    is_tight: bool,
}

impl Splitter {
    /// Returns the block that is not finished.
    pub(super) fn pending(&self) -> &str {
        &self.block
    }

    /// Reports whether that block follows the one before without a gap.
    pub(super) fn is_tight(&self) -> bool {
        self.is_tight
    }

    /// Returns the number of the unfinished item, if it is one.
    pub(super) fn number(&self, last: Option<u64>) -> Option<u64> {
        match &self.state {
            SplitterState::Item { item, .. } => item.number(last),
            _ => None,
        }
    }

    /// Adds a line, without its line break.
    pub(super) fn push_line(&mut self, line: &str, out: &mut Vec<MarkdownPiece>) {
        if self.block.len() + line.len() > MAX_BLOCK_BYTES
            && !matches!(self.state, SplitterState::Fence(_))
        {
            self.flush(out);
        }
        let is_blank = line.trim().is_empty();
        let expanded;
        let line = match &self.state {
            SplitterState::Fence(_) => line,
            _ => {
                expanded = expand_tabs(line);
                &expanded
            }
        };
        match &mut self.state {
            SplitterState::Fence(fence) if fence.is_closed_by(line) => {
                self.state = SplitterState::BetweenBlocks;
                out.push(MarkdownPiece::CodeEnd);
            }
            SplitterState::Fence(fence) => {
                let blanks = block::indent(line).min(fence.indent);
                out.push(MarkdownPiece::CodeLine(line[blanks..].to_owned()));
            }
            SplitterState::BetweenBlocks if is_blank => {}
            SplitterState::BetweenBlocks => self.start_block(line, out),
            SplitterState::Text if is_blank => self.flush(out),
            SplitterState::Text => self.continue_text(line, out),
            SplitterState::Indented | SplitterState::Item { .. } if is_blank => self.blanks += 1,
            SplitterState::Indented if block::indent(line) >= 4 => self.append(line),
            SplitterState::Indented => self.start_next_block(line, out),
            SplitterState::Item { .. } => self.continue_item(line, out),
        }
    }

    pub(super) fn finish(&mut self, out: &mut Vec<MarkdownPiece>) {
        if matches!(self.state, SplitterState::Fence(_)) {
            self.state = SplitterState::BetweenBlocks;
            out.push(MarkdownPiece::CodeEnd);
        }
        self.flush(out);
    }

    fn start_next_block(&mut self, line: &str, out: &mut Vec<MarkdownPiece>) {
        self.flush(out);
        self.start_block(line, out);
    }

    fn start_block(&mut self, line: &str, out: &mut Vec<MarkdownPiece>) {
        self.is_tight = false;
        if let Some(fence) = Fence::parse(line) {
            out.push(MarkdownPiece::CodeStart {
                language: fence.language.clone(),
            });
            self.state = SplitterState::Fence(fence);
            return;
        }
        if let Some(marker) = ListMarker::parse(line) {
            self.begin_item(marker, false, line);
            return;
        }
        self.state = match block::indent(line) {
            0..4 => SplitterState::Text,
            _ => SplitterState::Indented,
        };
        self.append(line);
        if block::is_single_line(line) {
            self.flush(out);
        }
    }

    fn begin_item(&mut self, marker: ListMarker, goes_on: bool, line: &str) {
        let inner = line.get(marker.content..).unwrap_or_default();
        self.state = SplitterState::Item {
            item: ListItem {
                marker,
                continues_list: goes_on,
            },
            fence: Fence::parse(inner),
        };
        self.append(line);
    }

    fn continue_text(&mut self, line: &str, out: &mut Vec<MarkdownPiece>) {
        let is_list = ListMarker::parse(line).is_some_and(|marker| marker.interrupts_paragraph());
        let is_heading = line.starts_with('#') && block::interrupts_paragraph(line);
        if is_list || is_heading || Fence::parse(line).is_some() {
            let is_heading = self.block.trim_end().ends_with(['-', '=']);
            self.flush(out);
            self.start_block(line, out);
            // A list that follows its sentence at once belongs to it.
            self.is_tight = is_list && !is_heading;
        } else {
            self.append(line);
        }
    }

    fn continue_item(&mut self, line: &str, out: &mut Vec<MarkdownPiece>) {
        let SplitterState::Item { item, fence } = &mut self.state else {
            return;
        };
        let content = item.marker.content;
        if block::indent(line) >= content {
            let inner = &line[content..];
            match fence {
                Some(open) if open.is_closed_by(inner) => *fence = None,
                Some(_) => {}
                None => *fence = Fence::parse(inner),
            }
            self.append(line);
            return;
        }
        let (before, was_code) = (item.marker, fence.is_some());
        if let Some(marker) = ListMarker::parse(line) {
            let goes_on =
                marker.sign == before.sign && marker.number.is_some() == before.number.is_some();
            let is_tight = self.blanks == 0 && goes_on;
            self.flush(out);
            self.is_tight = is_tight;
            self.begin_item(marker, goes_on, line);
            return;
        }
        let is_lazy = self.blanks == 0
            && !was_code
            && !block::interrupts_paragraph(line)
            && Fence::parse(line).is_none();
        if is_lazy {
            self.append(line);
        } else {
            self.start_next_block(line, out);
        }
    }

    fn append(&mut self, line: &str) {
        for _ in 0..std::mem::take(&mut self.blanks) {
            self.block.push('\n');
        }
        self.block.push_str(line);
        self.block.push('\n');
    }

    fn flush(&mut self, out: &mut Vec<MarkdownPiece>) {
        self.blanks = 0;
        let state = std::mem::take(&mut self.state);
        if self.block.is_empty() {
            return;
        }
        out.push(MarkdownPiece::Block {
            text: std::mem::take(&mut self.block),
            is_tight: std::mem::take(&mut self.is_tight),
            item: match state {
                SplitterState::Item { item, .. } => Some(item),
                _ => None,
            },
        });
    }
}

/// Replaces the tabs at the start of a line with spaces.
fn expand_tabs(line: &str) -> Cow<'_, str> {
    let text = line.trim_start_matches([' ', '\t']);
    let start = &line[..line.len() - text.len()];
    match start.contains('\t') {
        true => Cow::Owned(start.replace('\t', "    ") + text),
        false => Cow::Borrowed(line),
    }
}
