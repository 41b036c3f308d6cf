//! The schema dialects of providers: each renders the closest schema that its reader supports.

mod anthropic;
mod describe;
mod gemini;
mod mcp;
mod name;
mod openai;
mod openai_strict;
mod rewrite;
mod shapes;
#[cfg(test)]
mod tests;

use helve_core::schema::{SchemaDialect, UnmarkedSchema};
use serde_json::Value;

use rewrite::rewrite;

pub use name::{Dialect, UnknownDialect};

impl Dialect {
    /// Returns the JSON Schema keywords that schemas of this dialect may contain.
    pub const fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::Mcp => mcp::KEYWORDS,
            Self::OpenAi => openai::KEYWORDS,
            Self::OpenAiStrict => openai_strict::KEYWORDS,
            Self::Anthropic => anthropic::KEYWORDS,
            Self::Gemini => gemini::KEYWORDS,
        }
    }
}

impl SchemaDialect for Dialect {
    fn index(&self) -> Option<usize> {
        // The first dialect is the canonical form itself.
        (*self as usize).checked_sub(1)
    }

    fn render(&self, schema: &Value) -> String {
        let (prepare, rules): (fn(&mut Value), _) = match self {
            Self::Mcp => return UnmarkedSchema(schema).to_string(),
            Self::OpenAi => (|_| {}, openai::RULES),
            Self::OpenAiStrict => (openai_strict::close_root, openai_strict::RULES),
            Self::Anthropic => (|_| {}, anthropic::RULES),
            Self::Gemini => (gemini::open_definitions, gemini::RULES),
        };
        let mut tree = schema.clone();
        shapes::flatten_root(&mut tree);
        prepare(&mut tree);
        rewrite(&mut tree, &rules);
        tree.to_string()
    }

    fn supports(&self, schema: &Value) -> Result<(), String> {
        match self {
            Self::Mcp => Ok(()),
            Self::OpenAi | Self::Anthropic => shapes::plain_root(schema, *self),
            Self::OpenAiStrict => openai_strict::supports(schema),
            Self::Gemini => gemini::supports(schema),
        }
    }
}
