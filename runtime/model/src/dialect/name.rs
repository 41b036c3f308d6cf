//! The names of the dialects.

use std::fmt;
use std::str::FromStr;

/// A dialect of JSON Schema, named after its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// MCP: JSON Schema 2020-12, which is the canonical form.
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
    /// All dialects.
    pub const ALL: [Self; 5] = [
        Self::Mcp,
        Self::OpenAi,
        Self::OpenAiStrict,
        Self::Anthropic,
        Self::Gemini,
    ];

    /// Returns the dialect's name, as used by [`Display`](fmt::Display) and [`FromStr`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error of a text that is not the name of a dialect.
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
