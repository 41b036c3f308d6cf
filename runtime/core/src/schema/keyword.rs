//! The keywords that the canonical form knows: their order, and which of them hold schemas.

use serde_json::{Map, Value};

/// Marks a property whose null branch was stripped: serde still takes null there.
pub(super) const NULLABLE: &str = "x-helve-nullable";

/// Keeps the width of a Rust number (`uint32`) whose `format` was dropped, for exact range checks.
pub(super) const WIDTH: &str = "x-helve-width";

/// Marks a value that is a secret: `writeOnly` of a Rust type.
pub(super) const SECRET: &str = "x-helve-secret";

/// What a keyword holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeywordValue {
    /// Plain data.
    Data,
    /// One schema.
    Schema,
    /// A list of schemas.
    SchemaList,
    /// Schemas by name.
    SchemaMap,
}

/// Returns the place of a keyword in the canonical order and what it holds; `None` for one that is dropped.
///
/// The private markers are unknown here on purpose: a schema from elsewhere cannot bring them in.
pub(super) fn classify_keyword(keyword: &str) -> Option<(u8, KeywordValue)> {
    use KeywordValue::{Data, Schema, SchemaList, SchemaMap};
    Some(match keyword {
        "$ref" => (0, Data),
        "type" => (1, Data),
        "description" => (2, Data),
        "enum" => (3, Data),
        "format" => (4, Data),
        "default" => (5, Data),
        "examples" => (6, Data),
        "deprecated" => (7, Data),
        "minimum" => (10, Data),
        "exclusiveMinimum" => (11, Data),
        "maximum" => (12, Data),
        "exclusiveMaximum" => (13, Data),
        "multipleOf" => (14, Data),
        "minLength" => (15, Data),
        "maxLength" => (16, Data),
        "pattern" => (17, Data),
        "contentEncoding" => (18, Data),
        "contentMediaType" => (19, Data),
        "prefixItems" => (20, SchemaList),
        "items" => (21, Schema),
        "contains" => (22, Schema),
        "minItems" => (23, Data),
        "maxItems" => (24, Data),
        "uniqueItems" => (25, Data),
        "properties" => (30, SchemaMap),
        "required" => (31, Data),
        "patternProperties" => (32, SchemaMap),
        "propertyNames" => (33, Schema),
        "additionalProperties" => (34, Schema),
        "unevaluatedProperties" => (35, Schema),
        "minProperties" => (36, Data),
        "maxProperties" => (37, Data),
        "dependentRequired" => (38, Data),
        "dependentSchemas" => (39, SchemaMap),
        "anyOf" => (40, SchemaList),
        "allOf" => (41, SchemaList),
        "not" => (42, Schema),
        "if" => (43, Schema),
        "then" => (44, Schema),
        "else" => (45, Schema),
        "$defs" => (50, SchemaMap),
        _ => return None,
    })
}

/// Returns whether a keyword is one of our own markers, which no reader is shown.
pub(super) fn is_private_marker(keyword: &str) -> bool {
    keyword.starts_with("x-helve-")
}

/// Returns whether a keyword only comments on a value, so that it may stand beside a `$ref`.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "description" | "default" | "examples" | "deprecated" | NULLABLE | SECRET
    )
}

/// Puts the entries of a schema in the canonical order; private markers come last.
pub(super) fn canonical_order(mut entries: Vec<(u8, String, Value)>) -> Map<String, Value> {
    if !entries.is_sorted_by_key(|entry| entry.0) {
        entries.sort_by_key(|entry| entry.0);
    }
    let mut map = Map::with_capacity(entries.len());
    for (_, key, value) in entries {
        map.insert(key, value);
    }
    map
}

/// Puts a whole schema object in the canonical order.
pub(super) fn reorder(map: Map<String, Value>) -> Map<String, Value> {
    let entries = map.into_iter().map(|(key, value)| {
        (
            classify_keyword(&key).map_or(u8::MAX, |(rank, _)| rank),
            key,
            value,
        )
    });
    canonical_order(entries.collect())
}

/// Runs a function on every schema directly inside this one.
pub(super) fn each_child(map: &mut Map<String, Value>, mut visit: impl FnMut(&mut Value)) {
    for (key, value) in map.iter_mut() {
        match (classify_keyword(key).map(|(_, holds)| holds), value) {
            (Some(KeywordValue::Schema), value) => visit(value),
            (Some(KeywordValue::SchemaList), Value::Array(list)) => {
                list.iter_mut().for_each(&mut visit)
            }
            (Some(KeywordValue::SchemaMap), Value::Object(named)) => {
                named.values_mut().for_each(&mut visit)
            }
            _ => {}
        }
    }
}
