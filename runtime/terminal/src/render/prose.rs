//! The words of a model as they are, line by line.

use crate::screen::{Colors, Line, theme};

#[derive(Debug, Default)]
pub(super) struct Prose {
    /// The line that is not at its end yet.
    line: String,
    /// Empty lines that are shown once something follows them.
    blanks: usize,
    has_shown: bool,
}

impl Prose {
    pub(super) fn new(_: Colors) -> Self {
        Self::default()
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
        self.end_line(width, finished);
        *self = Self::default();
    }

    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    pub(super) fn tail(&self, width: usize) -> Vec<Line> {
        if self.line.trim().is_empty() {
            return Vec::new();
        }
        let mut lines = vec![Line::new(); self.blanks];
        lines.extend(Line::styled(&self.line, theme::PLAIN).wrap(width));
        lines
    }

    fn end_line(&mut self, width: usize, finished: &mut Vec<Line>) {
        let line = std::mem::take(&mut self.line);
        if line.trim().is_empty() {
            self.blanks += usize::from(self.has_shown);
            return;
        }
        finished.extend(vec![Line::new(); std::mem::take(&mut self.blanks)]);
        let line = line.trim_end_matches('\r');
        finished.extend(Line::styled(line, theme::PLAIN).wrap(width));
        self.has_shown = true;
    }
}
