//! The words of a model as they are, line by line.

use crate::cli::screen::{Colors, Line, theme};

/// Text that comes in pieces.
#[derive(Debug)]
pub(super) struct Prose {
    /// The line that is not at its end yet.
    line: String,
}

impl Prose {
    pub(super) fn new(_: Colors) -> Self {
        Self {
            line: String::new(),
        }
    }

    pub(super) fn push(&mut self, text: &str, width: usize, finished: &mut Vec<Line>) {
        let mut rest = text;
        while let Some((end, after)) = rest.split_once('\n') {
            self.line.push_str(end);
            self.end_line(width, finished);
            rest = after;
        }
        self.line.push_str(rest);
    }

    pub(super) fn finish(&mut self, width: usize, finished: &mut Vec<Line>) {
        if !self.line.is_empty() {
            self.end_line(width, finished);
        }
    }

    pub(super) fn forget(&mut self) {
        self.line.clear();
    }

    pub(super) fn tail(&self, width: usize) -> Vec<Line> {
        match self.line.is_empty() {
            true => Vec::new(),
            false => Line::of(&self.line, theme::PLAIN).wrap(width),
        }
    }

    fn end_line(&mut self, width: usize, finished: &mut Vec<Line>) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_end_matches('\r');
        finished.extend(Line::of(line, theme::PLAIN).wrap(width));
    }
}
