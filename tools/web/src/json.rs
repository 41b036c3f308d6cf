//! Pages of JSON.

use std::fmt::Write as _;

use serde_json::Value;

/// The greatest number of lines of an outline.
const MAX_LINES: usize = 200;

/// The greatest depth of an outline.
const MAX_DEPTH: usize = 5;

/// The greatest number of keys of an object in an outline.
const MAX_KEYS: usize = 40;

/// Returns the document, or a part of it, with a line a value.
///
/// # Errors
/// Says why it cannot be read, or that the part does not exist.
pub(crate) fn read(text: &str, pointer: Option<&str>) -> Result<Value, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))?;
    let Some(pointer) = pointer else {
        return Ok(value);
    };
    match value.pointer(pointer) {
        Some(part) => Ok(part.clone()),
        None => Err(format!(
            "the document has no `{pointer}`; `selector` names a part of JSON as in `/items/0/name`"
        )),
    }
}

/// Returns the keys and the kinds of values of a document, with a line a value. Of a list, the first element is shown.
pub(crate) fn outline(value: &Value) -> String {
    let mut lines = Vec::new();
    add(value, "", 0, &mut lines);
    if lines.len() == MAX_LINES {
        lines.push("…".to_owned());
    }
    lines.join("\n")
}

fn add(value: &Value, path: &str, depth: usize, lines: &mut Vec<String>) {
    if lines.len() >= MAX_LINES {
        return;
    }
    let shown = if path.is_empty() { "(document)" } else { path };
    let mut line = format!("{shown}: ");
    let _ = match value {
        Value::Null => write!(line, "null"),
        Value::Bool(value) => write!(line, "{value}"),
        Value::Number(number) => write!(line, "{number}"),
        Value::String(text) if text.chars().count() > 60 => {
            write!(line, "text of {} characters", text.chars().count())
        }
        Value::String(text) => write!(line, "{text:?}"),
        Value::Array(values) => write!(line, "list of {}", values.len()),
        Value::Object(fields) => write!(line, "object with {} keys", fields.len()),
    };
    lines.push(line);
    if depth >= MAX_DEPTH {
        return;
    }
    match value {
        Value::Array(values) => {
            if let Some(first) = values.first() {
                add(first, &format!("{path}/0"), depth + 1, lines);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields.iter().take(MAX_KEYS) {
                let key: String = key.chars().take(80).collect();
                let key = key.replace('~', "~0").replace('/', "~1");
                add(value, &format!("{path}/{key}"), depth + 1, lines);
            }
            if fields.len() > MAX_KEYS {
                lines.push(format!(
                    "{path}/…: {} further keys",
                    fields.len() - MAX_KEYS
                ));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{outline, read};

    #[test]
    fn outlines_and_parts() {
        let value =
            json!({"items": [{"name": "a", "tags": []}, {}], "a/b": "x".repeat(61), "total": 2});
        let lines = [
            "(document): object with 3 keys",
            "/items: list of 2",
            "/items/0: object with 2 keys",
            "/items/0/name: \"a\"",
            "/items/0/tags: list of 0",
            "/a~1b: text of 61 characters",
            "/total: 2",
        ];
        assert_eq!(outline(&value), lines.join("\n"));
        let text = value.to_string();
        assert_eq!(read(&text, Some("/items/0/name")).unwrap(), json!("a"));
        assert!(
            read(&text, Some("/none"))
                .unwrap_err()
                .contains("has no `/none`")
        );
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read(&deep, None).unwrap_err().contains("recursion limit"));
    }
}
