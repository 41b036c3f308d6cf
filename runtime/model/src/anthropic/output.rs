//! The schema of structured output, reduced to the keywords that the provider enforces.
//!
//! Source: Claude API documentation, "Structured outputs", section "JSON Schema limitations": no bounds of numbers,
//! texts and lists, and no object without `additionalProperties: false`. The code that parses the output checks the
//! omitted keywords.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::wire;
use crate::dialect::Dialect;
use helve_core::schema::CanonicalSchema;

const SUPPORTED_FORMATS: [&str; 10] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Renders a schema for `output_config.format`.
pub(super) fn render(schema: &CanonicalSchema) -> Box<RawValue> {
    let text = schema.render(Dialect::Anthropic);
    let strict = serde_json::from_str(text).map(strict);
    let raw = strict.and_then(|schema| serde_json::value::to_raw_value(&schema));
    raw.unwrap_or_else(|_| wire::any_object().to_owned())
}

fn strict(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else {
        // The provider does not support boolean schemas.
        return Value::Object(Map::new());
    };
    schema.retain(|keyword, value| match keyword.as_str() {
        "format" => SUPPORTED_FORMATS.iter().any(|format| value == format),
        "minItems" => value.as_u64().is_some_and(|items| items <= 1),
        "$ref" | "$defs" | "type" | "description" | "enum" | "items" | "properties"
        | "required" | "anyOf" | "allOf" => true,
        _ => false,
    });
    for (keyword, value) in &mut schema {
        match (keyword.as_str(), value) {
            ("items", value) => *value = strict(value.take()),
            ("properties" | "$defs", Value::Object(named)) => {
                for schema in named.values_mut() {
                    *schema = strict(schema.take());
                }
            }
            ("anyOf" | "allOf", Value::Array(schemas)) => {
                for schema in schemas {
                    *schema = strict(schema.take());
                }
            }
            _ => {}
        }
    }
    if schema.contains_key("properties") || schema.get("type").is_some_and(is_object) {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Value::Object(schema)
}

fn is_object(kind: &Value) -> bool {
    let is_one = |kinds: &Vec<Value>| kinds.iter().any(|kind| kind == "object");
    kind == "object" || kind.as_array().is_some_and(is_one)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use helve_core::schema::from_value;

    #[test]
    fn what_the_provider_does_not_take_is_left_out() {
        let schema = json!({
            "type": "object",
            "properties": {
                "minimum": {"type": "integer", "minimum": 1, "format": "date"},
                "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "minItems": 2},
                "any": {"anyOf": [{"type": "object", "properties": {}}, {"type": "null"}]},
            },
            "required": ["tags", "any"],
        });
        let rendered = render(&from_value(schema).unwrap());
        let rendered: Value = serde_json::from_str(rendered.get()).unwrap();
        let expected = json!({
            "type": "object",
            "properties": {
                "minimum": {"type": "integer", "format": "date"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "any": {"anyOf": [
                    {"type": "object", "properties": {}, "additionalProperties": false},
                    {"type": "null"},
                ]},
            },
            "required": ["tags", "any"],
            "additionalProperties": false,
        });
        assert_eq!(rendered, expected);
    }
}
