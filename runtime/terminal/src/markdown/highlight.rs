//! Code, highlighted in the colours that the user gave the terminal.

use std::str::FromStr;
use std::sync::OnceLock;

use anstyle::{Ansi256Color, Style};
use syntect::easy::HighlightLines;
use syntect::highlighting::{
    Color, FontStyle, ScopeSelectors, StyleModifier, Theme, ThemeItem, ThemeSettings,
};
use syntect::parsing::{SyntaxReference, SyntaxSet};

use crate::screen::theme;

/// The state of a grammar between two lines.
pub(super) struct Highlighter(HighlightLines<'static>);

impl Highlighter {
    /// Starts in a language, or returns `None` if there is no grammar for it.
    pub(super) fn new(language: &str) -> Option<Self> {
        let syntax = find_syntax(language)?;
        Some(Self(HighlightLines::new(syntax, palette())))
    }

    /// Returns the parts of the next line, which ends with its end, or `None` if the grammar fails.
    pub(super) fn spans<'a>(&mut self, line: &'a str) -> Option<Vec<(Style, &'a str)>> {
        let spans = self.0.highlight_line(line, syntaxes()).ok()?;
        let spans = spans.into_iter();
        Some(
            spans
                .map(|(style, text)| (terminal_style(style), text))
                .collect(),
        )
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
