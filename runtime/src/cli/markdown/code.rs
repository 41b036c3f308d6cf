//! Code, highlighted in the colours that the user gave the terminal.

use std::str::FromStr;
use std::sync::OnceLock;

use anstyle::{Ansi256Color, Style};
use syntect::easy::HighlightLines;
use syntect::highlighting::{
    Color, FontStyle, ScopeSelectors, StyleModifier, Theme, ThemeItem, ThemeSettings,
};
use syntect::parsing::{SyntaxReference, SyntaxSet};

use crate::cli::screen::{Colors, Line, theme};

/// Longer lines are not highlighted: nobody reads them, and some grammars take their time over them.
const LONGEST_LINE: usize = 1_000;
/// Code behind so many lines is not highlighted any more.
const MOST_LINES: usize = 5_000;
/// How far code is set off.
const INDENT: &str = "    ";

/// A code block that comes line by line.
pub(super) struct Code {
    highlighter: Option<HighlightLines<'static>>,
    lines: usize,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code")
            .field("lines", &self.lines)
            .finish_non_exhaustive()
    }
}

impl Code {
    /// Begins a block in a language, as its fence names it.
    pub(super) fn new(language: &str, colors: Colors) -> Self {
        let is_wanted = colors != Colors::None && !language.is_empty();
        let syntax = is_wanted.then(|| find(language)).flatten();
        Self {
            highlighter: syntax.map(|syntax| HighlightLines::new(syntax, palette())),
            lines: 0,
        }
    }

    /// Returns the next line, without its end, as it is shown.
    pub(super) fn line(&mut self, line: &str) -> Line {
        self.lines += 1;
        let mut shown = Line::of(INDENT, theme::PLAIN);
        if line.len() > LONGEST_LINE || self.lines > MOST_LINES {
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
                    shown.push(text.trim_end_matches('\n'), of_terminal(style));
                }
            }
            None => shown.push(line, theme::PLAIN),
        }
        shown.trim_end();
        shown
    }

    /// Returns a line that is not at its end yet.
    pub(super) fn unfinished(&self, line: &str) -> Line {
        Line::of(INDENT, theme::PLAIN).with(line, theme::PLAIN)
    }
}

/// Finds a language; the grammars are unpacked when the first code block comes.
fn find(language: &str) -> Option<&'static SyntaxReference> {
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

/// What has which colour; later lines weigh as much as earlier ones, the narrower scope wins.
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

/// Says that a colour is none.
const UNSET: Color = Color {
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
            foreground: Some(UNSET),
            background: Some(UNSET),
            ..ThemeSettings::default()
        },
        scopes: SCOPES.iter().filter_map(item).collect(),
        ..Theme::default()
    })
}

fn item((scope, color, font): &(&str, Option<u8>, FontStyle)) -> Option<ThemeItem> {
    let color = color.map_or(UNSET, |number| Color {
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

fn of_terminal(style: syntect::highlighting::Style) -> Style {
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

    fn written(language: &str, colors: Colors, text: &str) -> String {
        let mut code = Code::new(language, colors);
        let mut out = String::new();
        for line in text.lines() {
            code.line(line).write(colors, &mut out);
            out.push('\n');
        }
        out.replace('\u{1b}', "^")
    }

    #[test]
    fn code_has_the_colours_of_the_terminal() {
        let text = "// Runs.\nfn main() { let x = \"a\"; }";
        insta::assert_snapshot!(written("rust", Colors::Terminal, text), @r#"
            ^[2m// Runs.^[0m
            ^[35mfn^[0m ^[34mmain^[0m() { ^[35mlet^[0m x = ^[32m"a"^[0m; }
            "#);
        assert_eq!(
            written("rust", Colors::None, text),
            "    // Runs.\n    fn main() { let x = \"a\"; }\n"
        );
    }

    #[test]
    fn what_has_no_grammar_is_shown_as_it_is() {
        assert_eq!(
            written("klingon", Colors::Terminal, "Qapla'"),
            "    Qapla'\n"
        );
        assert_eq!(
            written("", Colors::Terminal, "a\u{1b}[2J"),
            "    a\u{fffd}[2J\n"
        );
        let long = "x".repeat(LONGEST_LINE + 1);
        assert_eq!(
            written("rust", Colors::Terminal, &long),
            format!("    {long}\n")
        );
    }
}
