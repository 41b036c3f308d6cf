//! Removal of the null branch from the schema of an optional value.

use serde_json::{Map, Value};

/// Removes the null branch of a schema, in the form of schemars or of an external schema, and returns whether there
/// was one.
///
/// A schema that only allows null keeps it. `default: null` is removed too: absence already expresses it.
pub(super) fn strip(schema: &mut Value) -> bool {
    let Value::Object(map) = schema else {
        return false;
    };
    if map.get("default").is_some_and(Value::is_null) {
        map.shift_remove("default");
    }
    let stripped = strip_type(map)
        || ["anyOf", "oneOf"]
            .into_iter()
            .any(|union| strip_union(map, union));
    if stripped && let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    stripped
}

fn strip_type(map: &mut Map<String, Value>) -> bool {
    let Some(Value::Array(types)) = map.get_mut("type") else {
        return false;
    };
    let before = types.len();
    if types.iter().all(|one| one == "null") {
        return false;
    }
    types.retain(|one| one != "null");
    let stripped = types.len() < before;
    if let [only] = types.as_mut_slice() {
        let only = only.take();
        map.insert("type".to_owned(), only);
    }
    stripped
}

fn strip_union(map: &mut Map<String, Value>, union: &str) -> bool {
    let Some(Value::Array(branches)) = map.get_mut(union) else {
        return false;
    };
    if branches.iter().all(is_null) {
        return false;
    }
    let before = branches.len();
    branches.retain(|branch| !is_null(branch));
    if branches.len() == before {
        return false;
    }
    if let [Value::Object(_)] = branches.as_slice()
        && let Some(Value::Object(only)) = branches.pop()
    {
        map.shift_remove(union);
        merge(map, only);
    }
    true
}

/// Merges the only remaining branch into the schema around it, whose keywords take precedence.
fn merge(map: &mut Map<String, Value>, branch: Map<String, Value>) {
    let outer = std::mem::replace(map, branch);
    for (key, value) in outer {
        map.insert(key, value);
    }
    // The branch may itself have been optional: an alias, or an `Option` in a newtype.
    let mut inner = Value::Object(std::mem::take(map));
    strip(&mut inner);
    if let Value::Object(inner) = inner {
        *map = inner;
    }
}

/// Returns whether a schema allows null and nothing else.
pub fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|one| one == "null")
        || schema.get("const").is_some_and(Value::is_null)
        || matches!(schema.get("enum"), Some(Value::Array(values)) if values.len() == 1 && values[0].is_null())
}
