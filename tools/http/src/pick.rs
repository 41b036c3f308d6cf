//! Parts of a JSON answer.

use serde_json::Value;

/// Returns the part of a value that a JSON pointer names, in which `*` stands for every item of a list and every field of
/// an object.
pub(crate) fn pick(value: &Value, pointer: &str) -> Result<Value, String> {
    let Some(path) = pointer.strip_prefix('/') else {
        return match pointer {
            "" => Ok(value.clone()),
            _ => Err(format!(
                "`{}` is no JSON pointer; write `/items/0/name` or `/items/*/name`",
                pointer.escape_debug()
            )),
        };
    };
    let segments: Vec<String> = path
        .split('/')
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect();
    descend(value, &segments).ok_or_else(|| {
        format!(
            "the answer has nothing at `{}`; its top level has {}",
            pointer.escape_debug(),
            names(value)
        )
    })
}

fn descend(value: &Value, segments: &[String]) -> Option<Value> {
    let Some((first, rest)) = segments.split_first() else {
        return Some(value.clone());
    };
    match value {
        Value::Array(items) if first == "*" => Some(
            items
                .iter()
                .filter_map(|item| descend(item, rest))
                .collect(),
        ),
        Value::Object(fields) if first == "*" && !fields.contains_key("*") => Some(
            fields
                .values()
                .filter_map(|field| descend(field, rest))
                .collect(),
        ),
        Value::Array(items) => descend(items.get(first.parse::<usize>().ok()?)?, rest),
        Value::Object(fields) => descend(fields.get(first)?, rest),
        _ => None,
    }
}

/// Names the fields of a value.
fn names(value: &Value) -> String {
    const MAX_NAMES: usize = 20;
    match value {
        Value::Object(fields) => {
            let shown: Vec<&str> = fields.keys().take(MAX_NAMES).map(String::as_str).collect();
            let more = fields.len().saturating_sub(MAX_NAMES);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!("the fields {}{more}", shown.join(", "))
        }
        Value::Array(items) => format!("{} items", items.len()),
        _ => "one value".to_owned(),
    }
}

/// Outlines the shape of a value: the names and types of its fields, and the first item of its lists.
pub(crate) fn outline(value: &Value) -> String {
    let mut lines = Vec::new();
    outline_into(value, "", 0, &mut lines);
    lines.join("\n")
}

fn outline_into(value: &Value, path: &str, depth: usize, lines: &mut Vec<String>) {
    const MAX_LINES: usize = 60;
    const MAX_DEPTH: usize = 6;
    if lines.len() >= MAX_LINES {
        return;
    }
    let shown = if path.is_empty() { "/" } else { path };
    match value {
        Value::Array(items) => {
            lines.push(format!("{shown}: list of {}", items.len()));
            if let Some(first) = items.first().filter(|_| depth < MAX_DEPTH) {
                outline_into(first, &format!("{path}/0"), depth + 1, lines);
            }
        }
        Value::Object(fields) => {
            lines.push(format!("{shown}: object of {}", fields.len()));
            for (name, field) in fields.iter().filter(|_| depth < MAX_DEPTH) {
                let name = name.replace('~', "~0").replace('/', "~1");
                outline_into(field, &format!("{path}/{name}"), depth + 1, lines);
            }
        }
        Value::String(text) => lines.push(format!("{shown}: text of {}", text.chars().count())),
        Value::Number(_) => lines.push(format!("{shown}: number")),
        Value::Bool(_) => lines.push(format!("{shown}: true or false")),
        Value::Null => lines.push(format!("{shown}: null")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_picked() {
        let value =
            json!({ "items": [{ "name": "a", "n": 1 }, { "name": "b" }, 3], "a/b": { "~": true } });
        assert_eq!(pick(&value, "/items/0/name"), Ok(json!("a")));
        assert_eq!(pick(&value, "/items/*/name"), Ok(json!(["a", "b"])));
        assert_eq!(pick(&value, "/a~1b/~0"), Ok(json!(true)));
        assert_eq!(pick(&value, "/a~1b/*"), Ok(json!([true])));
        assert_eq!(pick(&value, ""), Ok(value.clone()));
        assert_eq!(
            pick(&value["a/b"], "/nothing").unwrap_err(),
            "the answer has nothing at `/nothing`; its top level has the fields ~"
        );
        assert!(
            pick(&value, "items")
                .unwrap_err()
                .contains("no JSON pointer")
        );
    }

    #[test]
    fn an_outline_is_short() {
        let value = json!({ "items": [{ "name": "abc" }], "n": null });
        assert_eq!(
            outline(&value),
            "/: object of 2\n/items: list of 1\n/items/0: object of 1\n/items/0/name: text of 3\n/n: null"
        );
        let wide: serde_json::Map<String, Value> =
            (0..500).map(|n| (n.to_string(), json!(n))).collect();
        assert!(outline(&Value::Object(wide)).lines().count() <= 60);
    }
}
