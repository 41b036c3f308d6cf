//! A line of styled text: how wide it is, where it can be broken, and how it is written.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::UnicodeWidthChar;

use super::colors::Colors;
use crate::sanitize;

/// The number of columns of a tab.
const TAB: &str = "    ";

/// A line of styled text. Its text contains no control characters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    spans: Vec<Span>,
}

#[derive(Debug, Clone, PartialEq)]
struct Span {
    text: String,
    style: Style,
}

impl Line {
    /// Creates an empty line.
    pub const fn new() -> Self {
        Self { spans: Vec::new() }
    }

    /// Creates a line of one style.
    pub fn styled(text: &str, style: Style) -> Self {
        Self::new().with(text, style)
    }

    /// Creates a line for each line of a text.
    pub fn from_text(text: &str, style: Style) -> Vec<Self> {
        text.lines().map(|line| Self::styled(line, style)).collect()
    }

    /// Returns the line with a text after it.
    #[must_use]
    pub fn with(mut self, text: &str, style: Style) -> Self {
        self.push(text, style);
        self
    }

    /// Adds text; whatever would break the line or steer the terminal is taken out of it.
    pub fn push(&mut self, text: &str, style: Style) {
        let text = match text.contains('\t') {
            true => Cow::Owned(text.replace('\t', TAB)),
            false => Cow::Borrowed(text),
        };
        let text = sanitize::one_line(&text);
        if text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.style == style => last.text.push_str(&text),
            _ => self.spans.push(Span {
                text: text.into_owned(),
                style,
            }),
        }
    }

    /// Returns the line with a text before it.
    pub fn prefixed(&self, text: &str, style: Style) -> Self {
        let mut line = Self::styled(text, style);
        line.append(self);
        line
    }

    /// Adds the text of another line.
    pub fn append(&mut self, other: &Self) {
        for span in &other.spans {
            self.push(&span.text, span.style);
        }
    }

    /// Returns whether the line has no text.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the width in columns.
    pub fn width(&self) -> usize {
        self.characters()
            .map(|(character, _)| columns(character))
            .sum()
    }

    /// Returns the text without its styles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| &*span.text).collect()
    }

    fn characters(&self) -> impl Iterator<Item = (char, Style)> {
        let spans = self.spans.iter();
        spans.flat_map(|span| span.text.chars().map(|character| (character, span.style)))
    }

    /// Shortens it to so many columns; what is cut is marked.
    #[must_use]
    pub fn truncated(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        let mut cut = Self::new();
        let mut left = width.saturating_sub(1);
        let mut last = Style::new();
        for (character, style) in self.characters() {
            let columns = columns(character);
            if columns > left {
                break;
            }
            left -= columns;
            last = style;
            cut.push(character.encode_utf8(&mut [0; 4]), style);
        }
        if width > 0 {
            cut.push("…", last);
        }
        cut
    }

    /// Removes trailing spaces.
    pub fn trim_end(&mut self) {
        while let Some(last) = self.spans.last_mut() {
            last.text.truncate(last.text.trim_end_matches(' ').len());
            if !last.text.is_empty() {
                return;
            }
            self.spans.pop();
        }
    }

    /// Breaks it between words so that each line fits; a word that is too long is broken where it must be.
    pub fn wrap(&self, width: usize) -> Vec<Self> {
        self.wrap_hanging(width, 0)
    }

    /// Breaks it between words; what follows on further lines is set off by so many blanks.
    pub fn wrap_hanging(&self, width: usize, indent: usize) -> Vec<Self> {
        if self.width() <= width {
            return vec![self.clone()];
        }
        let mut lines = LineBreaker::new(width, indent);
        for word in self.words() {
            let (blanks, letters) = word.split();
            if lines.used > 0 && blanks.width() + letters.width() > lines.available() {
                // Blanks where a line is broken fall away.
                if !letters.is_empty() {
                    lines.start_line();
                    lines.push_text(&letters);
                }
            } else {
                lines.push_text(&word);
            }
        }
        lines.lines
    }

    /// Breaks it wherever a line is full and takes nothing away, as code wants it.
    pub fn wrap_anywhere(&self, width: usize, indent: usize) -> Vec<Self> {
        if self.width() <= width {
            return vec![self.clone()];
        }
        let mut lines = LineBreaker::new(width, indent);
        lines.push_text(self);
        lines.lines
    }

    /// Splits it into words, each with the blanks before it.
    fn words(&self) -> Vec<Self> {
        let mut words = vec![Self::new()];
        let mut in_word = false;
        for (character, style) in self.characters() {
            let is_blank = character == ' ';
            if is_blank && in_word {
                words.push(Self::new());
            }
            in_word = !is_blank;
            add_character(&mut words, character, style);
        }
        words
    }

    /// Splits a word into the blanks before it and the rest.
    fn split(&self) -> (Self, Self) {
        let (mut blanks, mut letters) = (Self::new(), Self::new());
        for (character, style) in self.characters() {
            let is_blank = character == ' ' && letters.is_empty();
            let part = if is_blank { &mut blanks } else { &mut letters };
            part.push(character.encode_utf8(&mut [0; 4]), style);
        }
        (blanks, letters)
    }

    /// Writes the line with the escape sequences of its styles.
    pub fn write(&self, colors: Colors, out: &mut String) {
        for Span { text, style } in &self.spans {
            if colors == Colors::None || style.is_plain() {
                out.push_str(text);
            } else {
                // Writing to a string does not fail.
                let _ = write!(out, "{style}{text}{style:#}");
            }
        }
    }
}

