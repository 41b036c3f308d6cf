//! The dialect of OpenAI function calling without strict mode.
//!
//! Source: OpenAI API documentation, "Function calling" (<https://platform.openai.com/docs/guides/function-calling>): `parameters`
//! is a JSON Schema object. The service refuses a union at the root and an array without an object in `items`, hence no tuples.

use super::rewrite::RewriteRules;
use super::shapes;

/// The widely supported part of JSON Schema. The service does not check it, so that its effect depends on the model.
pub(super) const KEYWORDS: &[&str] = &[
    "$ref",
    "type",
    "description",
    "enum",
    "format",
    "default",
    "examples",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "anyOf",
    "allOf",
    "not",
    "$defs",
];

pub(super) const RULES: RewriteRules = RewriteRules {
    keywords: KEYWORDS,
    formats: None,
    before: |map| {
        shapes::tuple_as_list(map);
        shapes::patterns_as_map(map);
        shapes::items_said(map);
    },
    after: |_| {},
};
