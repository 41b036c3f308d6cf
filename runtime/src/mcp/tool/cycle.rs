//! Schemas that lead to themselves without end.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// How many definitions may stand for one another in a row.
const LONGEST_WAY: usize = 100;

/// Finds a definition that is itself again before anything of a value was looked at: nothing can be held against it.
///
/// A definition that contains itself in a property or an item is another matter: a tree, for instance.
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

/// Names the definitions that a value is held against together with this one.
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