/// A line that is being broken.
struct LineBreaker {
    lines: Vec<Line>,
    width: usize,
    indent: usize,
    /// The width of the last line without its indentation.
    used: usize,
}

impl LineBreaker {
    fn new(width: usize, indent: usize) -> Self {
        Self {
            lines: vec![Line::new()],
            width: width.max(1),
            indent,
            used: 0,
        }
    }

    /// Returns how much fits on the last line.
    fn available(&self) -> usize {
        let indent = if self.lines.len() > 1 { self.indent } else { 0 };
        self.width.saturating_sub(indent + self.used)
    }

    fn start_line(&mut self) {
        let blanks = " ".repeat(self.indent);
        self.lines.push(Line::styled(&blanks, Style::new()));
        self.used = 0;
    }

    /// Adds text, on a further line wherever one is full.
    fn push_text(&mut self, text: &Line) {
        for (character, style) in text.characters() {
            let columns = columns(character);
            if columns > self.available() && self.used > 0 {
                self.start_line();
            }
            self.used += columns;
            add_character(&mut self.lines, character, style);
        }
    }
}

fn add_character(lines: &mut [Line], character: char, style: Style) {
    if let Some(line) = lines.last_mut() {
        line.push(character.encode_utf8(&mut [0; 4]), style);
    }
}

/// Returns how many columns a character takes. Terminals differ over sequences of them; the sum is never too small.
fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::theme;
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        let line = Line::styled(text, theme::PLAIN);
        line.wrap(width).iter().map(Line::text).collect()
    }

    fn hanging(text: &str, width: usize, indent: usize) -> Vec<String> {
        let lines = Line::styled(text, theme::PLAIN).wrap_hanging(width, indent);
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn code_is_broken_without_a_loss() {
        let line = Line::styled("let x  =  1;", theme::PLAIN);
        let lines: Vec<String> = line.wrap_anywhere(6, 1).iter().map(Line::text).collect();
        assert_eq!(lines, ["let x ", "  =  1", " ;"]);
    }

    #[test]
    fn a_line_is_broken_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 80), ["one two three"]);
        assert_eq!(wrapped("one   two", 4), ["one", "two"]);
        assert_eq!(wrapped("  indented words", 10), ["  indented", "words"]);
        assert_eq!(
            wrapped("a considerable word", 6),
            ["a", "consid", "erable", "word"]
        );
        assert_eq!(wrapped("日本語 日本", 5), ["日本", "語", "日本"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("ends with blanks     ", 16), ["ends with blanks"]);
        assert_eq!(
            hanging("one two three", 6, 2),
            ["one", "  two", "  thre", "  e"]
        );
        for width in 0..5 {
            assert!(wrapped("äö 語 x", width).concat().contains('語'));
        }
    }

    #[test]
    fn a_line_is_cut_by_columns() {
        let cut = |text: &str, width| Line::styled(text, theme::PLAIN).truncated(width).text();
        assert_eq!(cut("plain", 5), "plain");
        assert_eq!(cut("plainer", 5), "plai…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("x", 0), "");
    }

    #[test]
    fn nothing_in_it_steers_the_terminal() {
        let line = Line::styled("a\u{1b}[2Jb\tc\nd", theme::BAD);
        let mut written = String::new();
        line.write(Colors::Terminal, &mut written);
        assert_eq!(written, "\u{1b}[31ma\u{fffd}[2Jb    c\u{fffd}d\u{1b}[0m");
        written.clear();
        line.write(Colors::None, &mut written);
        assert_eq!(written, "a\u{fffd}[2Jb    c\u{fffd}d");
    }
}
