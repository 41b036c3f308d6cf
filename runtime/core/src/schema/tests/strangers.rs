//! Tests of schemas from third parties.

use proptest::prelude::*;
use serde_json::{Value, json};

pub(super) fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!({})),
        Just(json!({ "type": "string", "minLength": 2, "format": "uuid", "default": "x" })),
        Just(json!({ "type": ["integer", "null"], "minimum": 3, "format": "int32" })),
        Just(json!({ "const": "a", "description": "A" })),
        Just(json!({ "enum": ["a", 1, null] })),
        Just(json!({ "type": "null" })),
        Just(json!({ "type": "array", "minItems": 1 })),
        Just(json!({ "type": "object" })),
        Just(json!({ "$ref": "#" })),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|list| json!({ "anyOf": list })),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|list| json!({ "oneOf": list, "type": "object" })),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|list| json!({ "allOf": list })),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|list| json!({ "type": "array", "prefixItems": list })),
            inner.clone().prop_map(|one| json!({ "type": "array", "items": one, "uniqueItems": true })),
            inner.clone().prop_map(|one| json!({ "not": one })),
            inner.clone().prop_map(|one| json!({ "type": "object", "additionalProperties": one })),
            (inner.clone(), inner)
                .prop_map(|(a, b)| json!({ "type": "object", "properties": { "a": a, "b": b }, "required": ["a"] })),
        ]
    })
}
