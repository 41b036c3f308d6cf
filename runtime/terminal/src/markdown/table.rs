//! A table that fits the terminal.

use helve_markdown::events::Alignment;

use crate::screen::{Line, theme};

const COLUMN_GAP: usize = 2;
const MIN_COLUMN_WIDTH: usize = 6;

#[derive(Debug)]
pub(super) struct MarkdownTable {
    alignments: Vec<Alignment>,
    /// The head first.
    rows: Vec<Vec<Line>>,
    pub(super) row: Vec<Line>,
}

impl MarkdownTable {
    pub(super) fn new(alignments: &[Alignment]) -> Self {
        Self {
            alignments: alignments.to_vec(),
            rows: Vec::new(),
            row: Vec::new(),
        }
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Lays it out in so many columns of the terminal.
    pub(super) fn layout(&self, width: usize) -> Vec<Line> {
        let columns = self.alignments.len();
        let between = COLUMN_GAP * columns.saturating_sub(1);
        if columns == 0 {
            return Vec::new();
        }
        if width < columns * MIN_COLUMN_WIDTH + between {
            return self.stacked_lines(width);
        }
        let widths = self.widths(width - between);
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            self.write_row(row, &widths, index == 0, &mut lines);
            if index == 0 {
                let whole = widths.iter().sum::<usize>() + between;
                lines.push(Line::styled(&"─".repeat(whole), theme::DIM));
            }
        }
        lines
    }

    /// Gives each column what it needs; where that is too much, the widest give way.
    fn widths(&self, room: usize) -> Vec<usize> {
        let needed = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(Line::width).max().unwrap_or(0).max(1)
        };
        let mut widths: Vec<usize> = (0..self.alignments.len()).map(needed).collect();
        let mut excess = widths.iter().sum::<usize>().saturating_sub(room);
        while excess > 0 {
            let widest = widths.iter().copied().max().unwrap_or(0);
            let next = widths.iter().copied().filter(|width| *width < widest).max();
            let count = widths.iter().filter(|width| **width == widest).count();
            let step = (widest - next.unwrap_or(0))
                .min(excess.div_ceil(count))
                .max(1);
            for width in widths.iter_mut().filter(|width| **width == widest) {
                let less = step.min(excess).min(*width - 1);
                *width -= less;
                excess -= less;
            }
            if widest <= 1 {
                break;
            }
        }
        widths
    }

    fn write_row(&self, row: &[Line], widths: &[usize], is_head: bool, lines: &mut Vec<Line>) {
        let empty = Line::new();
        let cells: Vec<Vec<Line>> = widths
            .iter()
            .enumerate()
            .map(|(column, width)| row.get(column).unwrap_or(&empty).wrap(*width))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for level in 0..height {
            let mut line = Line::new();
            for (column, width) in widths.iter().enumerate() {
                if column > 0 {
                    line.push(&" ".repeat(COLUMN_GAP), theme::PLAIN);
                }
                let text = cells[column].get(level).unwrap_or(&empty);
                let missing = width.saturating_sub(text.width());
                let before = match self.alignments[column] {
                    Alignment::Right => missing,
                    Alignment::Center => missing / 2,
                    Alignment::None | Alignment::Left => 0,
                };
                line.push(&" ".repeat(before), theme::PLAIN);
                match is_head {
                    true => line.push(&text.text(), theme::STRONG),
                    false => line.append(text),
                }
                if column + 1 < widths.len() {
                    line.push(&" ".repeat(missing - before), theme::PLAIN);
                }
            }
            lines.push(line);
        }
    }

    /// Renders each row as a list of headings and cells, for terminals that are too narrow for columns.
    fn stacked_lines(&self, width: usize) -> Vec<Line> {
        let Some((head, rows)) = self.rows.split_first() else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                lines.push(Line::new());
            }
            for (head, cell) in head.iter().zip(row) {
                let mut line = Line::styled(&head.text(), theme::STRONG).with(": ", theme::PLAIN);
                line.append(cell);
                lines.extend(line.wrap(width));
            }
        }
        lines
    }
}
