//! Code, highlighted in the colours that the user gave the terminal.

use std::str::FromStr;
use std::sync::OnceLock;

use anstyle::{Ansi256Color, Style};
use syntect::easy::HighlightLines;
use syntect::highlighting::{
    Color, FontStyle, ScopeSelectors, StyleModifier, Theme, ThemeItem, ThemeSettings,
};
use syntect::parsing::{SyntaxReference, SyntaxSet};

use crate::screen::{Colors, Line, theme};

/// Longer lines are not highlighted, since some grammars are slow on long lines.
const MAX_LINE_BYTES: usize = 1_000;
/// Code after so many lines is not highlighted.
const MAX_LINES: usize = 5_000;
const INDENT: &str = "    ";

/// A code block that comes line by line.
pub(super) struct CodeBlock {
    highlighter: Option<HighlightLines<'static>>,
    lines: usize,
}

impl CodeBlock {
    /// Starts a block in a language, as named by its fence.
    pub(super) fn new(language: &str, colors: Colors) -> Self {
        let is_wanted = colors != Colors::None && !language.is_empty();
        let syntax = is_wanted.then(|| find_syntax(language)).flatten();
        Self {
            highlighter: syntax.map(|syntax| HighlightLines::new(syntax, palette())),
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
        let spans = self
            .highlighter
            .as_mut()
            .and_then(|highlighter| highlighter.highlight_line(&ended, syntaxes()).ok());
        match spans {
            Some(spans) => {
                for (style, text) in spans {
                    shown.push(text.trim_end_matches('\n'), terminal_style(style));
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

/// Finds a language; the grammars are unpacked when the first code block comes.
fn find_syntax(language: &str) -> Option<&'static SyntaxReference> {
    let name = match language {
        "console" | "shell" | "shell-session" | "zsh" => "bash",
        "jsonc" | "json5" | "jsonl" => "json",
        "typescript" | "ts" | "tsx" | "jsx" => "js",
        other => other,
    };
    syntaxes().find_syntax_by_token(name)
}

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(SyntaxSet::load_defaults_newlines)
}

/// Numbers of the terminal's own colours.
const RED: u8 = 1;
const GREEN: u8 = 2;
const YELLOW: u8 = 3;
const BLUE: u8 = 4;
const MAGENTA: u8 = 5;
const CYAN: u8 = 6;

/// The colors of scopes. The order of the rows has no effect: the narrower scope overrides the wider one.
const SCOPES: [(&str, Option<u8>, FontStyle); 14] = [
    ("comment", None, FontStyle::ITALIC),
    ("string", Some(GREEN), FontStyle::empty()),
    ("constant.character.escape", Some(CYAN), FontStyle::empty()),
    ("constant.numeric", Some(CYAN), FontStyle::empty()),
    ("constant.language", Some(CYAN), FontStyle::empty()),
    ("keyword", Some(MAGENTA), FontStyle::empty()),
    ("keyword.operator", None, FontStyle::empty()),
    ("storage", Some(MAGENTA), FontStyle::empty()),
    (
        "entity.name.function, support.function",
        Some(BLUE),
        FontStyle::empty(),
    ),
    ("entity.name.tag", Some(BLUE), FontStyle::empty()),
    (
        "entity.name, support.type",
        Some(YELLOW),
        FontStyle::empty(),
    ),
    ("markup.inserted", Some(GREEN), FontStyle::empty()),
    ("markup.deleted", Some(RED), FontStyle::empty()),
    ("invalid", Some(RED), FontStyle::empty()),
];

/// The marker for the default color.
const NO_COLOR: Color = Color {
    r: 0,
    g: 0,
    b: 0,
    a: 1,
};

/// The theme, in which a colour is the number of one of the terminal's.
fn palette() -> &'static Theme {
    static PALETTE: OnceLock<Theme> = OnceLock::new();
    PALETTE.get_or_init(|| Theme {
        settings: ThemeSettings {
            foreground: Some(NO_COLOR),
            background: Some(NO_COLOR),
            ..ThemeSettings::default()
        },
        scopes: SCOPES.iter().filter_map(theme_item).collect(),
        ..Theme::default()
    })
}

fn theme_item((scope, color, font): &(&str, Option<u8>, FontStyle)) -> Option<ThemeItem> {
    let color = color.map_or(NO_COLOR, |number| Color {
        r: number,
        g: 0,
        b: 0,
        a: 0,
    });
    Some(ThemeItem {
        scope: ScopeSelectors::from_str(scope).ok()?,
        style: StyleModifier {
            foreground: Some(color),
            background: None,
            font_style: Some(*font),
        },
    })
}

fn terminal_style(style: syntect::highlighting::Style) -> Style {
    let mut shown = match style.foreground {
        Color { r, a: 0, .. } => {
            let color = Ansi256Color(r).into_ansi();
            Style::new().fg_color(color.map(anstyle::Color::Ansi))
        }
        _ => theme::PLAIN,
    };
    if style.font_style.contains(FontStyle::ITALIC) {
        shown = shown.dimmed();
    }
    shown
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
