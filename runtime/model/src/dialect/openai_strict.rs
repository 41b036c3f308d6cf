//! The dialect of OpenAI's strict mode.
//!
//! Source: OpenAI API documentation, "Structured model outputs", section "Supported schemas"
//! (<https://platform.openai.com/docs/guides/structured-outputs>): every property required, an optional one nullable, nothing
//! additional, no union at the root, `anyOf` but not `allOf`, `not` or `if`, recursion through `$ref`, at most 10 levels and
//! 5,000 properties. `default` and length bounds are refused or not listed.
//!
//! A schema that strict mode cannot express is rendered as the closest one that it can, and `supports` returns an
//! error. A map, or a value of any shape, becomes a string that contains JSON, which the lenient parser decodes.

use serde_json::{Map, Value, json};

use super::name::Dialect;
use super::rewrite::RewriteRules;
use super::shapes;
use helve_core::schema::UnmarkedSchema;
use helve_core::schema::keyword::{self, NULLABLE, ReadKeywords as _};

/// The supported keywords of strict mode.
pub(super) const KEYWORDS: &[&str] = &[
    "$ref",
    "type",
    "description",
    "enum",
    "format",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "pattern",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
    "anyOf",
    "$defs",
];

const FORMATS: &[&str] = &[
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

const MAX_LEVELS: usize = 10;
const MAX_PROPERTIES: usize = 5_000;

pub(super) const RULES: RewriteRules = RewriteRules {
    keywords: KEYWORDS,
    formats: Some(FORMATS),
    before,
    after: shapes::lone_reference,
};

/// Keeps the root an object: an object with any keys becomes an object without keys.
pub(super) fn close_root(tree: &mut Value) {
    if let Value::Object(root) = tree {
        root.shift_remove("patternProperties");
        root.insert("additionalProperties".to_owned(), false.into());
    }
}

/// Runs before the subschemas are rewritten, while they are still canonical.
fn before(map: &mut Map<String, Value>) {
    shapes::merge_all(map);
    shapes::spread_base(map);
    shapes::tuple_as_list(map);
    shapes::items_said(map);
    if is_open_ended(map) {
        as_text(map);
    }
    if map.get("type").is_some_and(|one| one == "object") {
        require_everything(map);
    }
}

/// Returns whether a schema accepts keys or values that are not listed.
fn is_open_ended(map: &Map<String, Value>) -> bool {
    if map.contains_key("$ref") || map.contains_key("anyOf") || map.contains_key("enum") {
        return false;
    }
    match map.get("type") {
        None => true,
        Some(one) if one == "object" => {
            let listed = map
                .object("properties")
                .is_some_and(|named| !named.is_empty());
            let closed = map.get("additionalProperties") == Some(&Value::Bool(false));
            !listed && (!closed || map.contains_key("patternProperties"))
        }
        Some(_) => false,
    }
}

fn as_text(map: &mut Map<String, Value>) {
    let described = map.shift_remove("description");
    let what = if map.contains_key("type") {
        "A JSON object"
    } else {
        "Any JSON value"
    };
    let mut shape = map.clone();
    shape.retain(|key, _| !keyword::is_private_marker(key) && !keyword::is_annotation(key));
    let mut text = match described.as_ref().and_then(Value::as_str) {
        Some(text) => format!("{text}\n{what}, written as text"),
        None => format!("{what}, written as text"),
    };
    if shape.contains_key("additionalProperties") || shape.contains_key("patternProperties") {
        let shape = Value::Object(shape);
        text.push_str(&format!("; its schema: {}", UnmarkedSchema(&shape)));
    }
    text.push('.');
    map.retain(|key, _| keyword::is_annotation(key));
    map.insert("type".to_owned(), "string".into());
    map.insert("description".to_owned(), text.into());
}

fn require_everything(map: &mut Map<String, Value>) {
    let required: Vec<String> = map.names("required").map(str::to_owned).collect();
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        for (name, schema) in properties.iter_mut() {
            if !required.contains(name) {
                make_nullable(schema);
            }
        }
    }
    let properties = map.object("properties").into_iter().flatten();
    let all = properties
        .map(|(name, _)| Value::from(name.as_str()))
        .collect();
    map.entry("properties").or_insert_with(|| json!({}));
    map.insert("required".to_owned(), Value::Array(all));
    map.insert("additionalProperties".to_owned(), false.into());
}

/// Makes a schema also accept null, which represents an absent property in strict mode.
fn make_nullable(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    map.shift_remove(NULLABLE);
    // A tuple, a map or a union changes its shape later; null is added as an alternative beside the result.
    let simple = !is_open_ended(map)
        && !map.contains_key("anyOf")
        && !map.contains_key("allOf")
        && !map.contains_key("$ref");
    match map.get_mut("type") {
        Some(Value::String(one)) if simple && one != "object" && one != "null" => {
            let types = json!([one.as_str(), "null"]);
            map.insert("type".to_owned(), types);
            if let Some(Value::Array(values)) = map.get_mut("enum") {
                values.push(Value::Null);
            }
        }
        Some(Value::Array(types)) if simple => {
            if !types.iter().any(|one| one == "null") {
                types.push("null".into());
            }
        }
        Some(Value::String(one)) if one == "null" => {}
        _ => {
            let mut inner = std::mem::take(map);
            let outer = ["description", "default", "examples"].into_iter();
            let outer: Vec<_> = outer
                .filter_map(|key| inner.shift_remove_entry(key))
                .collect();
            let is_union = inner.len() == 1;
            let mut branches = match inner.get_mut("anyOf") {
                Some(Value::Array(branches)) if is_union => std::mem::take(branches),
                _ => vec![Value::Object(inner)],
            };
            if !branches.iter().any(helve_core::schema::is_null) {
                branches.push(json!({ "type": "null" }));
            }
            map.extend(outer);
            map.insert("anyOf".to_owned(), Value::Array(branches));
        }
    }
}

/// Checks that strict mode can express a canonical tree; the error names the unsupported construct.
pub(super) fn supports(tree: &Value) -> Result<(), String> {
    shapes::plain_root(tree, Dialect::OpenAiStrict)?;
    let mut properties = 0;
    shapes::each(tree, &mut |map, path, level| {
        let refuse = |what: &str| {
            Err(format!(
                "OpenAI strict mode cannot express {what} at `{path}`"
            ))
        };
        properties += map.object("properties").map_or(0, Map::len);
        let extra = map.get("additionalProperties");
        let extra = extra.is_some_and(|extra| *extra != Value::Bool(false));
        if is_open_ended(map) {
            return refuse("a map or a value of any shape");
        }
        if extra || map.contains_key("patternProperties") {
            return refuse("keys beyond the listed ones");
        }
        let mut others = ["allOf", "if", "dependentSchemas"].into_iter();
        if let Some(keyword) = others.find(|one| map.contains_key(*one)) {
            return refuse(&format!("`{keyword}`"));
        }
        if level > MAX_LEVELS {
            return refuse("more than 10 levels of nesting");
        }
        if properties > MAX_PROPERTIES {
            return refuse("more than 5,000 properties");
        }
        Ok(())
    })
}
