//! JSON values that are part of others.

use serde_json::Value;

/// Returns how a value differs from the expected one; `None` if it does not. Objects may have keys that are not
/// expected; arrays have the same length.
pub(crate) fn subset_difference(expected: &Value, found: &Value) -> Option<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            expected.iter().find_map(|(key, expected)| {
                let Some(found) = found.get(key) else {
                    return Some(format!("the key `{key}` is missing"));
                };
                let difference = subset_difference(expected, found)?;
                Some(format!("`{key}`: {difference}"))
            })
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let mut pairs = expected.iter().zip(found);
            pairs.find_map(|(expected, found)| subset_difference(expected, found))
        }
        _ => (expected != found).then(|| format!("`{found}` is not `{expected}`")),
    }
}
