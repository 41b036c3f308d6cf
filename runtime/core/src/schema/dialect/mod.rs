//! The dialects: what each reader of a schema takes, and the nearest thing that it takes where it cannot take the schema.

mod anthropic;
mod describe;
mod gemini;
mod mcp;
mod name;
mod openai;
mod openai_strict;
mod rewrite;
mod shapes;

use serde_json::Value;

use super::shown::UnmarkedSchema;
use rewrite::rewrite;

pub use name::{Dialect, UnknownDialect};

impl Dialect {
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
}

/// Renders a canonical tree (markers and all) in a dialect.
pub(super) fn render(tree: &Value, dialect: Dialect) -> String {
    let (prepare, rules): (fn(&mut Value), _) = match dialect {
        Dialect::Mcp => {
            let text = serde_json::to_string(&UnmarkedSchema(tree));
            // A tree of strings, numbers and lists always serialises; if it ever did not, an empty object refuses nothing.
            return text.unwrap_or_else(|_| r#"{"type":"object"}"#.to_owned());
        }
        Dialect::OpenAi => (|_| {}, openai::RULES),
        Dialect::OpenAiStrict => (openai_strict::close_root, openai_strict::RULES),
        Dialect::Anthropic => (|_| {}, anthropic::RULES),
        Dialect::Gemini => (gemini::open_definitions, gemini::RULES),
    };
    let mut tree = tree.clone();
    shapes::flatten_root(&mut tree);
    prepare(&mut tree);
    rewrite(&mut tree, &rules);
    tree.to_string()
}

/// Checks that a dialect can express a canonical tree; the error says what it cannot express.
pub(super) fn supports(tree: &Value, dialect: Dialect) -> Result<(), String> {
    match dialect {
        Dialect::Mcp => Ok(()),
        Dialect::OpenAi | Dialect::Anthropic => shapes::plain_root(tree, dialect),
        Dialect::OpenAiStrict => openai_strict::supports(tree),
        Dialect::Gemini => gemini::supports(tree),
    }
}
