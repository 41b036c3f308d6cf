//! Texts that a search found.

use std::ops::Range;

use crate::screen::{Line, theme};

/// A text that a search found.
#[derive(Debug, Clone, Copy)]
pub struct FoundText<'a> {
    /// Where the text is, part by part.
    pub place: &'a [&'a str],
    /// The title of the place.
    pub title: &'a str,
    /// The part of the text that is shown.
    pub text: &'a str,
    /// Where the text has what was searched for, in bytes.
    pub matches: &'a [Range<usize>],
}

impl FoundText<'_> {
    /// Renders the place and the text, in which the matches stand out.
    #[must_use]
    pub fn render(&self, width: usize) -> Vec<Line> {
        let mut heading = Line::styled(&self.place.join("  "), theme::DIM);
        heading.push("  ", theme::PLAIN);
        heading.push(self.title, theme::PLAIN);
        heading.trim_end();
        let mut text = Line::styled("  ", theme::PLAIN);
        let mut from = 0;
        for range in self.matches {
            text.push(
                self.text.get(from..range.start).unwrap_or_default(),
                theme::PLAIN,
            );
            text.push(
                self.text.get(range.clone()).unwrap_or_default(),
                theme::STRONG,
            );
            from = range.end;
        }
        text.push(self.text.get(from..).unwrap_or_default(), theme::PLAIN);
        let mut lines = heading.wrap_hanging(width, 2);
        lines.extend(text.wrap_hanging(width, 2));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_its_place_and_fits_the_width() {
        let matches = 4..8;
        let found = FoundText {
            place: &["2026-11-22", "first"],
            title: "A title",
            text: "the pipe is broken, and this is a long line",
            matches: std::slice::from_ref(&matches),
        };
        let lines: Vec<String> = found.render(32).iter().map(Line::text).collect();
        assert_eq!(
            lines,
            [
                "2026-11-22  first  A title",
                "  the pipe is broken, and this",
                "  is a long line"
            ]
        );
    }
}
