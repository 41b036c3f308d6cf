//! Finds cyclic references in schemas.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The number of references that are followed in a row.
const LONGEST_WAY: usize = 100;

/// Finds a definition that refers to itself without consuming a part of the value, so that validation would not end.
///
/// A definition that refers to itself in a property or an item, such as a tree, is valid.
pub(super) fn endless(schema: &Value) -> Option<&str> {
    let definitions = schema.get("$defs")?.as_object()?;
    let mut done = HashSet::new();
    let mut names = definitions.keys().map(String::as_str);
    names.find(|name| leads_back(definitions, name, &mut Vec::new(), &mut done))
}

fn leads_back<'s>(
    definitions: &'s Map<String, Value>,
    name: &'s str,
    way: &mut Vec<&'s str>,
    done: &mut HashSet<&'s str>,
) -> bool {
    if done.contains(name) {
        return false;
    }
    if way.contains(&name) || way.len() > LONGEST_WAY {
        return true;
    }
    let Some(definition) = definitions.get(name) else {
        return false;
    };
    way.push(name);
    let mut stands_for = stands_for(definition).into_iter();
    let leads_back = stands_for.any(|next| leads_back(definitions, next, way, done));
    way.pop();
    done.insert(name);
    leads_back
}

/// Returns the definitions that apply to the same value as this one.
fn stands_for(schema: &Value) -> Vec<&str> {
    let mut names = Vec::new();
    let mut left = vec![schema];
    while let Some(Value::Object(schema)) = left.pop() {
        let reference = schema.get("$ref").and_then(Value::as_str);
        names.extend(reference.and_then(|to| to.strip_prefix("#/$defs/")));
        for key in ["allOf", "anyOf", "oneOf"] {
            left.extend(
                schema
                    .get(key)
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten(),
            );
        }
        left.extend(
            ["not", "if", "then", "else"]
                .iter()
                .filter_map(|key| schema.get(*key)),
        );
    }
    names
}

#[cfg(test)]
mod tests {
    use super::endless;
    use serde_json::json;

    #[test]
    fn a_definition_that_is_only_itself_has_no_end() {
        let itself = json!({ "$defs": { "a": { "$ref": "#/$defs/a" } } });
        assert_eq!(endless(&itself), Some("a"));
        let either = json!({ "$defs": {
            "a": { "anyOf": [{ "type": "string" }, { "not": { "$ref": "#/$defs/b" } }] },
            "b": { "allOf": [{ "$ref": "#/$defs/a" }] },
        } });
        assert!(endless(&either).is_some());
        let tree =
            json!({ "$defs": { "a": { "properties": { "left": { "$ref": "#/$defs/a" } } } } });
        assert_eq!(endless(&tree), None);
        assert_eq!(endless(&json!({ "type": "object" })), None);
    }
}
