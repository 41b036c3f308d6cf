//! Code blocks, line by line.

use crate::screen::{Colors, Line, theme};

#[cfg(feature = "highlight")]
use super::highlight::Highlighter;
#[cfg(not(feature = "highlight"))]
use super::no_highlight::NoHighlighter as Highlighter;

/// Longer lines are not highlighted, since some grammars are slow on long lines.
const MAX_LINE_BYTES: usize = 1_000;
/// Code after so many lines is not highlighted.
const MAX_LINES: usize = 5_000;
const INDENT: &str = "    ";

/// A code block that comes line by line.
pub(super) struct CodeBlock {
    highlighter: Option<Highlighter>,
    lines: usize,
}

impl CodeBlock {
    /// Starts a block in a language, as named by its fence.
    pub(super) fn new(language: &str, colors: Colors) -> Self {
        let is_wanted = colors != Colors::None && !language.is_empty();
        Self {
            highlighter: is_wanted.then(|| Highlighter::new(language)).flatten(),
            lines: 0,
        }
    }

    /// Returns the next line, without its end, as it is shown.
    pub(super) fn highlight_line(&mut self, line: &str) -> Line {
        self.lines += 1;
        let mut shown = Line::styled(INDENT, theme::PLAIN);
        if line.len() > MAX_LINE_BYTES || self.lines > MAX_LINES {
            self.highlighter = None;
        }
        let ended = format!("{line}\n");
        let highlighter = self.highlighter.as_mut();
        match highlighter.and_then(|highlighter| highlighter.spans(&ended)) {
            Some(spans) => {
                for (style, text) in spans {
                    shown.push(text.trim_end_matches('\n'), style);
                }
            }
            None => shown.push(line, theme::PLAIN),
        }
        shown.trim_end();
        shown
    }

    /// Returns a line that is not at its end yet.
    pub(super) fn partial_line(&self, line: &str) -> Line {
        Line::styled(INDENT, theme::PLAIN).with(line, theme::PLAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn highlighted(language: &str, colors: Colors, text: &str) -> String {
        let mut code = CodeBlock::new(language, colors);
        let mut out = String::new();
        for line in text.lines() {
            code.highlight_line(line).write(colors, &mut out);
            out.push('\n');
        }
        out.replace('\u{1b}', "^")
    }

    #[cfg(feature = "highlight")]
    #[test]
    fn code_has_the_colours_of_the_terminal() {
        let text = "// Runs.\nfn main() { let x = \"a\"; }";
        insta::assert_snapshot!(highlighted("rust", Colors::Terminal, text), @r#"
            ^[2m// Runs.^[0m
            ^[35mfn^[0m ^[34mmain^[0m() { ^[35mlet^[0m x = ^[32m"a"^[0m; }
            "#);
        assert_eq!(
            highlighted("rust", Colors::None, text),
            "    // Runs.\n    fn main() { let x = \"a\"; }\n"
        );
    }

    #[test]
    fn what_has_no_grammar_is_shown_as_it_is() {
        assert_eq!(
            highlighted("klingon", Colors::Terminal, "Qapla'"),
            "    Qapla'\n"
        );
        assert_eq!(
            highlighted("", Colors::Terminal, "a\u{1b}[2J"),
            "    a\u{fffd}[2J\n"
        );
        let long = "x".repeat(MAX_LINE_BYTES + 1);
        assert_eq!(
            highlighted("rust", Colors::Terminal, &long),
            format!("    {long}\n")
        );
    }
}
