//! The dialects: what each reader of a schema takes, and the nearest thing that it takes where it cannot take the schema.

mod anthropic;
mod gemini;
mod mcp;
mod openai;
mod openai_strict;
mod rewrite;
mod shapes;
mod words;

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::canonical::Shown;

/// Names a reader of schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// MCP: JSON Schema 2020-12, the canonical form itself.
    Mcp,
    /// OpenAI function calling without strict mode.
    OpenAi,
    /// OpenAI function calling and structured outputs in strict mode.
    OpenAiStrict,
    /// Anthropic's `input_schema`.
    Anthropic,
    /// Gemini's `parametersJsonSchema`.
    Gemini,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 5] = [
        Self::Mcp,
        Self::OpenAi,
        Self::OpenAiStrict,
        Self::Anthropic,
        Self::Gemini,
    ];

    /// Returns the dialect's name, as [`Display`](fmt::Display) and [`FromStr`] have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Returns the JSON Schema keywords that this dialect's schemas are made of.
    pub const fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::Mcp => mcp::KEYWORDS,
            Self::OpenAi => openai::KEYWORDS,
            Self::OpenAiStrict => openai_strict::KEYWORDS,
            Self::Anthropic => anthropic::KEYWORDS,
            Self::Gemini => gemini::KEYWORDS,
        }
    }

    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Says that a text names no dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no dialect is called `{0}`; there are mcp, openai, openai-strict, anthropic and gemini")]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|dialect| dialect.name() == text);
        found.ok_or_else(|| UnknownDialect(text.to_owned()))
    }
}

/// Renders a canonical tree (markers and all) in a dialect.
pub(super) fn render(tree: &Value, dialect: Dialect) -> String {
    let text = match dialect {
        Dialect::Mcp => serde_json::to_string(&Shown(tree)),
        Dialect::OpenAi => serde_json::to_string(&openai::rewrite(tree)),
        Dialect::OpenAiStrict => serde_json::to_string(&openai_strict::rewrite(tree)),
        Dialect::Anthropic => serde_json::to_string(&anthropic::rewrite(tree)),
        Dialect::Gemini => serde_json::to_string(&gemini::rewrite(tree)),
    };
    // A tree of strings, numbers and lists always serialises; if it ever did not, an empty object refuses nothing.
    text.unwrap_or_else(|_| r#"{"type":"object"}"#.to_owned())
}

/// Tells what of a canonical tree a dialect cannot express.
pub(super) fn supports(tree: &Value, dialect: Dialect) -> Result<(), String> {
    match dialect {
        Dialect::Mcp => Ok(()),
        Dialect::OpenAi | Dialect::Anthropic => shapes::plain_root(tree, dialect),
        Dialect::OpenAiStrict => openai_strict::supports(tree),
        Dialect::Gemini => gemini::supports(tree),
    }
}
