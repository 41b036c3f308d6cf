//! Definitions that are nested in a part of a schema.
//!
//! Generators insert the schema of a type, with its own `$defs` or `definitions`, as the schema of a property, and do
//! not change its references: `#/definitions/Filter`. Resolved from the root, such references are dangling.

use serde_json::{Map, Value};

use super::keyword::{self, KeywordValue};
use super::normalize::escape;

/// The maximum depth that is searched. A deeper schema is refused anyway.
const MAX_DEPTH: usize = 96;

/// The maximum number of enclosing documents in which a reference is looked up.
const MAX_SCOPES: usize = 8;

/// A part of the schema that is a document of its own for the references in it.
#[derive(Clone)]
struct DocumentScope {
    /// The location, as a JSON pointer.
    pointer: String,
    /// Whether the document has an `$id`, so that its references start at it and nowhere else.
    is_resource: bool,
}

/// Rewrites the references that start at a nested document, so that all references start at the root.
pub(super) fn resolve(schema: &mut Value) {
    if !has_nested(schema) {
        return;
    }
    let document = schema.clone();
    visit(schema, &document, "", &mut Vec::new());
}

/// Reports whether any part below the root may be a separate document, so that most schemas are not copied.
fn has_nested(schema: &Value) -> bool {
    let markers = ["$id", "$defs", "definitions"];
    let is_one = |map: &Map<String, Value>| markers.iter().any(|key| map.contains_key(*key));
    let mut todo = vec![(schema, true)];
    while let Some((value, is_root)) = todo.pop() {
        match value {
            Value::Array(items) => todo.extend(items.iter().map(|item| (item, false))),
            Value::Object(map) if is_one(map) && !is_root => return true,
            Value::Object(map) => todo.extend(map.values().map(|value| (value, false))),
            _ => {}
        }
    }
    false
}

fn visit(schema: &mut Value, document: &Value, place: &str, scopes: &mut Vec<DocumentScope>) {
    let Value::Object(map) = schema else { return };
    if is_too_deep(place) {
        return;
    }
    let is_resource = map.get("$id").is_some_and(Value::is_string);
    let is_scope = !place.is_empty()
        && (is_resource || map.contains_key("$defs") || map.contains_key("definitions"));
    if is_scope {
        scopes.push(DocumentScope {
            pointer: place.to_owned(),
            is_resource,
        });
    }
    if !scopes.is_empty()
        && let Some(Value::String(reference)) = map.get_mut("$ref")
        && let Some(found) = resolve_reference(reference, document, scopes)
    {
        *reference = found;
    }
    children(map, place, &mut |child, place| {
        visit(child, document, place, scopes)
    });
    if is_scope {
        scopes.pop();
    }
}

/// Reports whether a location is deeper than a schema may be.
fn is_too_deep(place: &str) -> bool {
    place.bytes().filter(|byte| *byte == b'/').count() > 2 * MAX_DEPTH
}

/// Returns the reference from the root, if it differs.
fn resolve_reference(
    reference: &str,
    document: &Value,
    scopes: &[DocumentScope],
) -> Option<String> {
    let pointer = reference.strip_prefix('#')?;
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    let leads = |scope: &DocumentScope| {
        let whole = format!("#{}{pointer}", scope.pointer);
        super::references::leads_somewhere(document, &whole).then_some(whole)
    };
    let nearest = scopes.iter().rposition(|scope| scope.is_resource);
    if let Some(whole) = nearest.and_then(|at| leads(&scopes[at])) {
        return Some(whole);
    }
    if super::references::leads_somewhere(document, reference) {
        return None;
    }
    scopes.iter().rev().take(MAX_SCOPES).find_map(leads)
}

/// Calls a function for every schema directly inside this one, with its location. Unlike the canonical form, this
/// covers all keywords of all drafts.
fn children(map: &mut Map<String, Value>, place: &str, visit: &mut dyn FnMut(&mut Value, &str)) {
    for (key, value) in map.iter_mut() {
        let holds = match key.as_str() {
            "definitions" => Some(KeywordValue::SchemaMap),
            "oneOf" => Some(KeywordValue::SchemaList),
            "additionalItems" | "unevaluatedItems" => Some(KeywordValue::Schema),
            other => keyword::content(other),
        };
        let place = format!("{place}/{}", escape(key));
        match (holds, value) {
            (Some(KeywordValue::SchemaMap), Value::Object(named)) => {
                for (name, schema) in named {
                    visit(schema, &format!("{place}/{}", escape(name)));
                }
            }
            (Some(KeywordValue::SchemaList | KeywordValue::Schema), Value::Array(list)) => {
                for (index, schema) in list.iter_mut().enumerate() {
                    visit(schema, &format!("{place}/{index}"));
                }
            }
            (Some(KeywordValue::Schema | KeywordValue::SchemaList), schema) => {
                visit(schema, &place)
            }
            _ => {}
        }
    }
}
