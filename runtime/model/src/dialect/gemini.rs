//! The dialect of Gemini.
//!
//! Source: Gemini API reference, `FunctionDeclaration.parametersJsonSchema` and `GenerationConfig.responseJsonSchema`, whose entry
//! lists the supported keywords (<https://ai.google.dev/api/generate-content>), and "Structured output" for string formats.
//! A `$ref` must be the only keyword, and a reference that closes a cycle may only be used within properties that are
//! not required.
//!
//! The older `parameters` field (an OpenAPI 3.0 subset) supports neither references nor maps, and is not rendered.

use serde_json::{Map, Value, json};

use super::name::Dialect;
use super::rewrite::RewriteRules;
use super::shapes;
use helve_core::schema::keyword::ReadKeywords as _;

/// The supported keywords of `parametersJsonSchema`.
pub(super) const KEYWORDS: &[&str] = &[
    "$ref",
    "type",
    "description",
    "enum",
    "format",
    "minimum",
    "maximum",
    "prefixItems",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
    "anyOf",
    "$defs",
];

const FORMATS: &[&str] = &["date-time", "date", "time"];

pub(super) const RULES: RewriteRules = RewriteRules {
    keywords: KEYWORDS,
    formats: Some(FORMATS),
    before,
    after: shapes::lone_reference,
};

pub(super) fn open_definitions(tree: &mut Value) {
    if let Some(Value::Object(definitions)) = tree.get_mut("$defs") {
        definitions.values_mut().for_each(open_cycles);
    }
}

fn before(map: &mut Map<String, Value>) {
    shapes::merge_all(map);
    shapes::patterns_as_map(map);
    // `items: false` is a schema without a type, which the service does not support; the count has the same meaning.
    if map.get("items") == Some(&Value::Bool(false)) {
        map.shift_remove("items");
    }
    plain_enum(map);
}

/// Moves null out of an `enum`, which may only contain strings and numbers, to an alternative beside it.
fn plain_enum(map: &mut Map<String, Value>) {
    let Some(Value::Array(values)) = map.get_mut("enum") else {
        return;
    };
    if values
        .iter()
        .all(|value| value.is_boolean() || value.is_null())
    {
        map.shift_remove("enum");
        return;
    }
    let before = values.len();
    values.retain(|value| !value.is_null());
    if values.len() == before {
        return;
    }
    let described = map.shift_remove("description");
    let mut inner = std::mem::take(map);
    if let Some(Value::Array(types)) = inner.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = types.as_mut_slice() {
            let only = only.take();
            inner.insert("type".to_owned(), only);
        }
    }
    map.extend(described.map(|text| ("description".to_owned(), text)));
    map.insert("anyOf".to_owned(), json!([inner, { "type": "null" }]));
}

/// Removes the properties that close a cycle from `required`; their description states that they are required.
fn open_cycles(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    helve_core::schema::keyword::each_child(map, open_cycles);
    let properties = map.object("properties").into_iter().flatten();
    let closing = properties.filter(|(name, schema)| map.requires(name) && closes_cycle(schema));
    let opened: Vec<String> = closing.map(|(name, _)| name.clone()).collect();
    if let Some(Value::Array(required)) = map.get_mut("required") {
        required.retain(|one| !opened.iter().any(|name| one == name));
    }
    for name in opened {
        if let Some(Value::Object(property)) =
            map.get_mut("properties").and_then(|all| all.get_mut(&name))
        {
            super::describe::append(property, "Required.");
        }
    }
}

/// Returns whether a reference can be reached without passing an optional property.
fn closes_cycle(schema: &Value) -> bool {
    let Value::Object(map) = schema else {
        return false;
    };
    if map.contains_key("$ref") {
        return true;
    }
    map.iter().any(|(key, value)| match (key.as_str(), value) {
        ("properties", Value::Object(named)) => named
            .iter()
            .any(|(name, schema)| map.requires(name) && closes_cycle(schema)),
        ("anyOf" | "allOf" | "prefixItems", Value::Array(list)) => list.iter().any(closes_cycle),
        ("items" | "additionalProperties", schema) => closes_cycle(schema),
        _ => false,
    })
}

/// Checks that Gemini can express a canonical tree; the error names the unsupported construct.
pub(super) fn supports(tree: &Value) -> Result<(), String> {
    shapes::plain_root(tree, Dialect::Gemini)?;
    let mut opened = tree.clone();
    open_definitions(&mut opened);
    if *tree != opened {
        let why = "Gemini takes a recursive type only in properties that may be absent";
        return Err(why.to_owned());
    }
    shapes::each(tree, &mut |map, path, _| {
        let mut unknown = ["if", "dependentSchemas"].into_iter();
        let unknown = unknown.find(|keyword| map.contains_key(*keyword));
        unknown.map_or(Ok(()), |keyword| {
            Err(format!("Gemini cannot express `{keyword}` at `{path}`"))
        })
    })
}
