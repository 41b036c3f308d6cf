//! Unit variants: folds branches of one literal each into one `enum`.

use serde_json::{Map, Value};

use super::keyword::ReadKeywords as _;

/// Folds the branches that consist of string literals only into one, with their documentation as a list.
///
/// schemars generates one branch per variant for a documented unit enum, which models and providers handle badly.
pub(super) fn fold(branches: Vec<Value>) -> Vec<Value> {
    let folding = branches.iter().filter(|branch| literals(branch).is_some());
    if folding.count() < 2 {
        return branches;
    }
    let mut values = Vec::new();
    let mut lines = String::new();
    let mut out: Vec<Value> = Vec::with_capacity(branches.len());
    let mut at = None;
    for branch in branches {
        let Some(mut own) = literals(&branch) else {
            out.push(branch);
            continue;
        };
        at.get_or_insert(out.len());
        let text = branch.text("description").unwrap_or_default();
        if !text.is_empty() {
            lines.push_str(&line(&own, text));
        }
        own.retain(|value| !values.contains(value));
        values.append(&mut own);
    }
    let mut folded = Map::from_iter([("type".to_owned(), Value::from("string"))]);
    if !lines.is_empty() {
        folded.insert("description".to_owned(), Value::String(lines.split_off(1)));
    }
    folded.insert("enum".to_owned(), Value::Array(values));
    out.insert(at.unwrap_or(0), Value::Object(folded));
    out
}

fn line(values: &[Value], text: &str) -> String {
    let names = values.iter().filter_map(Value::as_str);
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    // One line per variant, regardless of how its documentation was wrapped.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("\n- {}: {text}", names.join(", "))
}

/// Joins the description of a property with that of its type: only the list of variants is taken from the type.
pub(super) fn join(outer: &str, inner: &str) -> String {
    let list = if inner.starts_with("- `") {
        Some(inner)
    } else {
        inner.find("\n- `").map(|at| &inner[at + 1..])
    };
    match list {
        Some(list) if !outer.contains("\n- `") => format!("{outer}\n{list}"),
        _ => outer.to_owned(),
    }
}

/// Returns whether a schema can be merged into the one around it without a conflict.
pub(super) fn fits_beside<'v>(
    inner: &Map<String, Value>,
    outer: impl Fn(&str) -> Option<&'v Value>,
) -> bool {
    let shaped = [
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
    ];
    inner.iter().all(|(key, value)| match key.as_str() {
        "description" | "title" => true,
        "const" => outer("enum").is_none(),
        "type" => outer("type").is_none_or(|own| own == value),
        "anyOf" | "oneOf" | "allOf" | "$ref" => false,
        // These keywords together determine which keys are allowed, so that two sets of them cannot be combined.
        key if shaped.contains(&key) => shaped.iter().all(|key| outer(key).is_none()),
        other => outer(other).is_none(),
    })
}

/// Returns the values of a branch that consists of string literals only.
fn literals(branch: &Value) -> Option<Vec<Value>> {
    let map = branch.as_object()?;
    let plain = [
        "type",
        "const",
        "enum",
        "description",
        "title",
        "deprecated",
    ];
    if !map.keys().all(|key| plain.contains(&&**key))
        || map.get("type").is_some_and(|one| one != "string")
    {
        return None;
    }
    match (map.get("const"), map.get("enum")) {
        (Some(value @ Value::String(_)), None) => Some(vec![value.clone()]),
        (None, Some(Value::Array(values))) if values.iter().all(Value::is_string) => {
            Some(values.clone())
        }
        _ => None,
    }
}
