//! Tests with schemas of other producers.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::strangers;
use crate::dialect::Dialect;
use helve_core::schema::{explain, from_value};

#[test]
fn references_are_rendered_wherever_they_lead() {
    let nested = json!({
        "type": "object",
        "properties": {
            "filter": {
                "type": "object",
                "properties": { "by": { "$ref": "#/definitions/Field" }, "tree": { "$ref": "#/$defs/Node" } },
                "definitions": { "Field": { "type": "string", "enum": ["name", "age"] } },
                "$defs": { "Node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" } } } }
            },
            "sort": {
                "$id": "https://example.org/sort",
                "anyOf": [{ "$ref": "#/$defs/Field" }, { "$ref": "#" }],
                "$defs": { "Field": { "type": "integer" } }
            },
            "plain": { "$ref": "#/$defs/Field" },
            // A property may have this name, and a default value is not a schema.
            "definitions": { "type": "object", "default": { "$ref": "#/definitions/Field" } }
        },
        "$defs": { "Field": { "type": "boolean" } }
    });
    let circle = json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/A" } }, "$defs": {
        "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" } } });
    for schema in [nested, circle] {
        let schema = from_value(schema).unwrap();
        for dialect in Dialect::ALL {
            assert!(!schema.render(dialect).is_empty());
        }
    }
}

#[test]
fn a_union_at_the_root_is_flattened_where_it_is_refused() {
    let schema = from_value(json!({
        "type": "object",
        "anyOf": [
            { "properties": { "kind": { "const": "a" }, "x": { "type": "string" } }, "required": ["kind", "x"] },
            { "properties": { "kind": { "const": "b" }, "y": { "type": "string" } }, "required": ["kind", "y"] }
        ]
    }))
    .unwrap();
    assert!(schema.supports(Dialect::Mcp).is_ok());
    for dialect in [
        Dialect::OpenAi,
        Dialect::OpenAiStrict,
        Dialect::Anthropic,
        Dialect::Gemini,
    ] {
        assert!(schema.supports(dialect).is_err());
        let form: Value = serde_json::from_str(schema.render(dialect)).unwrap();
        assert!(form.get("anyOf").is_none());
        assert_eq!(form["properties"]["kind"]["enum"], json!(["a", "b"]));
        assert!(form["properties"].get("y").is_some());
    }
    assert!(explain(&schema, r#"{"kind":"a","x":"1"}"#).is_empty());
    assert_eq!(
        explain(&schema, r#"{"kind":"b","x":"1"}"#).as_slice()[0].path,
        "/y"
    );
}

#[test]
fn an_open_root_stays_an_object() {
    let schema = from_value(json!({ "type": "object" })).unwrap();
    let form: Value = serde_json::from_str(schema.render(Dialect::OpenAiStrict)).unwrap();
    assert_eq!(form["type"], "object");
}

proptest! {
    #[test]
    fn every_schema_is_rendered_as_a_schema(types in prop::collection::vec(strangers::schema(), 0..3)) {
        let properties: serde_json::Map<_, _> = types.into_iter().enumerate().map(|(at, schema)| (at.to_string(), schema)).collect();
        if let Ok(schema) = from_value(json!({ "type": "object", "properties": properties })) {
            for dialect in Dialect::ALL {
                let form: Value = serde_json::from_str(schema.render(dialect)).unwrap();
                prop_assert!(jsonschema::meta::is_valid(&form), "{dialect}: {form}");
                let _ = schema.supports(dialect);
            }
        }
    }
}
