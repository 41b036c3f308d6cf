//! Lines that are written anew in place, below text that is finished and stays.

use super::colors::Colors;
use super::line::Line;

/// The size of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The number of columns.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
}

/// Fewer columns than this are taken for a mistake: everything would be cut to nothing.
const MIN_COLUMNS: usize = 20;

impl Size {
    /// Reads the size of the terminal, which may change at any time.
    pub fn of_stdout() -> Self {
        let size = terminal_size::terminal_size();
        let (columns, rows) = size.map_or((80, 24), |(width, height)| {
            (usize::from(width.0), usize::from(height.0))
        });
        Self {
            columns: columns.max(MIN_COLUMNS),
            rows: rows.max(4),
        }
    }
}

/// The live lines at the bottom of what was written.
///
/// The region creates the bytes and does not write them. The cursor is after the last live line, or at the start of a
/// new line if there is none.
#[derive(Debug, Default)]
pub(crate) struct Region {
    colors: Colors,
    /// The width in columns of each drawn live line.
    drawn_widths: Vec<usize>,
}

impl Region {
    pub(crate) const fn new(colors: Colors) -> Self {
        Self {
            colors,
            drawn_widths: Vec::new(),
        }
    }

    /// Draws finished lines, and below them the live lines that fit. Finished lines are not truncated.
    pub(crate) fn draw(&mut self, finished: &[Line], live: &[Line], size: Size) -> String {
        let mut out = self.clear(size);
        for line in finished {
            line.write(self.colors, &mut out);
            out.push('\n');
        }
        // One row stays free: a region as high as the terminal would scroll it.
        let first = live.len().saturating_sub(size.rows - 1);
        for (index, line) in live[first..].iter().enumerate() {
            // A line that fills its row leaves the cursor where terminals do not agree.
            let line = line.truncated(size.columns - 1);
            if index > 0 {
                out.push('\n');
            }
            line.write(self.colors, &mut out);
            self.drawn_widths.push(line.width());
        }
        out
    }

    /// Clears the live lines.
    ///
    /// A terminal that became narrower has wrapped the lines, so their rows are counted with the current width.
    pub(super) fn clear(&mut self, size: Size) -> String {
        if self.drawn_widths.is_empty() {
            return String::new();
        }
        let widths = self.drawn_widths.drain(..);
        let rows: usize = widths
            .map(|width| width.div_ceil(size.columns).max(1))
            .sum();
        let up = rows.min(size.rows) - 1;
        match up {
            0 => "\r\x1b[J".to_owned(),
            up => format!("\r\x1b[{up}A\x1b[J"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::theme;
    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        Line::from_text(text, theme::PLAIN)
    }

    const SIZE: Size = Size {
        columns: 20,
        rows: 5,
    };

    #[test]
    fn live_lines_are_taken_away_before_anything_else_is_written() {
        let mut region = Region::default();
        assert_eq!(
            region.draw(&lines("done"), &lines("a\nb"), SIZE),
            "done\na\nb"
        );
        assert_eq!(region.draw(&[], &lines("c"), SIZE), "\r\x1b[1A\x1b[Jc");
        assert_eq!(region.draw(&lines("more"), &[], SIZE), "\r\x1b[Jmore\n");
        assert_eq!(region.clear(SIZE), "");
    }

    #[test]
    fn live_lines_are_cut_to_the_terminal() {
        let mut region = Region::default();
        let wide = "0123456789".repeat(3);
        assert_eq!(region.draw(&[], &lines(&wide), SIZE), "012345678901234567…");
        region.clear(SIZE);
        let high = region.draw(&[], &lines("1\n2\n3\n4\n5\n6"), SIZE);
        assert_eq!(high, "3\n4\n5\n6");
    }

    #[test]
    fn a_terminal_that_got_narrower_has_broken_them() {
        let mut region = Region::default();
        region.draw(&[], &lines("0123456789012345678\nx"), SIZE);
        let narrow = Size {
            columns: 10,
            rows: 5,
        };
        assert_eq!(region.clear(narrow), "\r\x1b[2A\x1b[J");
    }
}
