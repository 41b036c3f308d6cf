//! The dialect of Anthropic.
//!
//! Source: Claude API documentation, "Define tools" and "Structured outputs", section "JSON Schema limitations"
//! (<https://platform.claude.com/docs>): `input_schema` is a JSON Schema object (2020-12), without a union at the root.
//!
//! This is the dialect of ordinary tool use. `strict: true` supports less (no recursion, no numeric or length bounds,
//! no map, at most 24 optional parameters over all tools of a request), and is not rendered here.

use super::mcp;
use super::rewrite::RewriteRules;

/// All JSON Schema 2020-12 keywords of the canonical form.
pub(super) const KEYWORDS: &[&str] = mcp::KEYWORDS;

pub(super) const RULES: RewriteRules = RewriteRules {
    keywords: KEYWORDS,
    formats: None,
    before: |_| {},
    after: |_| {},
};
